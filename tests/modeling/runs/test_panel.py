"""From a job that makes suggestions to the page of somebody who writes answers."""

import pytest

from annotation.models import Job, StagePolicy
from annotation.suggestions.queries import SUGGEST
from annotation.work import tasks
from modeling.services import running
from modeling.services.running import Choice
from tests.annotation.suggestions.conftest import OWN, press
from tests.stages.window import Window

pytestmark = pytest.mark.django_db


@pytest.fixture
def make(project, rosa, now, tiny, questions, woken):
    """Start the job that makes suggestions; returns the waiting job."""

    def make(**options):
        choice = Choice("tiny", "dev", options)
        return running.start_suggestion_job(project=project, choice=choice, by=rosa, now=now)

    return make


@pytest.fixture
def window(project, ann, questions, make, now):
    """Ann in front of the first question, with a pair of her own; Tiny's suggestions are shown."""
    StagePolicy.objects.filter(project=project).update(suggestions="Tiny", minimum_seconds=0)
    tasks.open_tasks(question_ids=[questions[0].pk], now=now)
    return press(Window(ann, project, "generation").take(), "save", OWN)


def test_from_a_waiting_job_to_suggestions(window, make, run):
    assert running.SUGGEST == SUGGEST
    assert "Tiny has no suggestions for this question" in window.words
    job = make()
    assert "Tiny is reading" in window.open().words
    run(job)
    assert "2 from Tiny: 2 to look at" in window.open().words


def test_one_question_that_fails_and_one_job_that_fails(window, make, run):
    assert run(make(fails="q1")).state == Job.State.DONE
    assert "not available just now" in window.open().words
    assert run(make(stops="q1")).state == Job.State.FAILED
    assert "Tiny gave no answer to this question" in window.open().words
    run(make())
    assert "2 from Tiny" in window.open().words
