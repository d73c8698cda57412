"""Work with a time limit: the clock submits it when its time has ended.

`Stage.limit` says how many seconds people have. The clock starts when a task is taken, and its end
is stored on the assignment (`limit_ends_at`). Parking, releasing, another window or no window at
all do not stop it. A few seconds after the end (`limits.GRACE`), what the last draft holds is
submitted as it is: by whichever comes first, a window that still sends something, or the clock.
Both take the same locks, so there is one submission.
"""

import datetime as dt
import logging

from django.db import transaction

from annotation.core import limits
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.core.refusals import Denied
from annotation.core.states import HELD, change_state
from annotation.stages import registry as stages
from annotation.work import assignments, seats

log = logging.getLogger(__name__)
State = Assignment.State


def submit_last_draft(*, assignment: Assignment, now: dt.datetime) -> bool:
    """Submit what the last draft of work holds whose time is over; return whether it was done.

    Doing it twice changes nothing. Where the stage refuses it for good, because the question has
    changed meanwhile, the draft is kept and the seat given back.
    """
    if not limits.is_grace_over(assignment, now):
        return False
    try:
        assignments.submit_response(
            assignment=assignment,
            response=stages.get_stage(assignment.stage).sheet.load(assignment.draft),
            by=assignment.user,
            now=now,
            by_clock=True,
        )
    except Denied as denied:
        return _expire(assignment, why=str(denied), now=now)
    return True


@transaction.atomic
def _expire(assignment: Assignment, *, why: str, now: dt.datetime) -> bool:
    locked = seats.lock_assignment(assignment)
    running = locked.project_state == Project.State.RUNNING
    if locked.assignment_state not in HELD or not running:
        return False
    change_state(assignment, State.EXPIRED, now=now)
    seats.recount_open_seats([assignment.task_id])
    entry = seats.PendingAuditRow(
        "assignment_expired",
        f"assignment:{assignment.pk}",
        {"task": assignment.task_id, "user": assignment.user_id, "why": why},
    )
    seats.write_entries([entry], by=None, now=now, project=assignment.project_id)
    return False


def submit_overdue_work(*, now: dt.datetime, most: int = 500) -> int:
    """Submit all work whose time is over; return how much. Sweeps may run at the same time.

    A project that is paused accepts nothing: its work is submitted once it runs again.
    """
    due = Assignment.objects.filter(
        state__in=HELD,
        limit_ends_at__lte=now - limits.GRACE,
        project__state=Project.State.RUNNING,
    )
    rows = due.select_related("task__question", "policy", "project", "user")
    done = 0
    for assignment in rows.order_by("limit_ends_at", "pk")[:most]:
        try:
            done += submit_last_draft(assignment=assignment, now=now)
        except Exception:
            # One that fails must not keep the others waiting; the next sweep tries it again.
            log.exception("The clock could not submit assignment %s.", assignment.pk)
    return done
