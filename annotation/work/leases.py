"""Keep and leave a seat: extend, park, resume, give back, reopen.

A lease ends automatically: the next person who asks for work takes back seats whose lease ended.
"""

import datetime as dt
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest

from accounts import prepared_statements
from accounts.models import User
from annotation.access import work
from annotation.core import audit, limits, states
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict, Denied
from annotation.core.states import HELD, LEFT, SENTENCES, change_state
from annotation.stages import registry as stages
from annotation.work import seats
from annotation.work.statements import KEEP_PROJECT_STATE, RECORD_ACTIVITY
from annotation.work.taking import ONE_ACTIVE, check_demands

# A longer gap than this between two signs of activity counts as time away.
AWAY = dt.timedelta(minutes=2)
ANOTHER_OPEN = "You have another question open. Submit, park or release it, then open this one."
State = Assignment.State


# --- keep --------------------------------------------------------------------------------------


def signs_of_life(assignment: Assignment, now: dt.datetime) -> dict[str, Any]:
    """Return the values that SIGNS_OF_LIFE needs."""
    until = now + dt.timedelta(minutes=assignment.policy.lease_minutes)
    return {"id": assignment.pk, "now": now, "away": AWAY, "until": until}


def seconds_at(assignment: Assignment, now: dt.datetime) -> int:
    """Return the active seconds up to now, including the time since the last sign of activity."""
    gap = now - assignment.seen_at
    here = dt.timedelta() <= gap <= AWAY
    return assignment.active_seconds + (int(gap.total_seconds()) if here else 0)


def record_activity(*, assignment: Assignment, by: User, now: dt.datetime) -> Assignment:
    """Note that the person is active: counts active time and renews the lease. One UPDATE.

    Does nothing on an assignment that is not active.
    """
    work.check_owns(by, assignment)
    rows = prepared_statements.fetch_rows(
        RECORD_ACTIVITY,
        signs_of_life(assignment, now),
    )
    for row in rows:
        assignment.active_seconds, assignment.seen_at, assignment.lease_ends_at = row
    return assignment


@transaction.atomic
def extend_lease(*, assignment: Assignment, by: User, now: dt.datetime) -> Assignment:
    """Renew the lease of an active or parked assignment, from now, for the policy's time."""
    work.check_owns(by, assignment)
    work.check_still_works_here(user=by, has_role=seats.lock_assignment(assignment).has_role)
    policy = assignment.policy
    for state, length in (
        (State.ACTIVE, dt.timedelta(minutes=policy.lease_minutes)),
        (State.PARKED, dt.timedelta(hours=policy.park_hours)),
    ):
        # Never shorter than before: the policy may have changed since.
        until = Greatest(F("lease_ends_at"), Value(now + length))
        if Assignment.objects.filter(pk=assignment.pk, state=state).update(lease_ends_at=until):
            assignment.refresh_from_db(fields=["state", "lease_ends_at"])
            _audit("assignment_extended", assignment, by=by, now=now)
            return assignment
    assignment.refresh_from_db(fields=["state"])
    raise Conflict(SENTENCES[assignment.state])


# --- park, resume, give back, reopen -----------------------------------------------------------


@transaction.atomic
def park_assignment(
    *, assignment: Assignment, reason: str, by: User, now: dt.datetime
) -> Assignment:
    """Park the question with a reason, for as long as the policy allows; the seat is kept."""
    work.check_owns(by, assignment)
    reason = _short(reason)
    if not reason:
        raise Conflict("Say in a few words what you are waiting for, then park the question.")
    seats.lock_assignment(assignment)
    limits.check_time_left(assignment, now)
    limit = assignment.project.parked_limit
    parked = Assignment.objects.filter(
        user_id=by.pk,
        project_id=assignment.project_id,
        stage=assignment.stage,
        state=State.PARKED,
    ).exclude(pk=assignment.pk)
    if parked.count() >= limit:
        raise Conflict(_full(limit))
    until = limits.held_until(assignment, now + dt.timedelta(hours=assignment.policy.park_hours))
    change_state(
        assignment,
        State.PARKED,
        now=now,
        only_from=[State.ACTIVE],
        lease_ends_at=until,
        park_reason=reason,
    )
    _audit("assignment_parked", assignment, by=by, now=now, reason=reason)
    return assignment


def _full(limit: int) -> str:
    if limit == 0:
        return "Questions cannot be parked in this project. Submit, skip or release this one."
    are = "1 question is" if limit == 1 else f"{limit} questions are"
    return f"{are} parked, which is the maximum. Finish one of them first."


@transaction.atomic
def resume_assignment(*, assignment: Assignment, by: User, now: dt.datetime) -> Assignment:
    """Resume a parked question. Only one question can be open at a time."""
    work.check_owns(by, assignment)
    _check_stays_running(assignment)
    locked = seats.lock_assignment(assignment)
    work.check_still_works_here(user=by, has_role=locked.has_role)
    limits.check_time_left(assignment, now)
    _check_none_open(assignment)
    until = _lease(assignment, now)
    _become_active(assignment, now=now, only_from=[State.PARKED], lease_ends_at=until, seen_at=now)
    _audit("assignment_resumed", assignment, by=by, now=now)
    return assignment


@transaction.atomic
def give_back(*, assignment: Assignment, by: User, now: dt.datetime) -> Assignment:
    """Release the question for someone else. The person keeps the draft."""
    work.check_owns(by, assignment)
    seats.lock_assignment(assignment)
    limits.check_time_left(assignment, now)
    change_state(assignment, State.RETURNED, now=now)
    seats.recount_open_seats([assignment.task_id])
    _audit("assignment_returned", assignment, by=by, now=now)
    return assignment


