"""Handing work in and getting the next task in one transaction."""

import datetime as dt

import pytest
from django.db import IntegrityError
from django.utils import timezone

from accounts import prepared_statements
from annotation.core.refusals import Conflict
from annotation.generation.responses import GenerationResponse
from annotation.models import Annotation, Assignment, Membership, Question
from annotation.work import assignments, taking
from annotation.work.picking import take_task_ahead_sql, take_task_sql
from tests import factories
from tests.annotation.work.helpers import easy, in_parallel, read_a_page, seats_add_up

NOTHING = GenerationResponse(kind="none", none_reason="The article does not say.")
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def work(project, ann, now):
    easy(project)
    factories.make_task(project)
    factories.make_task(project)
    assignment = assignments.take_next(project=project, stage="generation", by=ann, now=now)
    read_a_page(assignment, now)
    return fresh(assignment)


def fresh(assignment):
    rows = Assignment.objects.select_related("task__question", "policy", "project__snapshot")
    return rows.get(pk=assignment.pk)


def submit_and_take(assignment, by, now):
    return assignments.submit_and_take(assignment=assignment, response=NOTHING, by=by, now=now)


def test_it_submits_and_gives_the_next(work, ann, now):
    following = submit_and_take(work, ann, now)
    assert following.task_id != work.task_id
    states = dict(Assignment.objects.values_list("pk", "state"))
    assert states == {work.pk: "submitted", following.pk: "active"}
    seats_add_up()


def test_it_takes_nine_statements(work, ann, now, django_assert_num_queries):
    with django_assert_num_queries(11):  # with the savepoint and its release
        submit_and_take(work, ann, now)


def test_a_take_that_fails_does_not_undo_the_submission(work, ann, now, monkeypatch):
    fetch = prepared_statements.fetch_rows

    def failing(sql, params):
        if sql in (take_task_ahead_sql(), take_task_sql()):
            raise IntegrityError(taking.ONE_ACTIVE)
        return fetch(sql, params)

    monkeypatch.setattr(prepared_statements, "fetch_rows", failing)
    assert submit_and_take(work, ann, now) is None
    assert [row.state for row in Assignment.objects.all()] == ["submitted"]
    assert Annotation.objects.count() == 1
    seats_add_up()


def test_people_who_get_no_more_work_can_submit(work, ann, now):
    Membership.objects.filter(user=ann).update(paused_at=now)
    assert submit_and_take(work, ann, now) is None
    assert [row.state for row in Assignment.objects.all()] == ["submitted"]


def test_refused_work_takes_nothing(work, ann, now):
    with pytest.raises(assignments.ResponseRefused):
        assignments.submit_and_take(assignment=work, response=GenerationResponse(), by=ann, now=now)
    assert [row.state for row in Assignment.objects.all()] == ["active"]


def test_work_that_cannot_be_submitted_is_kept_and_takes_nothing(work, ann, now):
    type(work.project).objects.update(state="paused")
    with pytest.raises(Conflict):
        submit_and_take(work, ann, now)
    assert [row.state for row in Assignment.objects.all()] == ["active"]
    work.refresh_from_db()
    assert work.draft["none_reason"] == NOTHING.none_reason


def test_seats_are_not_taken_back_under_its_locks(work, ben, ann, project, now):
    """Two who do that at once could wait for each other: `take_next` does it afterwards."""
    held = assignments.take_next(project=project, stage="generation", by=ben, now=now - 5 * HOUR)
    assert submit_and_take(work, ann, now) is None
    held.refresh_from_db()
    assert held.state == "active"
    assert assignments.take_next(project=project, stage="generation", by=ann, now=now) is not None
    held.refresh_from_db()
    assert held.state == "expired"


@pytest.mark.django_db(transaction=True)
def test_a_crowd_that_submits_and_takes_leaves_no_seat_wrong(project):
    easy(project)
    crowd = [factories.make_member(project, "annotator", name=f"P{n} Person") for n in range(8)]
    for _ in range(40):
        factories.make_task(project)

    def work(person):
        def until_none_is_left():
            count, following = 0, None
            while following := following or assignments.take_next(
                project=project, stage="generation", by=person, now=timezone.now()
            ):
                read_a_page(following, timezone.now())
                following = submit_and_take(fresh(following), person, timezone.now())
                count += 1
            return count

        return until_none_is_left

    results = in_parallel([work(person) for person in crowd])
    assert not [result for result in results if isinstance(result, Exception)], results
    assert sum(results) == 80
    assert set(Question.objects.values_list("state", flat=True)) == {"accepted"}
    seats_add_up()
