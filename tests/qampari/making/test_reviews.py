"""Samples of made questions, what people decide on them, and how later runs follow it."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.models import AuditEntry, Job, Question
from qampari.making import reviews
from qampari.making.reviewed import ReviewedQuestions
from qampari.making.wording import WordedQuestion
from qampari.models import QuestionReview, SampledQuestion
from tests import factories
from tests.qampari.making.conftest import DEMO

NOW = timezone.now
THAMES = "Which bridges and tunnels cross the River Thames?"
# So loose that three questions are made, of which one is drawn.
LOOSE = DEMO | {"least": 1, "share": 0.0, "sizes": {"test": {"simple": 1}, "train": {"simple": 1}}}


def decide(sampled, by, verdict, text="", seen=0):
    return reviews.review_question(
        sampled=sampled, verdict=verdict, text=text, seen=seen, by=by, now=NOW()
    )


def as_text(job):
    """The records that a run has added, without the rows' own keys."""
    rows = Question.objects.filter(job=job).order_by("external_id")
    return [json.dumps([row.external_id, row.text, row.context], sort_keys=True) for row in rows]


# --- pure ----------------------------------------------------------------------------------------


def test_better_words_are_taken_and_bad_ones_are_marked():
    said = ReviewedQuestions(wordings={"a": "Which ones?", "b": ""})
    written = WordedQuestion("Which?")
    assert said.reword("a", written) == WordedQuestion("Which ones?")
    assert said.reword("b", written) == WordedQuestion("Which?", needs_paraphrase=True)
    assert said.reword("c", written) is written


# --- rows ----------------------------------------------------------------------------------------

pytestmark = pytest.mark.django_db


def test_a_sample_is_what_the_run_adds(make_in_job):
    sample = make_in_job(sample_only=True)
    assert not Question.objects.exists()
    (drawn,) = SampledQuestion.objects.filter(job=sample)
    assert (drawn.text, drawn.kind, drawn.split) == (THAMES, "simple", "test")
    assert len(drawn.answers) == 6
    assert drawn.others == []
    assert all(answer["proofs"] for answer in drawn.answers)
    run = make_in_job()
    assert run.result["counts"] == sample.result["counts"]
    assert Question.objects.get().text == drawn.text


def test_the_same_sample_is_drawn_again(make_in_job):
    drawn = [
        list(SampledQuestion.objects.filter(job=make_in_job(LOOSE, sample_only=True)).values_list(
            "position", "query", "text", "answers", "others"))
        for _ in range(2)
    ]  # fmt: skip
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 2


def test_what_is_left_out_is_replaced_by_another(make_in_job, rosa):
    sample = make_in_job(LOOSE, sample_only=True)
    refused = SampledQuestion.objects.filter(job=sample).get(split="test")
    decide(refused, rosa, "left_out")
    again = make_in_job(LOOSE, sample_only=True)
    instead = SampledQuestion.objects.filter(job=again).get(split="test")
    assert instead.query != refused.query
    assert again.result["counts"]["left_out"]["refused"] == 1
    row = next(each for each in again.result["shown"]["left_out"] if "a person" in each["reason"])
    assert row == {"reason": "a person left it out", "count": 1, "texts": [refused.text]}
    decide(refused, rosa, "good", seen=1)
    back = SampledQuestion.objects.get(job=make_in_job(LOOSE, sample_only=True), split="test")
    assert back.query == refused.query


def test_better_words_are_asked_and_the_record_says_so(make_in_job, rosa):
    (drawn,) = SampledQuestion.objects.filter(job=make_in_job(try_only=True))
    decide(drawn, rosa, "wording", "How does one get  over the Thames?")
    make_in_job()
    question = Question.objects.get()
    assert question.text == "How does one get over the Thames?"
    made = question.context["making"]
    assert (made["reworded_from"], made["needs_paraphrase"]) == (THAMES, False)


def test_without_better_words_it_is_marked_for_a_paraphrase(make_in_job, rosa):
    (drawn,) = SampledQuestion.objects.filter(job=make_in_job(try_only=True))
    decide(drawn, rosa, "wording")
    make_in_job()
    question = Question.objects.get()
    assert (question.text, question.context["making"]["needs_paraphrase"]) == (THAMES, True)
    assert "reworded_from" not in question.context["making"]


def test_words_that_became_impossible_leave_the_question_out(make_in_job, rosa, project):
    (drawn,) = SampledQuestion.objects.filter(job=make_in_job(try_only=True))
    decide(drawn, rosa, "wording", "What crosses it?")
    factories.make_question(project, text="What crosses it?")
    again = make_in_job(sample_only=True)
    assert again.result["counts"]["left_out"]["same_question"] == 1
    assert not SampledQuestion.objects.filter(job=again).exists()


def test_the_same_reviews_make_the_same_bytes(make_in_job, rosa):
    first = make_in_job(LOOSE, sample_only=True)
    for drawn, verdict in zip(
        SampledQuestion.objects.filter(job=first), ("left_out", "wording"), strict=True
    ):
        decide(drawn, rosa, verdict)
    made = []
    for _ in range(2):
        made.append(as_text(make_in_job(LOOSE)))
        Question.objects.all().delete()
    assert made[0] == made[1] != []


