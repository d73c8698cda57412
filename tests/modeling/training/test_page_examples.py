"""Questions with their own pages as training takes them, keeps them and scores them."""

import json
import sys

import pytest

from annotation.core.consistent_view import snapshot
from annotation.models import Question
from metrics import nq
from metrics.nq import NqSpan
from modeling.for_models import get_for_models
from modeling.page_texts import list_outermost, read_page_text
from modeling.training.example_lines import decode_example, encode_example
from modeling.training.examples import PageExample
from modeling.training.page_examples import build_page_example
from modeling.training.page_scoring import score_page_answers
from natural_questions.own_pages import OwnPage
from tests import factories
from tests.modeling.training.pages import parse_page
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    """A question with two years in a paragraph, one with nothing, one that is not finished."""
    project = factories.make_project(protocol="nq")
    nothing = samples.original(42, "who dug it")
    nothing["annotations"] = [samples.answer(nothing, 420 + number) for number in range(3)]
    bring_in(project, samples.original(), nothing, finished=True, split="train")
    bring_in(project, samples.original(43, "how long is it"), split="train")
    return project


def labelled_of(project):
    with snapshot():
        return list(get_for_models(project).read_labelled(project, "train"))


def examples_of(project):
    return [build_page_example(row) for row in labelled_of(project) if not row.left_out]


def test_every_finished_question_is_one_with_what_each_annotator_found(project):
    assert [row.left_out for row in labelled_of(project)] == ["", "", "unfinished"]
    years, nothing = examples_of(project)
    assert (years.id, years.question) == ("41", "When was the pump in pump lane dug?")
    assert [len(each.short) for each in years.annotations] == [2, 0, 0]
    assert [each.long is not None for each in years.annotations] == [True, True, False]
    assert [each.long for each in nothing.annotations] == [None] * 3
    assert nothing.page == years.page


def test_the_words_are_those_in_boxes_each_once_where_it_stands(project):
    page = examples_of(project)[0].page
    inside = [
        (place, token)
        for place, token in enumerate(samples.tokens())
        if not token["html_token"] and place > 3  # the heading is in no box
    ]
    assert page.words == tuple(token["token"] for _, token in inside)
    assert list(page.tokens) == [place for place, _ in inside]
    for number, (place, token) in enumerate(inside):
        span = NqSpan(token["start_byte"], token["end_byte"], place, place + 1)
        assert page.span_of(range(number, number + 1)) == span


def test_places_are_found_by_tokens_or_by_bytes_and_come_back_as_they_were(project):
    example = examples_of(project)[0]
    for span in example.annotations[0].short:
        by_bytes = span._replace(start_token=-1, end_token=-1)
        for known in (span, by_bytes):
            words = example.page.find_words(known)
            assert example.page.span_of(words) == span
            assert [example.page.words[place] for place in words] in (["1902"], ["1931"])
    assert not example.page.find_words(NqSpan(-1, -1, -1, -1))
    assert not example.page.find_words(NqSpan(-1, -1, 90_000, 90_001))
    kinds = [box.kind for box, _ in list_outermost(example.page, 2)]
    assert kinds == ["paragraph", "table"]


def test_a_page_that_is_gone_has_no_words(project):
    page = read_page_text(OwnPage(0))
    assert (page.words, page.boxes, page.find_words(NqSpan(3, 9, -1, -1))) == ((), (), range(0))


def test_a_question_without_a_page_of_its_own_is_left_out(project):
    row = labelled_of(project)[0]
    Question.objects.all().delete()
    object.__setattr__(row, "open_page", None)
    assert build_page_example(row) == "no_page"


def test_a_line_holds_all_of_an_example(project):
    for example in examples_of(project):
        line = encode_example(example)
        assert decode_example(json.loads(line)) == example
        assert encode_example(decode_example(json.loads(line))) == line


def test_answers_on_pages_are_worth_what_the_official_scorer_says(project):
    examples = examples_of(project)
    paragraph = examples[0].annotations[0].long
    years = examples[0].annotations[0].short
    right = nq.Prediction(paragraph, years, "none", 2.0, 2.0)
    # Of three annotators one gave a short answer, which is fewer than two: there is no gold one.
    assert score_page_answers(examples, [right, nq.NOTHING]) == {"long F1": 1.0, "short F1": 0.0}
    # What scores lower is dropped by the best threshold, what scores higher is not.
    for score, f1 in ((1.0, 1.0), (3.0, 2 / 3)):
        wrong = nq.Prediction(paragraph, (), "none", score, score)
        figures = score_page_answers(examples, [right, wrong])
        assert figures["long F1"] == pytest.approx(f1)


def test_a_page_takes_little_memory():
    """Four bytes for each of three numbers of a word, and its text once for all pages."""
    html = "".join(f"<p>{'It opened in 1843 and it was long. ' * 100}</p>" for _ in range(10))
    page = read_page_text(parse_page(html))
    again = decode_example(json.loads(encode_example(PageExample("q", "When?", page, ())))).page
    assert again == page
    for kept in (page, again):
        assert len(kept.words) == 9_000
        assert sum(map(sys.getsizeof, (kept.tokens, kept.starts, kept.ends))) < 13 * 9_000
        assert len({id(word) for word in kept.words}) == len(set(kept.words))
