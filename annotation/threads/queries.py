"""Threads about assignments, and which messages are new to whom."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from accounts.models import User
from annotation.core.models.work import Assignment
from annotation.threads.models import Message, Thread

NEWS_SHOWN = 5
_MOST = 100


def list_threads(assignment: Assignment) -> list[Thread]:
    """Return the threads on an assignment with their messages, newest first. Two queries."""
    return list(
        Thread.objects.filter(assignment=assignment).prefetch_related("messages").order_by("-pk")
    )


@dataclass
class News:
    """News about one submission: the newest, whether there is feedback, whether the team wrote."""

    assignment: Assignment
    at: dt.datetime
    feedback: bool = False
    answered: bool = False


def list_thread_news(user: User) -> tuple[list[News], dict[int, Thread]]:
    """Return a person's news, newest first, and their questions by parked assignment.

    At most three queries: parked work, the team's messages in it, unread messages.
    """
    parked = Thread.objects.filter(
        kind=Thread.Kind.PARK, assignment__user=user, assignment__state=Assignment.State.PARKED
    )
    answers = Prefetch("messages", Message.objects.filter(by_staff=True))
    asked = {row.assignment_id: row for row in parked.prefetch_related(answers).order_by("pk")}
    unread = Message.objects.filter(receiver=user, read_at__isnull=True).select_related(
        "thread__assignment__task__question", "thread__assignment__project"
    )
    news: dict[int, News] = {}
    for message in unread.order_by("-created_at", "-pk")[:_MOST]:
        turn = message.thread.assignment
        found = news.setdefault(turn.pk, News(turn, message.created_at))
        found.feedback |= message.thread.kind == Thread.Kind.FEEDBACK
        found.answered |= message.thread.kind != Thread.Kind.FEEDBACK
    return list(news.values())[:NEWS_SHOWN], asked


def count_waiting(project_id: int) -> int:
    """Return the number of threads of a project that wait for the team."""
    return Thread.objects.filter(project=project_id, state=Thread.State.OPEN).count()


def of_project(project_id: int) -> QuerySet[Thread]:
    """Return the threads of a project, with the relations that their list needs.

    `is_new`: their author has written what the team has not read.
    """
    unread = Message.objects.filter(thread=OuterRef("pk"), by_staff=False, read_at__isnull=True)
    return (
        Thread.objects.filter(project=project_id)
        .annotate(is_new=Exists(unread))
        .select_related("assignment__task__question", "assignment__user")
    )
