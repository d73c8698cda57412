"""What was said about turns, and what of it is new to whom."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Count, F, Max, Prefetch, Q, QuerySet

from accounts.models import User
from annotation.models import Assignment, Feedback, Message, Thread

NEWS_SHOWN = 5
# The staff side has something new to it, or the author has.
NEW_TO_AUTHOR = Q(staff_wrote_at__isnull=False) & (
    Q(author_read_at__isnull=True) | Q(author_read_at__lt=F("staff_wrote_at"))
)


def on(assignment: Assignment) -> list[Thread]:
    """Return the threads on a turn with their messages, newest thread first. Two queries."""
    return list(
        Thread.objects.filter(assignment=assignment).prefetch_related("messages").order_by("-pk")
    )


def answers_on_parked(assignments: list[Assignment]) -> dict[int, Thread]:
    """Return by assignment the thread asked when it was parked. At most two queries."""
    rows = Thread.objects.filter(
        assignment__in=[each.pk for each in assignments], kind=Thread.Kind.PARK
    ).prefetch_related(Prefetch("messages", Message.objects.filter(by_staff=True)))
    return {thread.assignment_id: thread for thread in rows.order_by("pk")}


@dataclass(frozen=True)
class News:
    """Something new about one submission: how much feedback, and whether the team wrote."""

    assignment: Assignment
    feedback: int
    answered: bool
    at: dt.datetime


def news(user: User) -> list[News]:
    """Return what is new to a person about their work, newest first. Two queries."""
    unread = (
        Feedback.objects.filter(assignment__user=user, read_at__isnull=True)
        .values("assignment")
        .annotate(n=Count("id"), at=Max("created_at"))
        .order_by("-at")[:NEWS_SHOWN]
    )
    found: dict[int, tuple[int, bool, dt.datetime]] = {
        row["assignment"]: (row["n"], False, row["at"]) for row in unread
    }
    answered = (
        Thread.objects.filter(NEW_TO_AUTHOR, assignment__user=user)
        .order_by("-staff_wrote_at")
        .values_list("assignment", "staff_wrote_at")[:NEWS_SHOWN]
    )
    for pk, at in answered:
        assert at is not None  # NEW_TO_AUTHOR
        count, _, before = found.get(pk, (0, False, at))
        found[pk] = (count, True, max(at, before))
    if not found:
        return []
    turns = Assignment.objects.select_related("task__question", "project").in_bulk(found)
    rows = [News(turns[pk], *facts) for pk, facts in found.items()]
    return sorted(rows, key=lambda row: row.at, reverse=True)[:NEWS_SHOWN]


def waiting(project_id: int) -> int:
    """Return how many threads of a project wait for the team."""
    return Thread.objects.filter(project=project_id, state=Thread.State.OPEN).count()


def of_project(project_id: int) -> QuerySet[Thread]:
    """Return the threads of a project with what a list of them shows."""
    return Thread.objects.filter(project=project_id).select_related(
        "assignment__task__question", "assignment__user"
    )
