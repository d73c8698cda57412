"""Threads about assignments, and which messages are new to whom."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import F, Prefetch, Q, QuerySet

from accounts.models import User
from annotation.core.models.work import Assignment
from annotation.feedback.models import Feedback
from annotation.threads.models import Message, Thread

NEWS_SHOWN = 5
_MOST = 100
# Conditions for threads with news for the team, or for the author.
NEW_TO_AUTHOR = Q(staff_wrote_at__isnull=False) & (
    Q(author_read_at__isnull=True) | Q(author_read_at__lt=F("staff_wrote_at"))
)


def list_threads(assignment: Assignment) -> list[Thread]:
    """Return the threads on an assignment with their messages, newest first. Two queries."""
    return list(
        Thread.objects.filter(assignment=assignment).prefetch_related("messages").order_by("-pk")
    )


@dataclass(frozen=True)
class News:
    """News about one submission: whether there is feedback, and whether the team wrote."""

    assignment: Assignment
    feedback: bool
    answered: bool
    at: dt.datetime


def list_thread_news(user: User) -> tuple[list[News], dict[int, Thread]]:
    """Return a person's news, newest first, and their questions by parked assignment.

    At most three queries: threads, the team's messages in them, feedback.
    """
    parked = Q(kind=Thread.Kind.PARK, assignment__state=Assignment.State.PARKED)
    rows = list(
        Thread.objects.filter(NEW_TO_AUTHOR | parked, assignment__user=user)
        .select_related("assignment__task__question", "assignment__project")
        .prefetch_related(Prefetch("messages", Message.objects.filter(by_staff=True)))
        .order_by("-pk")[:_MOST]
    )
    asked = {
        thread.assignment_id: thread
        for thread in reversed(rows)
        if thread.kind == Thread.Kind.PARK and thread.assignment.state == Assignment.State.PARKED
    }
    news_by_id: dict[int, News] = {}
    for thread in rows:
        at, read = thread.staff_wrote_at, thread.author_read_at
        if at and (read is None or read < at):
            before = news_by_id.get(thread.assignment_id)
            newest = max(at, before.at) if before else at
            news_by_id[thread.assignment_id] = News(thread.assignment, False, True, newest)
    for feedback in _unread_feedback(user):
        before = news_by_id.get(feedback.assignment_id)
        at = max(feedback.created_at, before.at) if before else feedback.created_at
        news_by_id[feedback.assignment_id] = News(
            feedback.assignment, True, bool(before and before.answered), at
        )
    news = sorted(news_by_id.values(), key=lambda row: row.at, reverse=True)
    return news[:NEWS_SHOWN], asked


def _unread_feedback(user: User) -> list[Feedback]:
    unread = Feedback.objects.filter(assignment__user=user, read_at__isnull=True)
    turns = unread.select_related("assignment__task__question", "assignment__project")
    return list(turns.order_by("-pk")[:_MOST])


def count_waiting(project_id: int) -> int:
    """Return the number of threads of a project that wait for the team."""
    return Thread.objects.filter(project=project_id, state=Thread.State.OPEN).count()


def of_project(project_id: int) -> QuerySet[Thread]:
    """Return the threads of a project, with the relations that their list needs."""
    return Thread.objects.filter(project=project_id).select_related(
        "assignment__task__question", "assignment__user"
    )
