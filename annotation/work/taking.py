"""Hand out the next task, and take back seats whose lease has ended."""

import datetime as dt
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, IntegrityError, connection, transaction

from accounts import prepared_statements
from accounts.models import User
from annotation.access import work
from annotation.core import limits
from annotation.core.models.people import Role
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.core.refusals import Denied
from annotation.extensions import hooks
from annotation.extensions.parts import Demand
from annotation.stages import registry as stages
from annotation.work import picking, seats
from annotation.work.picking import (
    TAKE_CHOSEN_TASK,
    find_task_sql,
    take_task_ahead_sql,
    take_task_sql,
)
from annotation.work.statements import LOOK_FOR_OFFERS, MISSING_DEMANDS, RECLAIM_SEATS

ONE_ACTIVE = "assignment_one_active_per_stage"
ONCE_EACH = "assignment_once_per_person"
_RECLAIM_AT_ONCE = 500
State = Assignment.State


# How many columns of a row are about the project and the person, and how many are an offer's own;
# the demands follow.
_FACTS, _PLAIN = 5, 9


@dataclass(frozen=True)
class PolicyOffer:
    """One policy of the stage, and the person's last position, slot and task in it, priorities
    aside.

    missing: for each demand that a feature may make (Demand), what the person lacks; lowest:
    the first position with a free seat, None if there is none.
    """

    missing: Sequence[int | None]
    policy_id: int
    lease_minutes: int
    position: int
    slot: int
    task_id: int
    lowest: int | None
    has_ended: bool
    guideline_version: int
    inputs: str

    @property
    def has_open(self) -> bool:
        """Whether any task has a free seat."""
        return self.lowest is not None

    @property
    def lacking(self) -> list[tuple[Demand, int]]:
        """The demands that the person does not meet, each with what they lack."""
        demands = zip(hooks.list_demands(), self.missing, strict=True)
        return [(demand, value) for demand, value in demands if value is not None]


def take_next(*, project: Project, stage: str, by: User, now: dt.datetime) -> Assignment | None:
    """Give the person the next task of the stage, or None when there is none for them.

    Their active one if they have one, with its lease renewed if it had ended; otherwise one from
    the project's dev questions, then test, then train. At most three statements unless leases
    ended. Raises Denied when they may not take work, or lack something that all of it demands;
    Conflict when the project is not running.
    """
    active, offers = _check_and_look(project=project, stage=stage, by=by, now=now)
    if active is not None and (mine := _still_mine(active, now)) is not None:
        return mine
    refused: tuple[Demand, int] | None = None
    for offer in offers:
        if lacking := offer.lacking:
            refused = refused or lacking[0]
            continue
        if offer.has_ended:
            # Its own transaction, so that no task stays locked while the next one is picked.
            reclaim_seats(policy_id=offer.policy_id, now=now)
        if not (offer.has_open or offer.has_ended):
            continue
        try:
            # A single statement is its own transaction; callers within one need a savepoint.
            with transaction.atomic() if connection.in_atomic_block else nullcontext():
                taken = _take(offer, project=project, stage=stage, by=by, now=now)
        except IntegrityError as error:
            if not any(name in str(error) for name in (ONE_ACTIVE, ONCE_EACH)):
                raise
            # A second click of the same person was faster, so a constraint failed. Both clicks
            # get the task that it took.
            return _active(project=project, stage=stage, by=by)
        if taken is not None:
            return taken
    if refused is not None:
        demand, value = refused
        raise demand.refusal(value)
    return None


def check_demands(
    *, assignment: Assignment, by: User, now: dt.datetime, lasting: bool = False
) -> None:
    """Refuse work that demands something the person lacks now, as `take_next` does. One query.

    Without it, work that was released and is taken up again would get around a demand. With
    `lasting`, only demands that hold until the work is submitted are asked for.
    """
    demands = [each for each in hooks.list_demands() if each.lasting or not lasting]
    values = {"policy": assignment.policy_id, "user": by.pk, "now": now}
    columns = ", ".join(demand.missing.string for demand in demands)
    [missing] = prepared_statements.fetch_rows(
        MISSING_DEMANDS.format(demands=columns),
        values,
    )
    for demand, value in zip(demands, missing, strict=True):
        if value is not None:
            raise demand.refusal(value)


def take_at_once(*, project: Project, stage: str, by: User, now: dt.datetime) -> Assignment | None:
    """Give the person a task in the caller's transaction, or None if `take_next` has to be asked.

    It neither waits for a lock nor takes back seats: the caller may hold locks that others wait
    for. Two statements.
    """
    try:
        active, offers = _check_and_look(project=project, stage=stage, by=by, now=now)
    except Denied:
        return None
    ready = (offer for offer in offers if not offer.lacking)
    offer = next((offer for offer in ready if offer.has_open or offer.has_ended), None)
    if active is not None or offer is None or offer.has_ended:
        return None
    values = _values(offer, project=project, stage=stage, by=by, now=now)
    made = _skipping(offer, values)
    return (
        _assignment(made[0], offer, project=project, stage=stage, by=by, now=now) if made else None
    )


