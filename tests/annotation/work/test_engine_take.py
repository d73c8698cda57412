"""Handing out work, one person at a time."""

import datetime as dt

import pytest
from django.db import connection

from accounts import prepared_statements
from annotation.core.refusals import Conflict, Denied
from annotation.models import Assignment, AuditEntry, Membership, Project, Task
from annotation.work import assignments, tasks
from annotation.work.picking import GIVEN
from tests import factories
from tests.annotation.work.helpers import seats_add_up

HOUR = dt.timedelta(hours=1)


def take(project, by, now):
    return assignments.take_next(project=project, stage="generation", by=by, now=now)


def done(assignment, now):
    Assignment.objects.filter(pk=assignment.pk).update(
        state="submitted", submitted_at=now, ended_at=now, lease_ends_at=None
    )


def test_it_gives_tasks_in_order_and_each_once(project, ann, now):
    wanted = [factories.make_task(project).pk for _ in range(4)]
    given = []
    for _ in wanted:
        assignment = take(project, ann, now)
        given.append(assignment.task_id)
        done(assignment, now)
    assert given == wanted
    assert take(project, ann, now) is None
    seats_add_up()


def test_it_fills_the_row_and_the_audit(project, ann, now):
    factories.make_task(project)
    assignment = take(project, ann, now)
    assert assignment.state == "active"
    assert assignment.lease_ends_at == now + dt.timedelta(minutes=120)
    assert assignment.seen_at == assignment.started_at == now
    assert assignment.guideline_version == 1
    assert assignment.draft == {}
    entry = AuditEntry.objects.get(action="assignment_taken")
    assert (entry.actor, entry.project) == (ann.pk, project.pk)
    assert entry.target == f"assignment:{assignment.pk}"
    assert entry.data == {"task": assignment.task_id}


def test_every_column_it_does_not_give_has_the_models_default(project, ann, now):
    """The statement is made from the model: a new column needs no change here."""
    factories.make_task(project)
    row = Assignment.objects.get(pk=take(project, ann, now).pk)
    given = {"id", "lease_ends_at", *GIVEN}
    others = [field for field in Assignment._meta.concrete_fields if field.attname not in given]
    assert {"state", "draft", "pay", "pay_accepted"} <= {field.attname for field in others}
    for field in others:
        assert getattr(row, field.attname) == field.get_default(), field.attname
    assert row.position == row.task.position
    assert (row.user, row.project, row.policy) == (ann, project, row.task.policy)


def test_its_statements_are_planned_once_for_a_connection(project, ann, now):
    for _ in range(3):
        factories.make_task(project)
    done(take(project, ann, now), now)
    known = set(prepared_statements._known[connection.connection])
    done(take(project, ann, now), now)
    take(project, ann, now)
    assert prepared_statements._known[connection.connection] == known


def test_it_returns_the_active_one_instead_of_another(project, ann, now):
    factories.make_task(project)
    factories.make_task(project)
    first = take(project, ann, now)
    assert take(project, ann, now).pk == first.pk
    assert Assignment.objects.count() == 1


def test_two_people_share_a_task_of_two_seats(project, ann, ben, now):
    task = factories.make_task(project)
    assert take(project, ann, now).task_id == take(project, ben, now).task_id == task.pk
    task.refresh_from_db()
    assert task.seats == 0


def test_dev_comes_before_test_before_train(project, ann, now):
    splits = ("train", "test", "dev")
    by_split = {split: factories.make_task(project, split=split).pk for split in splits}
    given = []
    for _ in splits:
        assignment = take(project, ann, now)
        given.append(assignment.task_id)
        done(assignment, now)
    assert given == [by_split["dev"], by_split["test"], by_split["train"]]


def test_it_starts_again_from_the_beginning_when_nothing_lies_ahead(project, ann, now):
    behind = factories.make_task(project, seats=0)
    done(take_only(project, ann, now), now)
    Task.objects.filter(pk=behind.pk).update(seats=1)
    assert take(project, ann, now).task_id == behind.pk


def take_only(project, by, now):
    factories.make_task(project)
    return take(project, by, now)


def test_tasks_of_equal_position_are_all_found(project, ann, now):
    wanted = {factories.make_task(project, position=7).pk for _ in range(3)}
    given = set()
    for _ in wanted:
        assignment = take(project, ann, now)
        given.add(assignment.task_id)
        done(assignment, now)
    assert given == wanted


