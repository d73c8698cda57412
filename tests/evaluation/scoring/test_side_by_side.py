"""Answers of systems beside the reference, with the scores of each question (A80)."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Annotation, Job
from evaluation.scores.measuring import Scale
from evaluation.scores.reference_lines import list_reference_lines
from evaluation.scores.registry import ReferenceLine, scoring_of
from evaluation.scoring import side_by_side
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies
from tests.evaluation.scoring.test_scoring import CONTEXT

BOTH, ONE, NONE = "In 1843, and in 1869.", "It opened in 1843.", "Nobody knows."


@pytest.fixture
def project(db):
    return asqa.make_project()


@pytest.fixture
def staff(project, client_as):
    return client_as(factories.make_member(project, "researcher"))


@pytest.fixture
def systems(project, now):
    """Two systems: alike on q1 and q3, where both are right and both are half right; not on q2."""
    made = [studies.make_system(project, name) for name in ("Amber", "Blue")]
    for place, texts in enumerate(((BOTH, BOTH), (NONE, BOTH), (ONE, ONE)), 1):
        question = asqa.make_question(
            project, context=CONTEXT, external_id=f"q{place}", text=f"When, {place}?"
        )
        for system, text in zip(made, texts, strict=True):
            studies.make_output(system, question, text)
    return made


@pytest.fixture
def scored(project, systems, now):
    scale = Scale(project, "dev")
    for system in systems:
        scale.store_measures(system, now=now)


def get(staff, project, query="", status=200):
    reply = staff.get(reverse("system-answers", args=[project.slug]) + query)
    assert reply.status_code == status
    return reply


def shown(reply):
    return [row.question.external_id for row in reply.context["compared"]]


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("imported", ["q1", "q2", "q3"]),
        ("worst", ["q2", "q3", "q1"]),
        ("differing", ["q2", "q1", "q3"]),
    ],
)
def test_the_questions_come_in_the_order_that_was_chosen(staff, project, scored, order, ids):
    reply = get(staff, project, f"?order={order}&figure=str_em")
    assert shown(reply) == ids


def test_each_question_has_its_reference_its_answers_and_its_scores(staff, project, scored):
    second = get(staff, project).context["compared"][1]
    assert [(line.label, line.text) for line in second.references] == [
        ("When did it open to walkers?", "1843; in 1843"),
        ("When did it open to trains?", "1869"),
        ("Long answer", CONTEXT["annotations"][0]["long_answer"]),
    ]
    assert [(row.system, row.text) for row in second.answers] == [("Amber", NONE), ("Blue", BOTH)]
    lines = {line.label: line.values for line in second.scores}
    assert lines["STR-EM"] == (0.0, 100.0)
    assert lines["Length"] == (2.0, 5.0)
    assert "Disambig-F1" not in lines
    page = get(staff, project).content.decode()
    for words in ("When, 2?", "1843; in 1843", "Nobody knows.", "Scores from", "100.0"):
        assert words in page


def test_the_score_of_a_question_that_comes_from_two_measures(project, scored, systems):
    """DR is the geometric mean of two; a question that lacks one of them has none."""
    kinds = side_by_side.list_item_kinds(scoring_of(project))
    assert {"f1_answer", "f1_edit"} <= kinds.keys()
    assert "f1_answer.multi" not in kinds  # of one question it is the same as over all
    kind = kinds["dr"]
    measures = side_by_side.read_measures(project, "dev", systems[:1]).by_system[systems[0].pk]
    assert side_by_side.measure_item(measures, kind, "q1") is None
    measures.columns["qa_f1"], measures.columns["rouge_l"] = {"q1": 25.0}, {"q1": 100.0}
    assert side_by_side.measure_item(measures, kind, "q1") == 50.0


def test_what_is_not_scored_is_shown_as_imported_and_starts_no_job(staff, project, systems):
    page = get(staff, project, "?order=worst")
    assert shown(page) == ["q1", "q2", "q3"]
    assert "have not been scored yet" in page.content.decode()
    assert not Job.objects.exists()


def test_a_score_that_no_system_has_orders_nothing_and_the_page_says_so(staff, project, scored):
    usual = get(staff, project, "?order=worst")  # by STR-EM, as there is neither DR nor F1-answer
    assert shown(usual) == ["q2", "q3", "q1"]
    reply = get(staff, project, "?order=worst&figure=qa_f1")
    assert shown(reply) == ["q1", "q2", "q3"]
    assert "None of these systems has this score" in reply.content.decode()
    assert "None of these systems has this score" not in usual.content.decode()


def test_a_system_without_an_answer_is_shown_without_one(staff, project, systems, scored):
    systems[0].outputs.filter(question__external_id="q3").delete()
    reply = get(staff, project, "?order=differing&figure=str_em")
    assert [row.text for row in reply.context["compared"][2].answers] == ["", ONE]
    assert "No answer." in reply.content.decode()


def test_pages_follow_each_other_and_end(staff, project, systems, scored, monkeypatch):
    monkeypatch.setattr(side_by_side, "PAGE", 2)
    first = get(staff, project, "?order=worst&figure=str_em")
    assert shown(first) == ["q2", "q3"]
    following = f"?{first.context['query']}&page=2"
    assert following.replace("&", "&amp;") in first.content.decode()
    assert shown(get(staff, project, following)) == ["q1"]
    assert "you have seen all of them" in get(staff, project, "?page=99").content.decode()


def test_a_long_answer_is_cut_and_nothing_else_is_read(staff, project, systems, scored):
    systems[0].outputs.update(text="word " * 1_000, details={"passages": ["A passage."]})
    with CaptureQueriesContext(connection) as queries:
        page = get(staff, project).content.decode()
    assert "The first 3,000 characters." in page
    read = " ".join(row["sql"] for row in queries if "evaluation_output" in row["sql"])
    assert '"details"' not in read


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("?order=best", "is not in the list"),
        ("?figure=threshold", "is not in the list"),
        ("?systems=0", "A chosen system has no answers here."),
        ("?systems=x", "A chosen system has no answers here."),
    ],
)
def test_what_cannot_be_chosen_is_refused(staff, project, systems, query, sentence):
    assert sentence in get(staff, project, query, status=422).content.decode()


def test_at_most_four_systems_are_compared(staff, project, systems):
    question = project.questions.first()
    more = [studies.make_system(project) for _ in range(3)]
    for system in more:
        studies.make_output(system, question)
    query = "?" + "&".join(f"systems={row.pk}" for row in (*systems, *more))
    assert "Choose up to 4 systems." in get(staff, project, query, status=422).content.decode()
    assert len(get(staff, project, query.rpartition("&")[0]).context["systems"]) == 4


def test_systems_of_another_project_are_not_shown(staff, project, systems):
    other = studies.make_system(asqa.make_project())
    get(staff, project, f"?systems={other.pk}", status=422)


def test_the_number_of_queries_does_not_grow(staff, project, systems, scored):
    get(staff, project)
    with CaptureQueriesContext(connection) as before:
        get(staff, project, "?order=worst")
    for place in range(4, 9):
        question = asqa.make_question(project, context=CONTEXT, external_id=f"q{place}")
        for system in systems:
            studies.make_output(system, question, ONE)
    with CaptureQueriesContext(connection) as after:
        get(staff, project, "?order=worst")
    assert len(after) == len(before) <= 20


def test_nothing_is_said_of_a_project_without_answers(staff, project):
    assert "No answers yet" in get(staff, project).content.decode()


def test_what_is_accepted_is_the_reference_where_no_disambiguations_came(db, now):
    """AmbigQA: what annotators wrote, once it is accepted and not before."""
    project = factories.make_project()
    question = factories.make_question(project, external_id="q1", state="accepted")
    task = factories.make_task(project, question)
    author = factories.make_member(project, "annotator")
    assignment = factories.make_assignment(task, author, state="submitted")
    annotation = Annotation.objects.create(
        assignment=assignment,
        question=question,
        author=author,
        kind="single",
        created_at=now,
    )
    annotation.pairs.create(position=0).answers.create(position=0, text="1843")
    assert list_reference_lines([question]) == {question.pk: [ReferenceLine("1843")]}
    question.state = "validating"
    assert list_reference_lines([question]) == {question.pk: []}
