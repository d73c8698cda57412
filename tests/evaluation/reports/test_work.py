"""The panels of the report Project, counted by hand from tests.validation.simulated."""

import datetime as dt
from decimal import Decimal

import pytest

from annotation.figures.filters import Filters
from annotation.figures.registry import Request, find_report
from annotation.models import Assignment, Message, Thread
from evaluation.reports.work import cost, progress, waiting
from tests.validation import simulated

pytestmark = pytest.mark.django_db


def make_world():
    pay = {"generation": Decimal("0.75"), "validation": Decimal("0.15")}
    return simulated.make_world(pay=pay)


def rows(make, world, now, **filters):
    return [list(row) for row in make(Request(world.project, Filters(**filters), now)).rows]


def test_progress_and_its_end(world, now):
    found = {row[0]: row[1:] for row in rows(progress.build_progress_panel, world, now)}

    # 14 questions for two on dev, of which Q14 lacks one; Q13 waits for its validator; Q9 is
    # excluded.
    today, tomorrow = (str(now.date() + dt.timedelta(days=days)) for days in (0, 1))
    assert found["Generation, dev"] == [27, 0, 28, 27 / 28, 27 / 7, today, 1]
    assert found["Generation, train"] == [2, 0, 2, 1.0, 2 / 7, "done", 0]
    assert found["Validation, dev"] == [9, 0, 10, 0.9, 9 / 7, tomorrow, 1]
    assert {row[0] for row in rows(progress.build_progress_panel, world, now, split="train")} == {
        "Generation, train"
    }


def test_work_without_a_pace_has_no_end(world, now):
    later = now + dt.timedelta(days=30)
    found = {row[0]: row for row in rows(progress.build_progress_panel, world, later)}

    assert found["Generation, dev"][6] == "not at this pace"


def test_the_queue(world, now):
    turn = Assignment.objects.filter(project=world.project, stage="validation").first()
    Assignment.objects.filter(pk=turn.pk).update(
        state="parked", lease_ends_at=now, ended_at=None, submitted_at=None, returned_at=now
    )
    found = {row[0]: row[1:] for row in rows(progress.build_queue_panel, world, now)}

    assert found["Generation, dev"] == [1, 0, 0, 0, 0, 0, 0]
    assert found["Validation, dev"] == [1, 0, 1, 1, 0, 0, 0]


def test_throughput_of_each_week(world, now):
    found = rows(progress.build_throughput_panel, world, now)

    monday = (now.date() - dt.timedelta(days=now.weekday())).isoformat()
    assert [row[:4] for row in found] == [
        [monday, "Generation", 29, 2],
        [monday, "Validation", 9, 1],
    ]
    assert (
        rows(progress.build_throughput_panel, world, now, since=now.date() + dt.timedelta(days=1))
        == []
    )
    assert [row[2] for row in rows(progress.build_throughput_panel, world, now, split="train")] == [
        2
    ]


def test_cost_of_an_accepted_question(world, now):
    found = rows(cost.build_cost_panel, world, now)

    # Asked: 28 annotations and 10 validations; submitted: 27 and 9; 11 questions are accepted.
    assert found == [
        ["train", "USD", 1.5, 1.5, 2, 0.75],
        ["dev", "USD", pytest.approx(22.5), pytest.approx(21.6), 11, pytest.approx(21.6 / 11)],
    ]
    assert rows(cost.build_cost_panel, world, now, split="train") == found[:1]
    tomorrow = now.date() + dt.timedelta(days=1)
    later = rows(cost.build_cost_panel, world, now, since=tomorrow)
    assert [(row[3], row[5]) for row in later] == [(0, None), (0, None)]


def test_hours_are_planned_at_the_median_time(world, now):
    world.project.policies.update(pay_basis="hour", pay=12)
    Assignment.objects.filter(project=world.project).update(active_seconds=600)
    found = rows(cost.build_cost_panel, world, now)

    assert [row[2] for row in found] == [pytest.approx(2 * 2), pytest.approx(38 * 2)]


def test_claims_by_how_they_ended(world, now):
    turns = Assignment.objects.filter(
        project=world.project, user=world.ann, state="submitted", task__question__split="dev"
    ).order_by("pk")
    for turn, state, hours in zip(turns[:3], ("open", "upheld", "upheld"), (0, 1, 3), strict=True):
        thread = Thread.objects.create(
            assignment=turn,
            project=world.project,
            kind="claim",
            state=state,
            waiting_since=now,
            closed_at=now + dt.timedelta(hours=hours) if hours else None,
        )
        Message.objects.create(
            thread=thread, author=world.ann, by_staff=False, text="Why?", created_at=now
        )
    found = rows(waiting.build_matters_panel, world, now)

    assert [(row[0], row[1], row[2], row[3].value, row[4]) for row in found] == [
        ("Claim", "Open", 1, pytest.approx(1 / 3), None),
        ("Claim", "Result upheld", 2, pytest.approx(2 / 3), 7200),
    ]
    assert rows(waiting.build_matters_panel, world, now, split="train") == []
    two_days = now + dt.timedelta(days=2)
    [claims] = [
        row
        for row in rows(waiting.build_waiting_panel, world, two_days)
        if row[0].text == "1 claim"
    ]
    assert claims[2:] == [2 * 86400, "yes"]


def test_questions_no_one_left_may_validate_wait_for_somebody(world, now):
    # Ann has answered every question.
    assert [row[0].text for row in rows(waiting.build_waiting_panel, world, now)] == [
        "1 person has no work"
    ]
    world.project.memberships.filter(user=world.val).delete()

    row, *_ = rows(waiting.build_waiting_panel, world, now)
    assert row[0].text == "1 question that no one can take"
    assert row[0].href.startswith(f"/projects/{world.project.slug}/")
    assert row[3] == "yes"


def test_an_empty_project_says_what_is_missing(project, now):
    entries = find_report(project, "project").entries(project)
    assert {"waiting", "progress", "queue", "throughput", "cost", "matters", "warnings"} <= {
        entry.key for entry in entries
    }
    for entry in entries:
        panel = entry.panel(Request(project, Filters(), now))
        assert (list(panel.rows), panel.n) == ([], 0), entry.key
        assert panel.needs or entry.key == "waiting", entry.key
