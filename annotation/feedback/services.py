"""The team's feedback on a submission: give it, take it back, mark it as read."""

import datetime as dt

from django.db import IntegrityError, transaction

from accounts.models import User
from annotation.access.work import check_owns
from annotation.core import audit
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.feedback.policies import check_can_give_feedback
from annotation.feedback.queries import feedback_messages
from annotation.protocols import registry as protocols
from annotation.threads.models import Message, Thread
from annotation.threads.services import clean_message

LONGEST = 1000


@transaction.atomic
def give_feedback(
    *, assignment: Assignment, tag: str = "", text: str = "", by: User, now: dt.datetime
) -> Message:
    """Give feedback: a tag, a text, or both. The same quick tag twice counts once."""
    check_can_give_feedback(by, assignment)
    too_long = "Feedback has at most {most:,} characters. This has {length:,}."
    text = clean_message(text, "", most=LONGEST, too_long=too_long)
    if tag and tag not in protocols.protocol_of(assignment.project).feedback_tags:
        raise Conflict("Choose one of the tags.")
    if not tag and not text:
        raise Conflict("Choose a tag or write a line.")
    closed = {"state": Thread.State.CLOSED, "waiting_since": now, "closed_at": now}
    thread, _ = Thread.every.get_or_create(
        assignment=assignment,
        kind=Thread.Kind.FEEDBACK,
        defaults={"project_id": assignment.project_id, **closed},
    )
    try:
        with transaction.atomic():
            feedback = thread.messages.create(
                by_staff=True,
                author=by,
                receiver_id=assignment.user_id,
                tag=tag,
                text=text,
                created_at=now,
            )
    except IntegrityError:
        return thread.messages.get(tag=tag, text="")
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
def take_back(*, feedback: Message, by: User, now: dt.datetime) -> None:
    """Take feedback back before it is read; the log keeps its text."""
    assignment = feedback.thread.assignment
    check_can_give_feedback(by, assignment)
    taken, _ = Message.objects.filter(pk=feedback.pk, read_at__isnull=True).delete()
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
    unread = feedback_messages().filter(thread__assignment=assignment, read_at__isnull=True)
    return unread.filter(pk__lte=seen).update(read_at=now)
