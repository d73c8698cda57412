"""After a submission, make the tasks of later stages; a stamp says that it was done."""

import datetime as dt
import logging

from django.db import transaction

from annotation.core.models.work import Assignment
from annotation.stages import registry as stages
from annotation.work import tasks

log = logging.getLogger(__name__)
# A submission without a stamp for this long was left behind by a worker that died.
GRACE = dt.timedelta(minutes=1)


def has_next_stage(protocol: str, state: str, *, done: str) -> bool:
    """Return whether stages other than the one that was done open in this state."""
    return any(
        stage.opens_in == state and stage.key != done for stage in stages.of_protocol(protocol)
    )


def hand_over(*, assignment: Assignment, state: str, now: dt.datetime) -> bool:
    """Make the tasks of the stages that open in this state of the question, and set the stamp.

    A stage that fails does not affect the submission: the stamp is removed, and the sweep tries
    again. Returns whether it succeeded.
    """
    question = assignment.task.question
    question.state = state
    try:
        with transaction.atomic():
            tasks.open_next(
                question=question,
                protocol=assignment.project.protocol,
                done=assignment.stage,
                now=now,
            )
    except Exception:
        # Whatever a later stage's code raises, the submission is saved, and the log has the error.
        log.exception("Handing over assignment %s failed; the sweep tries again.", assignment.pk)
        _stamp(assignment, None)
        return False
    if assignment.handed_over_at is None:
        _stamp(assignment, now)
    return True


def _stamp(assignment: Assignment, at: dt.datetime | None) -> None:
    submitted = Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.SUBMITTED)
    submitted.update(handed_over_at=at)
    assignment.handed_over_at = at


def hand_over_missed(now: dt.datetime, limit: int = 500) -> int:
    """Hand over submissions that got no stamp within a minute; return how many were done.

    Safe to run at the same time as submissions and other sweeps: each submission is locked, and
    skipped while someone else holds the lock.
    """
    left = Assignment.objects.filter(
        state=Assignment.State.SUBMITTED,
        handed_over_at__isnull=True,
        submitted_at__lte=now - GRACE,
    )
    done = 0
    for pk in list(left.order_by("submitted_at").values_list("pk", flat=True)[:limit]):
        with transaction.atomic():
            assignment = (
                left.select_for_update(skip_locked=True, of=("self",), no_key=True)
                .select_related("task__question", "project")
                .filter(pk=pk)
                .first()
            )
            if assignment is not None:
                state = assignment.task.question.state
                done += hand_over(assignment=assignment, state=state, now=now)
    return done
