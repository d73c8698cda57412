"""Time limits: until when work of a stage with one can be written, from its own row."""

import datetime as dt

from django.utils import timezone

from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict

# What was written before the end may arrive this much later: it is kept, and marked as late.
GRACE = dt.timedelta(seconds=10)
# A seat is held this much longer than the limit, so that no one takes it before the clock has
# submitted the work.
SLACK = dt.timedelta(minutes=10)


def is_time_up(assignment: Assignment, now: dt.datetime) -> bool:
    """Whether the time limit has passed; no rule stops a submission from then on."""
    return assignment.limit_ends_at is not None and now >= assignment.limit_ends_at


def is_grace_over(assignment: Assignment, now: dt.datetime) -> bool:
    """Whether it passed so long ago that nothing more can arrive."""
    return assignment.limit_ends_at is not None and now >= assignment.limit_ends_at + GRACE


def held_until(assignment: Assignment, until: dt.datetime) -> dt.datetime:
    """Return the end of a lease that leaves the person all the time they have."""
    if assignment.limit_ends_at is None:
        return until
    return max(until, assignment.limit_ends_at + SLACK)


def late_seconds(assignment: Assignment, at: dt.datetime | None) -> float:
    """Return how long after the end something came, in seconds; 0 if it came in time."""
    if assignment.limit_ends_at is None or at is None:
        return 0
    return round(max(0.0, (at - assignment.limit_ends_at).total_seconds()), 1)


def time_ended_sentence(assignment: Assignment) -> str:
    """Return what people read whose time has ended."""
    assert assignment.limit_ends_at is not None
    at = timezone.localtime(assignment.limit_ends_at)
    return (
        f"Your time for this question ended at {at:%H:%M}. What was saved by then is submitted; "
        "what came later is kept, but is not part of it."
    )


def check_time_left(assignment: Assignment, now: dt.datetime) -> None:
    """Refuse what would keep the clock from submitting work whose time has ended."""
    if is_time_up(assignment, now):
        raise Conflict(time_ended_sentence(assignment))
