"""What My work counts as ready is what the next click gets, whatever the project has come to."""

import datetime as dt
import random

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.core.refusals import Denied
from annotation.home.ready import list_ready_stages
from annotation.models import Assignment, Membership, Qualified
from annotation.work import assignments, seats
from tests import factories
from tests.annotation.qualifications import helpers as exams
from validation.audits.values import AUDIT

HOUR = dt.timedelta(hours=1)
STATES = ("active", "parked", "submitted", "expired", "returned", "skipped")
QUESTIONS = ("imported", "generating", "validating", "accepted", "skipped", "excluded")
OTHERS = ("validator", "researcher")


def taken(project, stage, by, now):
    """Whether a click on "Take the next question" gets one; nothing stays of it."""
    try:
        with transaction.atomic():
            found = assignments.take_next(project=project, stage=stage, by=by, now=now)
            transaction.set_rollback(True)
    except Denied:
        return False
    return found is not None


def turn(task, user, now, rng):
    """Somebody's turn at a task, in any state, its lease ended or not."""
    state = rng.choice(STATES)
    if state == "active":
        held = Assignment.objects.filter(user=user, stage=task.policy.stage, state="active")
        state = "expired" if held.exists() else state
    times = {"lease_ends_at": now + rng.choice([-HOUR, HOUR])}
    times = times if state in ("active", "parked") else {}
    row = factories.make_assignment(task, user, state="expired")
    Assignment.objects.filter(pk=row.pk).update(
        state=state,
        used=rng.random() < 0.8,
        lease_ends_at=times.get("lease_ends_at"),
        ended_at=None if times else now,
        submitted_at=now if state == "submitted" else None,
        skip_reason="subjective" if state == "skipped" else "",
    )


def random_world(rng, exam_by, now):
    """A project with some of everything, and one person in it."""
    project = factories.make_project(state=rng.choice(["running"] * 6 + ["paused"]))
    project.policies.create(stage="validation", split="dev", people=rng.randint(1, 2))
    project.policies.create(stage=AUDIT, split="dev", people=1)
    expert = rng.random() < 0.3
    me = factories.make_member(project, "expert" if expert else "annotator")
    for role in () if expert else OTHERS:
        if rng.random() < 0.7:
            factories.make_member(project, role, user=me)
    if rng.random() < 0.1:
        Membership.objects.filter(user=me).update(paused_at=now)
    if rng.random() < 0.3:
        factories.make_member(project, "researcher", user=exam_by)
        exam = exams.make(project, exam_by, now)
        project.policies.filter(split="dev").update(qualification=exam)
        if rng.random() < 0.5:
            Qualified.objects.create(
                qualification=exam, user=me, given_by=exam_by, given_at=now, note="Knows it."
            )
    others = [factories.make_user() for _ in range(2)]
    tasks = []
    for _ in range(rng.randint(0, 3)):
        split = rng.choice(["dev", "dev", "train"])
        state = rng.choice(QUESTIONS)
        question = factories.make_question(project, split=split, state=state)
        stages = ["generation"]
        if split == "dev":
            stages += [s for s in ("validation", AUDIT, AUDIT) if rng.random() < 0.6]
        for unit, stage in enumerate(stages):
            task = factories.make_task(project, question, stage=stage, unit=str(unit))
            tasks.append(task)
            for who in (me, *others):
                if rng.random() < 0.3:
                    turn(task, who, now, rng)
    seats.recount_open_seats([task.pk for task in tasks])
    return project, me


@pytest.mark.parametrize("seed", range(80))
def test_what_is_ready_is_what_can_be_taken(db, now, seed):
    project, me = random_world(random.Random(seed), factories.make_user(), now)
    active = list(Assignment.objects.filter(user=me, state="active"))
    counted = {each.stage: each for each in list_ready_stages(me, now=now, active=active)}
    for stage in ("generation", "validation", AUDIT):
        row = counted.get(stage)
        assert bool(row and row.possible) == taken(project, stage, me, now), stage
        if row and row.project.state == "running" and not (row.active or row.paused_since):
            assert bool(row.open) == taken(project, stage, me, now), stage


def test_a_question_answered_oneself_is_not_ready_to_validate(client_as, project, ann, now):
    project.policies.create(stage="validation", split="dev", people=1)
    factories.make_member(project, "validator", user=ann)
    question = factories.make_question(project, state="validating")
    own = factories.make_task(project, question)
    factories.make_assignment(own, ann, state="submitted")
    factories.make_task(project, question, stage="validation")
    html = client_as(ann).get("/").text
    assert "ready for you" not in html
    assert f"/work/next/{project.slug}/validation/" not in html


def test_counting_stops_at_a_hundred(client_as, project, ann):
    for _ in range(101):
        factories.make_task(project)
    assert "99+ questions are ready for you" in client_as(ann).get("/").text


def test_the_usual_time_is_read_from_the_newest_submissions_alone(project, ann, ben, now):
    """By its index: at a million assignments the table's own key took seconds."""
    task = factories.make_task(project)
    factories.make_assignment(task, ben, state="submitted", active_seconds=90)
    with CaptureQueriesContext(connection) as captured:
        (row,) = list_ready_stages(ann, now=now, active=[])
    assert row.typical_seconds == 90
    (counting,) = [each["sql"] for each in captured if each["sql"].startswith("EXECUTE")]
    with connection.cursor() as cursor:
        cursor.execute("DISCARD PLANS")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute(f"EXPLAIN {counting}")
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "assignment_lately_submitted" in plan
