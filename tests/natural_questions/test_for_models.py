"""Models on pages: what they are asked, what is copied, how it is stored and scored."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Question
from evaluation.models import Output
from metrics import nq
from modeling.for_models import get_for_models
from modeling.offers import NO_PASSAGES, list_baseline_offers
from modeling.services.running import PREDICT
from natural_questions.own_pages import title_of
from tests import factories
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in

pytestmark = pytest.mark.django_db
PARAGRAPH = nq.NqSpan(18, 119, 4, 28)


@pytest.fixture
def project(db):
    """Two questions on dev and two on train, all of one page."""
    project = factories.make_project(protocol="nq")
    bring_in(
        project,
        samples.original(),
        samples.original(42, "how long is pump lane"),
        finished=True,
    )
    for name, question, annotations in (
        (51, "how many lamps has pump lane", [(3, ["seven"]), (3, ["seven"]), (None, [])]),
        (52, "is the mill open", [(6, [], "YES"), (None, []), (None, [])]),
    ):
        record = samples.original(name, question)
        record["annotations"] = [
            samples.answer(record, 10 * name + number, *given)
            for number, given in enumerate(annotations)
        ]
        bring_in(project, record, finished=True, split="train")
    return project


def predict(project, key, *options, split="dev"):
    arguments = [f"--option={option}" for option in options]
    call_command("predict", project.slug, "--split", split, "--system", key, *arguments)
    rows = Output.objects.filter(system__name=key, question__split=split)
    return {row.question.external_id: row for row in rows}


def asked(project, **filters):
    questions = list(Question.objects.filter(project=project, **filters).order_by("pk"))
    return get_for_models(project).build_inputs(questions)


# --- what baselines are asked -----------------------------------------------------------------


def test_a_question_comes_with_its_page_which_is_read_when_it_is_asked_for(
    project, django_assert_num_queries
):
    [question] = asked(project, external_id="41")
    assert (question.question, question.pages) == (
        "When was the pump in pump lane dug?",
        ("Pump Lane",),
    )
    with django_assert_num_queries(1):
        boxes = question.page.candidates
    assert [(box.kind, box.top_level) for box in boxes] == [
        ("paragraph", True), ("table", True), ("row", False), ("row", False),
        ("list", True), ("item", False), ("item", False),
    ]  # fmt: skip
    assert boxes[0].text.startswith("Pump Lane is a short street")
    assert boxes[2].text == "Length 90 m"
    with django_assert_num_queries(0):
        assert question.page.words_at(boxes[0].span) == boxes[0].text


def test_words_are_found_by_bytes_where_there_are_no_tokens(project):
    page = asked(project, external_id="41")[0].page
    lead = page.candidates[0]
    by_bytes = lead.span._replace(start_token=-1, end_token=-1)
    assert page.words_at(by_bytes) == lead.text
    assert page.words_at(nq.NqSpan(-1, -1, 4, 100_000)) == ""
    assert page.words_at(nq.NqSpan(-1, -1, -1, -1)) == ""


@pytest.mark.parametrize(
    ("context", "title"),
    [
        ({"title": "Pump Lane", "url": "https://example.org/wiki/Other"}, "Pump Lane"),
        ({"url": "https://example.org/w/index.php?title=Pump_Lane&oldid=3"}, "Pump_Lane"),
        ({"title": "", "url": "https://example.org/wiki/Caf%C3%A9?x=1"}, "Café"),
        ({"url": "pump"}, "pump"),
        ({}, ""),
    ],
)  # fmt: skip
def test_a_page_without_a_title_is_named_as_its_address_is(context, title):
    assert title_of(context) == title


# --- baselines --------------------------------------------------------------------------------


def test_the_first_paragraph_is_that_of_the_own_page_and_needs_no_corpus(project):
    rows = predict(project, "first-paragraph")
    assert rows["41"].text.startswith("Pump Lane is a short street beside the canal")
    [lead, *_] = asked(project, external_id="41")[0].page.candidates
    assert rows["41"].details["spans"] == {
        "long": list(lead.span), "short": [], "yes_no": "none",
        "long_score": None, "short_score": None,
    }  # fmt: skip


def test_the_page_of_runs_offers_it_without_passages(project):
    problems = {row.entry.key: row.problem for row in list_baseline_offers(project, PREDICT)}
    assert (problems["first-paragraph"], problems["most-frequent"]) == ("", "")
    assert problems["bm25"] == NO_PASSAGES
    other = list_baseline_offers(factories.make_project(), PREDICT)
    assert {row.entry.key: row.problem for row in other}["first-paragraph"] == NO_PASSAGES


def test_a_language_model_is_shown_no_places(project, monkeypatch):
    monkeypatch.setattr("modeling.baselines.llm.ClosedBook._connected", lambda *given: None)
    with pytest.raises(CommandError, match="a language model is shown words"):
        predict(project, "llm", "examples=2")


def test_a_page_without_a_paragraph_has_a_null_answer_which_is_kept(project):
    html = "<Ul><Li>No café is open.</Li></Ul>"
    found = samples.tokens(html)
    bring_in(
        project,
        samples.original(
            43, "is it open", document_html=html, document_tokens=found, annotations=[],
            long_answer_candidates=samples.candidates(found),
        ),
    )  # fmt: skip
    row = predict(project, "first-paragraph")["43"]
    assert row.text == "There is no answer on the page."
    assert row.details["spans"]["long"] is None


def test_the_most_frequent_annotation_is_copied_as_a_place_with_its_share(project):
    # Of six annotations on train, three are null.
    rows = predict(project, "most-frequent", "train=train")
    assert {row.text for row in rows.values()} == {"There is no answer on the page."}
    assert rows["41"].details["spans"]["long_score"] == 0.5


def test_a_question_is_never_copied_to_itself(project):
    rows = predict(project, "most-frequent", "train=train", split="train")
    assert rows["51"].text == "There is no answer on the page."
    assert rows["52"].text == "seven"
    assert rows["52"].details["spans"]["short_score"] == pytest.approx(2 / 3)


def test_of_the_closest_question_the_most_frequent_annotation_is_copied(project):
    rows = predict(project, "closest-question", "train=train")
    assert (rows["42"].text, rows["42"].details["answers"]) == ("seven", ["seven"])
    spans = rows["42"].details["spans"]
    assert spans["short"] == [
        list(nq.NqSpan(**samples.place(samples.tokens(), "seven")))
    ]  # fmt: skip
    assert 0 < spans["long_score"] < 1
    version = rows["42"].system.version
    Question.objects.filter(external_id="51").update(state=Question.State.EXCLUDED)
    again = predict(project, "closest-question", "train=train")["42"]
    assert again.system.version != version


def test_yes_is_a_word_for_those_who_judge(project):
    record = samples.original(53, "is the old mill open today")
    record["annotations"] = [samples.answer(record, 530, 6, yes_no="YES")]
    bring_in(project, record, finished=True, split="train")
    bring_in(project, samples.original(44, "is the old mill open"))
    row = predict(project, "closest-question", "train=train")["44"]
    assert (row.text, row.details["spans"]["yes_no"]) == ("Yes", "yes")


def test_what_is_copied_and_not_on_the_own_page_is_no_answer(project, capsys):
    html = "<P>Pump Lane.</P>"
    found = samples.tokens(html)
    bring_in(
        project,
        samples.original(
            45, "how many lamps has pump lane", document_html=html, document_tokens=found,
            annotations=[], long_answer_candidates=samples.candidates(found),
        ),
    )  # fmt: skip
    assert "45" not in predict(project, "closest-question", "train=train")
    assert "45: The question's page has no words at this answer." in capsys.readouterr().err


def test_a_split_without_accepted_annotations_cannot_be_copied(project):
    with pytest.raises(CommandError, match="No question of test has an accepted answer"):
        predict(project, "most-frequent", "train=test")


def test_a_file_of_texts_can_still_be_copied(project, tmp_path):
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps({"page": "Pump Lane", "question": "How long?", "answers": ["90 m"]}))
    row = predict(project, "most-frequent", f"train={path}")["41"]
    assert (row.text, "spans" in row.details) == ("90 m", False)