@pytest.mark.parametrize("person", ["val", "rosa", "ada", "stan"])
def test_only_annotators_get_work(project, person, request, now):
    factories.make_task(project)
    with pytest.raises(Denied, match="role annotator"):
        take(project, request.getfixturevalue(person), now)
    assert not Assignment.objects.exists()


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_a_project_that_does_not_run_hands_out_nothing(project, ann, now, state):
    factories.make_task(project)
    Project.objects.filter(pk=project.pk).update(state=state)  # the instance in hand is stale
    with pytest.raises(Conflict, match=f"This project is {state}"):
        take(project, ann, now)


def test_who_is_paused_gets_nothing_new_and_reads_why(project, ann, now):
    factories.make_task(project)
    held = take(project, ann, now)
    Membership.objects.filter(user=ann).update(
        paused_at=dt.datetime(2026, 3, 5, 12, tzinfo=dt.UTC), pause_reason="10 skipped in a row"
    )
    assert take(project, ann, now).pk == held.pk
    done(held, now)
    with pytest.raises(Denied, match="since 5 March 2026: 10 skipped in a row"):
        take(project, ann, now)


def test_ended_leases_are_reclaimed_first_and_the_draft_is_kept(project, ann, ben, now):
    project.policies.filter(split="dev").update(people=1)
    task = factories.make_task(project, seats=1)
    first = take(project, ann, now)
    Assignment.objects.filter(pk=first.pk).update(draft={"kind": "none"})
    assert take(project, ben, now) is None
    later = now + 3 * HOUR
    assert take(project, ben, later).task_id == task.pk
    first.refresh_from_db()
    assert (first.state, first.draft) == ("expired", {"kind": "none"})
    assert first.ended_at == now + 2 * HOUR  # when the lease ended, not when it was noticed
    assert AuditEntry.objects.filter(action="assignment_expired", actor=None).count() == 1
    seats_add_up()


def test_parked_work_whose_time_ended_is_reclaimed_too(project, ann, ben, now):
    task = factories.make_task(project, seats=2)
    parked = factories.make_assignment(task, ann, "parked", lease_ends_at=now - HOUR)
    take(project, ben, now)
    parked.refresh_from_db()
    assert parked.state == "expired"
    seats_add_up()


def test_nobody_asked_for_it_so_the_ended_lease_begins_anew(project, ann, now):
    factories.make_task(project)
    first = take(project, ann, now)
    again = take(project, ann, now + 5 * HOUR)
    assert again.pk == first.pk
    assert again.lease_ends_at == now + 7 * HOUR


def test_it_takes_two_statements(project, ann, now, django_assert_num_queries):
    for _ in range(3):
        factories.make_task(project)
    with django_assert_num_queries(4):  # with the savepoint and its release
        take(project, ann, now)


def test_the_cost_does_not_depend_on_how_much_is_done(project, ann, now, django_assert_num_queries):
    for _ in range(12):
        factories.make_task(project)
    for _ in range(11):
        done(take(project, ann, now), now)
    with django_assert_num_queries(4):
        assert take(project, ann, now) is not None


def test_open_tasks_is_idempotent_and_fast_in_bulk(project, now, django_assert_max_num_queries):
    questions = [factories.make_question(project, split=s) for s in ("train", "dev", "test") * 20]
    ids = [question.pk for question in questions]
    with django_assert_max_num_queries(6):
        assert tasks.open_tasks(question_ids=ids, now=now) == 60
    assert tasks.open_tasks(question_ids=ids, now=now) == 0
    assert set(Task.objects.values_list("policy__split", "seats")) == {
        ("train", 1),
        ("dev", 2),
        ("test", 2),
    }
    assert list(Task.objects.order_by("position").values_list("question_id", flat=True)) == ids


def test_questions_that_came_in_finished_get_no_task(project, now):
    finished = factories.make_question(project, state="accepted")
    assert tasks.open_tasks(question_ids=[finished.pk], now=now) == 0


def test_a_question_without_a_policy_gets_no_task(project, now):
    question = factories.make_question(project, split="train")
    project.policies.filter(split="train").delete()
    assert tasks.open_tasks(question_ids=[question.pk], now=now) == 0
