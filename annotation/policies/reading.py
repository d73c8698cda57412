"""When reading belongs to the work and is logged."""

import datetime as dt

from annotation.models import Assignment
from annotation.policies.base import Conflict

_STATE = Assignment.State
# An answer can still come from these: an expired one is accepted late while its seat is free.
LOGGED = frozenset({_STATE.ACTIVE.value, _STATE.PARKED.value, _STATE.EXPIRED.value})
# The browser reports the last page when it is left, which is after the answer was submitted.
LATE_CLOSE = dt.timedelta(minutes=2)
_SENTENCES = {
    _STATE.SUBMITTED: "You have submitted this question, so its log is closed.",
    _STATE.RETURNED: "You gave this question back, so its log is closed.",
    _STATE.SKIPPED: "You skipped this question, so its log is closed.",
}


def is_logged(assignment: Assignment) -> bool:
    """Whether what is searched and read now belongs to the answer. Reading itself is free."""
    return assignment.state in LOGGED


def check_can_log(assignment: Assignment) -> None:
    """Refuse to add to the log of work that is done."""
    if not is_logged(assignment):
        raise Conflict(_SENTENCES[Assignment.State(assignment.state)])


def check_can_close(assignment: Assignment, now: dt.datetime) -> None:
    """Refuse to add reading time to work that was done a while ago."""
    if assignment.ended_at is None or now - assignment.ended_at > LATE_CLOSE:
        check_can_log(assignment)
