"""The team's feedback on a submission: give it, take it back, mark it as read."""

import datetime as dt

from django.db import IntegrityError, transaction

from accounts.models import User
from annotation.access.work import check_owns
from annotation.core import audit
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.feedback.models import Feedback
from annotation.feedback.policies import check_can_give_feedback
from annotation.protocols import registry as protocols

LONGEST = 1000


@transaction.atomic
def give_feedback(
    *, assignment: Assignment, tag: str = "", text: str = "", by: User, now: dt.datetime
) -> Feedback:
    """Give feedback: a tag, a text, or both. The same quick tag twice counts once."""
    check_can_give_feedback(by, assignment)
    text = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if len(text) > LONGEST:
        raise Conflict(f"Feedback has at most {LONGEST:,} characters. This has {len(text):,}.")
    if tag and tag not in protocols.protocol_of(assignment.project).feedback_tags:
        raise Conflict("Choose one of the tags.")
    if not tag and not text:
        raise Conflict("Choose a tag or write a line.")
    try:
        with transaction.atomic():
            feedback = Feedback.objects.create(
                assignment=assignment, tag=tag, text=text, given_by=by, created_at=now
            )
    except IntegrityError:
        return Feedback.objects.get(assignment=assignment, tag=tag, text="")
    audit.record_action(
        "feedback_given",
        assignment,
        by=by,
        now=now,
        project=assignment.project_id,
        tag=tag,
        text=text,
    )
    return feedback


@transaction.atomic
def take_back(*, feedback: Feedback, by: User, now: dt.datetime) -> None:
    """Take feedback back before it is read; the log keeps its text."""
    assignment = feedback.assignment
    check_can_give_feedback(by, assignment)
    taken, _ = Feedback.objects.filter(pk=feedback.pk, read_at__isnull=True).delete()
    if not taken:
        raise Conflict("This feedback was read. Write a line that corrects it.")
    audit.record_action(
        "feedback_taken_back",
        assignment,
        by=by,
        now=now,
        project=assignment.project_id,
        tag=feedback.tag,
        text=feedback.text,
    )


def mark_read(*, assignment: Assignment, seen: int, by: User, now: dt.datetime) -> int:
    """Note that the receiver has read feedback up to the id `seen`; return how many were new.

    Feedback given after the page was made is still new.
    """
    check_owns(by, assignment)
    unread = Feedback.objects.filter(assignment=assignment, read_at__isnull=True, pk__lte=seen)
    return unread.update(read_at=now)
