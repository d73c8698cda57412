"""A question with two generators and a validator, and short ways to work on it."""

import pytest

from annotation.generation.responses import GenerationResponse, WrittenPair
from annotation.models import Event, Question
from annotation.sheets.answers import AnswerForm
from annotation.work import assignments, tasks
from tests import factories
from tests.validation.shared import (  # noqa: F401 - fixtures
    ann_of_world,
    ben_of_world,
    moment_of_world,
    rosa_of_world,
    shared_world,
    val_of_world,
    world,
)
from validation.models import SubmissionOutcome
from validation.outcomes import services as outcomes_services


def several(*pairs):
    """several(("q?", "a", "b"), …): a response with pairs and their forms."""
    return GenerationResponse(
        kind="multiple",
        pairs=tuple(WrittenPair(q, tuple(map(AnswerForm, forms))) for q, *forms in pairs),
    )


def one(*forms):
    """A single clear answer."""
    return GenerationResponse(kind="single", single=tuple(map(AnswerForm, forms)))


def none(reason="Looked on three pages."):
    return GenerationResponse(kind="none", none_reason=reason)


@pytest.fixture
def project(request, db):
    asked = "world" in request.fixturenames
    return request.getfixturevalue("world").project if asked else make_project()


def make_project():
    """Two generators and one validator on dev; nothing asked of how long or of pages."""
    project = factories.make_project()
    project.policies.update(minimum_seconds=0)
    project.policies.create(stage="validation", split="dev", people=1, minimum_seconds=0)
    return project


@pytest.fixture
def question(project, now):
    question = factories.make_question(project)
    tasks.open_tasks(question_ids=[question.pk], now=now)
    return question


@pytest.fixture
def answer(now):
    """answer(project, who, response): take the next question and hand the response in."""
    return lambda project, who, response: answer_next(project, who, response, now)


def answer_next(project, who, response, now):
    turn = assignments.take_next(project=project, stage="generation", by=who, now=now)
    Event.objects.create(
        assignment=turn, kind="page_open", at=now, data={"path": "A", "title": "A"}
    )
    response = kept(turn, response, now)
    return assignments.submit_response(assignment=turn, response=response, by=who, now=now)


def kept(turn, response, now):
    """The response with every warning kept, so that only errors could stop it."""
    from dataclasses import replace

    from annotation.sheets.fields import Keep

    report = factories.report_on(turn, response, now)
    keeps = [Keep(f.rule, f.field, "I am sure") for f in report.findings if f.level == "warning"]
    return replace(response, keeps=tuple(keeps))


@pytest.fixture
def state():
    return lambda question: Question.objects.get(pk=question.pk).state


def outcomes_hold():
    """What is stored of each submission is what settling all questions once more would store."""
    before = set(SubmissionOutcome.objects.values_list())
    outcomes_services.update_outcomes(list(Question.objects.values_list("pk", flat=True)))
    assert before == set(SubmissionOutcome.objects.values_list())
