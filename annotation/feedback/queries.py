"""Feedback: the team's messages in the closed thread of a submission."""

from collections.abc import Sequence

from django.db.models import QuerySet

from accounts import prepared_statements
from accounts.models import User
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.feedback.statements import NEWEST_FEEDBACK
from annotation.threads.models import Message, Thread


def feedback_messages() -> QuerySet[Message]:
    """Return all feedback."""
    return Message.objects.filter(thread__kind=Thread.Kind.FEEDBACK)


def attach_feedback(turns: Sequence[Assignment]) -> None:
    """Give each turn the feedback on it, as `feedback_on`. One query."""
    found: dict[int, list[Message]] = {turn.pk: [] for turn in turns}
    rows = feedback_messages().filter(thread__assignment__in=found)
    for message in rows.select_related("author", "thread").order_by("pk"):
        found[message.thread.assignment_id].append(message)
    for turn in turns:
        turn.feedback_on = found[turn.pk]  # type: ignore[attr-defined]


def last_for(user: User, project: Project) -> Message | None:
    """Return the newest feedback on the person's work in a project, with its question.

    The author is not loaded: the receiver only reads that it comes from the team. One query where
    there is none, else two.
    """
    ((newest,),) = prepared_statements.fetch_rows(
        NEWEST_FEEDBACK, {"user": user.pk, "project": project.pk}
    )
    if newest is None:
        return None
    return Message.objects.select_related("thread__assignment__task__question").get(pk=newest)