@transaction.atomic
def end_turns(*, user: User, project: Project, role: str, by: User | None, now: dt.datetime) -> int:
    """Free the seats of a person who lost the role; return how many. Their drafts stay.

    They can no longer submit, so no one should wait for them.
    """
    keys = [stage.key for stage in stages.of_protocol(project.protocol) if stage.role == role]
    held = Assignment.objects.filter(user=user, project=project, stage__in=keys, state__in=HELD)
    ended: list[int] = []
    for assignment in held.order_by("task__question", "pk"):
        if seats.lock_assignment(assignment).assignment_state not in HELD:
            continue
        change_state(assignment, State.EXPIRED, now=now)
        _audit("assignment_expired", assignment, by=by, now=now, user=user.pk)
        ended.append(assignment.task_id)
    seats.recount_open_seats(ended)  # all assignments are locked before the first task
    return len(ended)


@transaction.atomic
def end_membership(*, membership: Membership, by: User | None, now: dt.datetime) -> None:
    """Delete a membership and free its seats; again changes nothing. Asks no policy."""
    deleted, _ = Membership.objects.filter(pk=membership.pk).delete()
    if deleted:
        if not membership.user.is_superuser:  # superusers work in every role, with a row or without
            end_turns(
                user=membership.user,
                project=membership.project,
                role=membership.role,
                by=by,
                now=now,
            )
        audit.record_action(
            "role_removed",
            membership,
            by=by,
            now=now,
            project=membership.project,
            user=membership.user_id,
            role=membership.role,
        )


@transaction.atomic
def reopen_assignment(*, assignment: Assignment, by: User, now: dt.datetime) -> Assignment:
    """Reopen a question whose lease ended, or that was released or skipped.

    Only while a seat is free; the draft is as the person left it. This also undoes releasing
    and skipping.
    """
    work.check_owns(by, assignment)
    _check_stays_running(assignment)
    locked = seats.lock_assignment(assignment)
    work.check_still_works_here(user=by, has_role=locked.has_role)
    if locked.assignment_state not in LEFT:
        raise Conflict(SENTENCES[locked.assignment_state])
    limits.check_time_left(assignment, now)
    check_demands(assignment=assignment, by=by, now=now)
    _check_none_open(assignment)
    if locked.question_state in states.SET_ASIDE:
        raise Conflict(states.SET_ASIDE[locked.question_state])
    if not seats.seat_is_free(assignment.task_id) or seats.is_held_back(assignment.task_id, now):
        assignment.refresh_from_db(fields=["ended_at"])
        if locked.assignment_state == State.EXPIRED:
            raise Conflict(work.late_sentence(assignment.ended_at))
        raise Conflict("Someone else has this question now. Your text is kept under Drafts.")
    until = _lease(assignment, now)
    _become_active(
        assignment,
        now=now,
        only_from=[locked.assignment_state],
        lease_ends_at=until,
        seen_at=now,
    )
    changed = {}
    if locked.assignment_state == State.SKIPPED:
        changed = seats.settle_questions([locked.question_id], locked.protocol, now=now)
    seats.recount_open_seats([assignment.task_id])
    seats.write_entries(
        [
            seats.PendingAuditRow(
                "assignment_reopened",
                f"assignment:{assignment.pk}",
                {"before": locked.assignment_state},
            ),
            *seats.question_entries(changed),
        ],
        by=by,
        now=now,
        project=assignment.project_id,
    )
    return assignment


def find_late_problem(assignment: Assignment, *, by: User, now: dt.datetime) -> Denied | None:
    """Return why work whose lease has ended is not accepted any more.

    Asked again under the locks: whoever held them before may have taken the person's role away.
    """
    try:
        has_role = seats.lock_assignment(assignment).has_role
        work.check_still_works_here(user=by, has_role=has_role)
        check_demands(assignment=assignment, by=by, now=now, lasting=True)
    except Denied as denied:
        return denied
    return None


def _check_stays_running(assignment: Assignment) -> None:
    """Refuse unless the project runs; whoever stops it waits until this work is in hand."""
    [(state,)] = prepared_statements.fetch_rows(
        KEEP_PROJECT_STATE, {"project": assignment.project_id}
    )
    work.check_running(state)


def _lease(assignment: Assignment, now: dt.datetime) -> dt.datetime:
    until = now + dt.timedelta(minutes=assignment.policy.lease_minutes)
    return limits.held_until(assignment, until)


def _check_none_open(assignment: Assignment) -> None:
    others = Assignment.objects.filter(
        user_id=assignment.user_id,
        project_id=assignment.project_id,
        stage=assignment.stage,
        state=State.ACTIVE,
    ).exclude(pk=assignment.pk)
    if others.exists():
        raise Conflict(ANOTHER_OPEN)


def _become_active(assignment: Assignment, **changes: Any) -> None:
    """Move to active; the unique constraint decides between two at once."""
    try:
        with transaction.atomic():
            change_state(assignment, State.ACTIVE, **changes)
    except IntegrityError as error:
        if ONE_ACTIVE not in str(error):
            raise
        raise Conflict(ANOTHER_OPEN) from None


def _short(text: str) -> str:
    return " ".join(text.replace("\x00", "").split())[:500]


def _audit(
    action: str, assignment: Assignment, *, by: User | None, now: dt.datetime, **data: Any
) -> None:
    entry = seats.PendingAuditRow(action, f"assignment:{assignment.pk}", data)
    seats.write_entries([entry], by=by, now=now, project=assignment.project_id)
