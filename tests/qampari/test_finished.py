"""Questions imported with accepted answers: later stages begin at once, and none is checked."""

import io
from collections import Counter

import pytest

from annotation.imports.services import import_questions
from annotation.models import Task
from tests import factories
from tests.qampari.factories import lines, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    made = factories.make_project(protocol="qampari", policies=False)
    for stage in ("qampari-check", "qampari-team", "qampari-paraphrase"):
        made.policies.create(stage=stage, split="dev", people=1, minimum_seconds=0)
    return made


def bring_in(project, now, count, *, finished):
    import_questions(
        project=project,
        file=io.BytesIO(lines(*map(record, range(count)))),
        format="qampari",
        split="dev",
        strict=True,
        finished=finished,
        by=None,
        now=now,
    )


def opened(project):
    tasks = Task.objects.filter(question__project=project, seats__gt=0)
    return Counter(tasks.values_list("policy__stage", flat=True))


def states(project):
    return Counter(project.questions.values_list("state", flat=True))


def test_new_questions_wait_for_a_paraphrase(project, now):
    bring_in(project, now, 3, finished=True)
    assert opened(project) == {"qampari-paraphrase": 3}


def test_questions_that_were_there_wait_for_a_paraphrase_instead_of_a_check(project, now):
    bring_in(project, now, 2, finished=False)
    assert opened(project) == {"qampari-check": 10}
    for _ in range(2):
        bring_in(project, now, 3, finished=True)
        assert opened(project) == {"qampari-paraphrase": 3}


def test_none_waits_in_the_reserve(project, now):
    project.rule_settings = {"target_dev": 2}
    project.save()
    bring_in(project, now, 1, finished=False)
    bring_in(project, now, 4, finished=True)
    assert states(project) == {"accepted": 4}
    assert opened(project) == {"qampari-paraphrase": 4}
