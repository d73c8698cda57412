"""People who take questions while the team excludes or moves them: real connections."""

import pytest
from django.utils import timezone

from annotation.models import Assignment, Question
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.work.helpers import easy, in_parallel, seats_add_up
from tests.validation.conftest import outcomes_hold
from validation.models import Decision
from validation.questions import exclusion

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def crowd(project):
    easy(project)
    return [factories.make_member(project, "annotator", name=f"P{n} Person") for n in range(6)]


def take(project, by):
    return assignments.take_next(project=project, stage="generation", by=by, now=timezone.now())


def failures(results):
    return [result for result in results if isinstance(result, Exception)]


def test_takers_race_an_exclusion(project, crowd, rosa):
    for _ in range(5):
        questions = [factories.make_question(project) for _ in range(4)]
        ids = [each.pk for each in questions]
        tasks.open_tasks(question_ids=ids, now=timezone.now())
        results = in_parallel(
            [
                lambda ids=ids: exclusion.exclude_questions(
                    project=project, question_ids=ids, reason="Junk.", by=rosa, now=timezone.now()
                ),
                *(lambda by=person: take(project, by) for person in crowd),
            ]
        )
        assert not failures(results)
        assert results[0] == 4
        assert set(Question.objects.values_list("state", flat=True)) == {"excluded"}
        seats_add_up()
        outcomes_hold()
        late = factories.make_member(project, "annotator", name="Late Lane")
        assert take(project, late) is None
        Assignment.objects.all().delete()


def test_two_exclude_the_same_and_one_restores(project, rosa):
    questions = [factories.make_question(project) for _ in range(10)]
    ids = [each.pk for each in questions]
    tasks.open_tasks(question_ids=ids, now=timezone.now())

    def exclude():
        return exclusion.exclude_questions(
            project=project, question_ids=ids, reason="Junk.", by=rosa, now=timezone.now()
        )

    def restore():
        return exclusion.restore_questions(
            project=project, question_ids=ids, by=rosa, now=timezone.now()
        )

    results = in_parallel([exclude, exclude, restore])
    assert 10 in results
    in_force = Decision.objects.filter(in_force=True).count()
    states = set(Question.objects.values_list("state", flat=True))
    assert (in_force, states) in ((10, {"excluded"}), (0, {"imported"}))
    seats_add_up()
    outcomes_hold()