def test_the_command_knows_no_decisions(make_in_job, rosa, tmp_path):
    """Its file depends on graph, pages, choice and seed alone."""

    def write():
        choices, file = tmp_path / "choices.json", tmp_path / "made.jsonl"
        choices.write_text(json.dumps(DEMO))
        words = ["--graph", "demo", "--choices", str(choices), "--out", str(file)]
        call_command("generate_questions", "lists", *words, stdout=StringIO())
        return file.read_bytes()

    before = write()
    (drawn,) = SampledQuestion.objects.filter(job=make_in_job(sample_only=True))
    decide(drawn, rosa, "left_out")
    assert write() == before != b""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Is Tower Bridge across it?", "names one of its answers"),
        ("What is asked already?", "in these words already"),
        ("?!", "has no words"),
        ("x" * 1_001, "more than 1,000 characters"),
        ("What\u200bis it?", "cannot be shown"),
    ],
)
def test_words_are_checked_as_any_question(make_in_job, rosa, project, text, sentence):
    (drawn,) = SampledQuestion.objects.filter(job=make_in_job(try_only=True))
    factories.make_question(project, text="What is asked already?")
    with pytest.raises(Conflict, match=sentence):
        decide(drawn, rosa, "wording", text)
    assert not QuestionReview.objects.exists()


def test_two_questions_cannot_get_the_same_words(make_in_job, rosa):
    first, second = SampledQuestion.objects.filter(job=make_in_job(LOOSE, sample_only=True))
    decide(first, rosa, "wording", "What is it that does?")
    with pytest.raises(Conflict, match="in these words already"):
        decide(second, rosa, "wording", "What is it, that does")
    with pytest.raises(Conflict, match="in these words already"):
        decide(second, rosa, "wording", first.text)


def test_nobody_changes_what_they_did_not_see(make_in_job, rosa, project):
    (drawn,) = SampledQuestion.objects.filter(job=make_in_job(try_only=True))
    ada = factories.make_member(project, "admin")
    decide(drawn, rosa, "good")
    for seen in (0, 2):
        with pytest.raises(Conflict, match="Someone else"):
            decide(drawn, ada, "left_out", seen=seen)
    changed = decide(drawn, ada, "left_out", seen=1)
    assert (changed.verdict, changed.version, changed.by) == ("left_out", 2, ada)
    actions = AuditEntry.objects.filter(target=f"questionreview:{changed.pk}")
    assert list(actions.order_by("pk").values_list("action", flat=True)) == [
        "made_question_good", "made_question_left_out",
    ]  # fmt: skip


def test_only_staff_decide_and_only_by_known_verdicts(make_in_job, rosa, project):
    (drawn,) = SampledQuestion.objects.filter(job=make_in_job(try_only=True))
    with pytest.raises(Denied):
        decide(drawn, factories.make_member(project, "annotator"), "good")
    with pytest.raises(Conflict, match="Choose Good, The wording is off or Leave it out"):
        decide(drawn, rosa, "great")


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"verdict": "great"}, "question_review_verdict_known"),
        ({"text": "Better?"}, "question_review_text_of_wording"),
        ({"query": ""}, "question_review_of_a_query"),
        ({"query": "P1 Q1"}, "question_review_once"),
    ],
)
def test_what_must_not_be_in_a_review(project, rosa, changes, name):
    def make(**more):
        values = {
            "project": project, "query": "P1 Q1", "question": "Which?", "verdict": "good",
            "by": rosa, "at": NOW(),
        }  # fmt: skip
        QuestionReview.objects.create(**values | more)

    make()
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        make(**({"query": "P1 Q2"} | changes))


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"position": 0}, "sampled_question_from_1"),
        ({"position": 1}, "sampled_question_place"),
        ({"query": "P1 Q1"}, "sampled_question_once"),
    ],
)
def test_what_must_not_be_in_a_sample(project, rosa, changes, name):
    job = Job.objects.create(project=project, kind="make-try", created_by=rosa, created_at=NOW())

    def make(**more):
        values = {
            "job": job, "position": 1, "query": "P1 Q1", "kind": "simple", "split": "test",
            "text": "Which?", "answers": [], "others": [],
        }  # fmt: skip
        SampledQuestion.objects.create(**values | more)

    make()
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        make(**({"position": 2, "query": "P1 Q2"} | changes))


def test_figures_of_a_sample():
    said = [QuestionReview(verdict="good") for _ in range(16)]
    said += [QuestionReview(verdict="wording"), QuestionReview(verdict="left_out")]
    figures = reviews.count_reviews(said)
    assert (figures.good, figures.wording, figures.left_out, figures.judged) == (16, 1, 1, 18)
    low, high = figures.interval
    assert (round(figures.share, 2), round(low, 2), round(high, 2)) == (0.89, 0.67, 0.97)
    assert reviews.count_reviews([]).interval is None
    assert reviews.count_reviews([]).share == 0