def _skipping(offer: PolicyOffer, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Take a task, passing over those locked by someone who is taking a seat."""
    # Where nothing has a first priority, the next task is nearly always ahead of the person's last
    # one. To look everywhere costs the database half as much again.
    made = (
        prepared_statements.fetch_rows(take_task_ahead_sql(), values)
        if (offer.lowest or 0) >= 0
        else []
    )
    return made or prepared_statements.fetch_rows(take_task_sql(), values)


def _active(*, project: Project, stage: str, by: User) -> Assignment | None:
    return Assignment.objects.filter(
        user=by, project=project, stage=stage, state=State.ACTIVE
    ).first()


def _still_mine(assignment_id: int, now: dt.datetime) -> Assignment | None:
    """Return the active assignment; its seat was not taken, so an ended lease is renewed."""
    assignment = (
        Assignment.objects.select_related("policy")
        .filter(pk=assignment_id, state=State.ACTIVE)
        .first()
    )
    if assignment is None:
        return None
    if assignment.lease_ends_at is not None and assignment.lease_ends_at > now:
        return assignment
    until = now + dt.timedelta(minutes=assignment.policy.lease_minutes)
    renewed = Assignment.objects.filter(pk=assignment_id, state=State.ACTIVE).update(
        lease_ends_at=until
    )
    assignment.lease_ends_at = until
    return assignment if renewed else None


def _check_and_look(
    *, project: Project, stage: str, by: User, now: dt.datetime
) -> tuple[int | None, list[PolicyOffer]]:
    """Return the active assignment, if there is one, and the offers. Raises Denied or Conflict."""
    role = stages.get_stage(stage).role
    rows = prepared_statements.fetch_rows(
        LOOK_FOR_OFFERS.format(
            demands="".join(f", {each.missing.string}" for each in hooks.list_demands())
        ),
        {"now": now, "user": by.pk, "project": project.pk, "stage": stage, "role": role},
    )
    if not rows:
        raise Denied("This project is gone.")
    state, membership, paused_at, pause_reason, active = rows[0][:_FACTS]
    work.check_can_take(
        user=by,
        role_label=str(Role(role).label).lower(),
        has_role=membership is not None,
        # A paused person gets nothing new, but can finish what they have.
        paused_at=None if active else paused_at,
        pause_reason=pause_reason or "",
        project_state=state,
    )
    offers = [row[_FACTS:] for row in rows if row[_FACTS] is not None]
    return active, [PolicyOffer(row[_PLAIN:], *row[:_PLAIN]) for row in offers]


_TRIES = 20


def _take(
    offer: PolicyOffer, *, project: Project, stage: str, by: User, now: dt.datetime
) -> Assignment | None:
    values = _values(offer, project=project, stage=stage, by=by, now=now)
    if made := _skipping(offer, values):
        return _assignment(made[0], offer, project=project, stage=stage, by=by, now=now)
    # When only such tasks are left, one may still have a seat: look without a lock, then wait for
    # that task alone. Waiting for one task while holding another could deadlock.
    for _ in range(_TRIES):
        seen = prepared_statements.fetch_rows(find_task_sql(), values)
        if not seen:
            return None
        if made := prepared_statements.fetch_rows(
            TAKE_CHOSEN_TASK, {**values, "chosen": seen[0][0]}
        ):
            return _assignment(made[0], offer, project=project, stage=stage, by=by, now=now)
    return None


def _values(
    offer: PolicyOffer, *, project: Project, stage: str, by: User, now: dt.datetime
) -> dict[str, Any]:
    limit = _limit(stage, now)
    until = now + dt.timedelta(minutes=offer.lease_minutes)
    return {
        "policy": offer.policy_id,
        "position": offer.position,
        "slot": offer.slot,
        "task": offer.task_id,
        "user": by.pk,
        "project": project.pk,
        "stage": stage,
        "role": stages.get_stage(stage).role,
        "everywhere": by.is_superuser,
        "now": now,
        "until": until if limit is None else max(until, limit + limits.SLACK),
        "limit": limit,
        "guideline": offer.guideline_version,
        "inputs": offer.inputs,
        **picking.had_values(),
        **picking.column_defaults(),
    }


def _limit(stage: str, now: dt.datetime) -> dt.datetime | None:
    seconds = stages.get_stage(stage).limit
    return None if seconds is None else now + dt.timedelta(seconds=seconds)


def _assignment(
    made: tuple[Any, ...],
    offer: PolicyOffer,
    *,
    project: Project,
    stage: str,
    by: User,
    now: dt.datetime,
) -> Assignment:
    pk, task, position, gold, started_at, lease_ends_at = made
    columns = {
        "id": pk,
        "task_id": task,
        "user_id": by.pk,
        "project_id": project.pk,
        "policy_id": offer.policy_id,
        "stage": stage,
        "position": position,
        "started_at": started_at,
        "lease_ends_at": lease_ends_at,
        "limit_ends_at": _limit(stage, now),
        "seen_at": now,
        "guideline_version": offer.guideline_version,
        "inputs": offer.inputs,
        "gold": gold,
        "used": not gold,
    }
    # Much quicker than Assignment(…), which looks each default up in several steps.
    values = [
        columns[field.attname] if field.attname in columns else field.get_default()
        for field in Assignment._meta.concrete_fields
    ]
    names = [field.attname for field in Assignment._meta.concrete_fields]
    assignment = Assignment.from_db(DEFAULT_DB_ALIAS, names, values)
    assignment.user, assignment.project = by, project
    return assignment


@transaction.atomic
def reclaim_seats(*, policy_id: int, now: dt.datetime) -> int:
    """Take back seats whose lease has ended, active or parked, each once; return how many.

    The drafts stay. Work whose time limit has ended is left to the clock, which submits it
    (`timed`). Waits for anyone who is reclaiming the same seats, so that these are free when
    this returns.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            RECLAIM_SEATS,
            {"policy": policy_id, "now": now, "most": _RECLAIM_AT_ONCE},
        )
        tasks = [row[0] for row in cursor.fetchall()]
    seats.recount_open_seats(tasks)
    return len(tasks)
