"""What features add to the engine: hooks, asked and told at the right moment."""

import functools

import pytest
from django.utils import timezone
from psycopg2.sql import SQL

from annotation.core.refusals import Denied
from annotation.extensions import hooks
from annotation.extensions.parts import Demand, Follower, SettledQuestion, TaskRule
from annotation.models import Assignment, Question, Task
from annotation.work import assignments, picking, seats
from tests import factories
from tests.annotation.work.helpers import easy, read_a_page, single
from tests.extensions import add_for_the_test

NULL = SQL("NULL")


@pytest.fixture
def add(monkeypatch):
    """Hooks of a test go with it."""
    return functools.partial(add_for_the_test, monkeypatch)


def submitted(project, ann, now):
    easy(project)
    work = factories.make_assignment(factories.make_task(project), ann)
    read_a_page(work, now, "1843")
    assignments.submit_response(assignment=work, response=single(), by=ann, now=now)
    work.refresh_from_db()
    return work


def take(project, by):
    return assignments.take_next(project=project, stage="generation", by=by, now=timezone.now())


def test_who_lacks_what_a_policy_demands_reads_why_and_gets_nothing(project, ann, add):
    factories.make_task(project)
    demand = Demand(
        missing=SQL("CASE WHEN p.people > 1 THEN 7 END"),
        refusal=lambda value: Denied(f"You lack number {value}."),
    )
    add(demands=(demand,))
    with pytest.raises(Denied, match="You lack number 7"):
        take(project, ann)
    assert not Assignment.objects.exists()
    train = factories.make_task(project, split="train")
    assert take(project, ann).task_id == train.pk, "other work is there: one person is asked for"


@pytest.fixture
def composed_anew():
    """Statements that were composed before are composed again, in this test and after it."""
    composed = (picking.take_task_ahead_sql, picking.take_task_sql, picking.find_task_sql)
    for statement in composed:
        statement.cache_clear()
    yield
    for statement in composed:
        statement.cache_clear()


def test_tasks_of_a_kind_are_not_for_some_people(project, ann, ben, add, composed_anew):
    task = factories.make_task(project)
    add(
        task_rules=(
            TaskRule(
                settled_on=SQL("NULL"),
                asks_again=SQL("false"),
                not_for=SQL(f"{{user}} = {ann.pk} AND t.people > 1"),
            ),
        )
    )
    add(
        task_rules=(
            TaskRule(settled_on=NULL, asks_again=SQL("false"), not_for=SQL(f"{{user}} = {ann.pk}")),
        )
    )
    assert take(project, ann) is None
    assert take(project, ben).task_id == task.pk


def test_tasks_of_a_kind_ask_again_when_their_question_is_finished(project, add):
    task, other = factories.make_task(project), factories.make_task(project)
    Question.objects.update(state="excluded")
    add(
        task_rules=(
            TaskRule(settled_on=NULL, asks_again=SQL(f"t.id = {task.pk}"), not_for=SQL("false")),
        )
    )
    seats.recount_open_seats([task.pk, other.pk])
    assert list(Task.objects.filter(seats__gt=0)) == [task]


def test_terms_are_stored_with_the_submission(project, ann, now, add):
    add(terms=(lambda policy, *, active_seconds: {"staff_note": f"on {policy.split}"},))
    assert submitted(project, ann, now).staff_note == "on dev"


def test_followers_hear_in_order_and_only_of_what_concerns_them(project, ann, now, add):
    heard = []

    def follower(name, place, **fact):
        def follow(questions, *, protocol, now):
            heard.append((name, protocol, [tuple(row)[1:] for row in questions]))

        return Follower(follow=follow, place=place, **fact)

    last, silent = follower("last", 900), follower("not concerned", 901, fact=SQL("NULL"))
    add(followers=(last, silent))
    add(followers=(follower("first", 1, fact=SQL("q.split")),))
    work = submitted(project, ann, now)
    assert heard == [
        ("first", "ambigqa", [("imported", "generating", "dev")]),
        ("last", "ambigqa", [("imported", "generating", True)]),
    ]
    assert work.state == "submitted"


def test_what_a_hook_raises_undoes_the_submission(project, ann, now, add):
    def follow(questions, *, protocol, now):
        raise RuntimeError("the ledger is closed")

    add(followers=(Follower(follow=follow, place=900),))
    with pytest.raises(RuntimeError, match="ledger is closed"):
        submitted(project, ann, now)
    work = Assignment.objects.get()
    assert work.state == "active"
    assert not work.task.question.annotations.exists()


def test_followers_hear_of_work_on_questions_imported_as_finished(project, ann, now, add):
    """They have no task of the first stage; pay for other work on them is settled all the same."""
    task = factories.make_task(project, stage="generation")
    Assignment.objects.filter(task=task).delete()
    task.delete()
    heard = []
    follow = lambda questions, *, protocol, now: heard.extend(questions)  # noqa: E731
    add(followers=(Follower(fact=SQL("q.id"), follow=follow, place=900),))
    seats.settle_questions([task.question_id], project.protocol, now=now)
    state = task.question.state
    assert heard == [SettledQuestion(task.question_id, state, state, task.question_id)]


def test_the_order_of_followers_is_that_of_their_places():
    """Outcomes are stored before pay, which reads them; whoever is told hears of both."""
    followers = [follower.follow.__module__ for follower in hooks.list_followers()]
    assert followers == [
        "validation.outcomes.services",
        "annotation.pay.services",
        "annotation.webhooks.services",
        "qampari.reserve",
    ]
