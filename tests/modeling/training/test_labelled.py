"""What each protocol gives to be learnt from."""

import pytest
from django.utils import timezone

from annotation.core.consistent_view import snapshot
from annotation.models import Question
from modeling.for_models import get_for_models
from modeling.training.passage_examples import build_passage_example
from modeling.training.recipes import RECIPES
from modeling.training.text_examples import build_text_examples
from modeling.training.values import LabelledPair
from tests import factories
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in
from tests.qampari import factories as lists
from tests.validation.release.long_answers import finished, record, shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def now():
    return timezone.now()


def read(project, split="dev"):
    with snapshot():
        return list(get_for_models(project).read_labelled(project, split))


# --- ASQA -----------------------------------------------------------------------------------------


def test_long_answers_come_with_their_own_knowledge_and_the_reference_pairs(now):
    project = factories.make_project(protocol="asqa")
    one = record(answers=("It opened in 1843.", "Twice."))
    one["annotations"][0]["knowledge"] = [{"content": "Walkers came in 1843.", "wikipage": "P"}]
    finished(project, now, dev={"a1": one})
    shown(Question.objects.get(), 1, now)
    [labelled] = read(project)
    assert labelled.left_out == ""
    assert [long.text for long in labelled.long_answers] == ["It opened in 1843.", "Twice."]
    assert [len(long.knowledge) for long in labelled.long_answers] == [1, 0]
    assert labelled.annotations == (
        (LabelledPair(("Q1?",), ("a", "A")), LabelledPair(("Q2?",), ("b",))),
    )
    assert [passage.title for passage in labelled.evidence] == ["East London line"]
    assert labelled.source == "import"


def test_a_question_without_a_long_answer_is_left_out(now):
    project = factories.make_project(protocol="asqa")
    factories.make_question(project)
    [labelled] = read(project)
    assert (labelled.left_out, labelled.annotations) == ("unfinished", ())


# --- QAMPARI --------------------------------------------------------------------------------------


def test_proofs_of_answers_that_people_refused_are_told_apart(now):
    project = lists.make_project()
    question = lists.make_question(project, now, answers=("Kelso", "Leeds", "Wells"))
    person = factories.make_member(project, "annotator")
    lists.check(person, project, ["correct", "doubtful", "correct"])
    Question.objects.filter(pk=question.pk).update(state="accepted")
    [labelled] = read(project)
    names = [pair.forms[0] for pair in labelled.annotations[0]]
    refused = {"Kelso", "Leeds", "Wells"} - set(names)
    assert len(refused) == 1
    assert [name in labelled.refused[0].text for name in refused] == [True]
    assert all(passage.title.endswith("Bridge") for passage in labelled.evidence)
    assert len(labelled.evidence) == 2
    assert labelled.asked.as_list


@pytest.mark.parametrize(
    ("state", "reason"),
    [("excluded", "excluded"), ("skipped", "skipped"), ("imported", "unfinished")],
)
def test_lists_that_are_not_accepted_are_left_out(now, state, reason):
    project = lists.make_project()
    question = lists.make_question(project, now)
    Question.objects.filter(pk=question.pk).update(state=state)
    assert [labelled.left_out for labelled in read(project)] == [reason]


def test_lists_take_as_many_statements_however_many(now, django_assert_max_num_queries):
    project = lists.make_project()
    for _ in range(4):
        lists.make_question(project, now)
    Question.objects.update(state="accepted")
    with django_assert_max_num_queries(12):
        assert len(read(project)) == 4


# --- Natural Questions ----------------------------------------------------------------------------


def test_short_answers_and_the_boxes_in_which_they_stand():
    project = factories.make_project(protocol="nq")
    answers = (
        (51, "how many lamps has pump lane", [(3, ["seven"]), (3, ["seven"]), (None, [])]),
        (52, "is the mill open", [(6, [], "YES"), (None, []), (None, [])]),
    )
    for name, question, annotations in answers:
        record = samples.original(name, question)
        record["annotations"] = [
            samples.answer(record, 10 * name + number, *given)
            for number, given in enumerate(annotations)
        ]
        bring_in(project, record, finished=True, split="train")
    lamps, mill = read(project, "train")
    assert lamps.annotations == ((LabelledPair((), ("seven",)),),) * 2
    assert ["seven" in passage.text for passage in lamps.evidence] == [True]
    assert lamps.evidence[0].title
    assert (mill.left_out, mill.annotations) == ("", ())
    assert build_passage_example(RECIPES["encoder"], mill, []) == "no_answer"
    assert build_text_examples("span-seq-gen", mill, []) == "no_answer"
    assert [answer.yes_no for answer in mill.answers_on_page] == ["yes", "none", "none"]
