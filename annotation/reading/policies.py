"""When reading is part of the work and is logged."""

import datetime as dt

from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict

_STATE = Assignment.State
# An answer can still come from these: an expired one is accepted late while its seat is free.
LOGGED = frozenset({_STATE.ACTIVE.value, _STATE.PARKED.value, _STATE.EXPIRED.value})
# The browser reports the last page when the person leaves it, after submitting the answer.
LATE_CLOSE = dt.timedelta(minutes=2)
_SENTENCES = {
    _STATE.SUBMITTED: "You have submitted this question, so its log is closed.",
    _STATE.RETURNED: "You gave this question back, so its log is closed.",
    _STATE.SKIPPED: "You skipped this question, so its log is closed.",
}


def is_logged(assignment: Assignment) -> bool:
    """Return whether searches and visits are logged now. Reading is always allowed."""
    return assignment.state in LOGGED or assignment.is_changing


def check_can_log(assignment: Assignment) -> None:
    """Refuse to add to the log of an assignment that has ended."""
    if not is_logged(assignment):
        raise Conflict(_SENTENCES[Assignment.State(assignment.state)])


def check_can_close(assignment: Assignment, now: dt.datetime) -> None:
    """Refuse to add reading time to an assignment that ended a while ago."""
    if assignment.ended_at is None or now - assignment.ended_at > LATE_CLOSE:
        check_can_log(assignment)
