"""What follows a submission: the tasks of later stages. A stamp says that it was done."""

import datetime as dt
import logging

from django.db import transaction

from annotation import stages
from annotation.models import Assignment
from annotation.services import tasks

log = logging.getLogger(__name__)
# Left alone this long, a submission without a stamp was left behind by a worker that died.
GRACE = dt.timedelta(minutes=1)


def follows(protocol: str, stage: str) -> bool:
    """Say whether any other stage is to be asked after a submission of this one."""
    return any(other.key != stage for other in stages.of_protocol(protocol))


def hand_over(*, assignment: Assignment, now: dt.datetime) -> bool:
    """Ask the other stages for the tasks that are ready now, and stamp the submission.

    A stage that fails takes nothing of the submission with it: no stamp is set, and the sweep
    tries again. Returns whether it was done.
    """
    try:
        with transaction.atomic():
            tasks.open_next(
                question=assignment.task.question,
                protocol=assignment.project.protocol,
                done=assignment.stage,
                now=now,
            )
            Assignment.objects.filter(
                pk=assignment.pk, state=Assignment.State.SUBMITTED, handed_over_at__isnull=True
            ).update(handed_over_at=now)
    except Exception:
        # Whatever a later stage's code raises: the person's work is in, and the log says why.
        log.exception("Handing over assignment %s failed; the sweep tries again.", assignment.pk)
        return False
    assignment.handed_over_at = now
    return True


def sweep(now: dt.datetime, limit: int = 500) -> int:
    """Hand over submissions that nobody stamped within a minute; return how many were done.

    Safe to run beside itself and beside submissions: each is locked, and passed over where
    somebody else holds it.
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
                done += hand_over(assignment=assignment, now=now)
    return done
