"""News since a person last looked: listed on home, counted in the top bar.

Threads, feedback and concerns count as read once they are opened; everything else once the list on
home was shown (`User.news_read_at`).
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.urls import reverse

from accounts.models import User
from annotation.access.projects import STAFF
from annotation.core.models.people import Invitation, Membership
from annotation.core.models.projects import Guideline, Project
from annotation.core.models.work import Assignment
from annotation.extensions.registry import all_extensions
from annotation.long_answers.concerns.models import Concern
from annotation.news.statements import COUNT_NEWS
from annotation.people import queries as people_queries
from annotation.qualifications.models import Qualified
from annotation.threads.queries import News as Told

DAYS = 14
MOST = 100


@dataclass(frozen=True)
class NewsItem:
    """One line of the list. quote: what someone wrote; detail: where."""

    icon: str
    title: str
    url: str
    detail: str
    at: dt.datetime
    unread: bool
    quote: str = ""


def get_news_start(user: User, now: dt.datetime) -> dt.datetime:
    """Return the time after which things are new to a person."""
    return max(user.news_read_at or user.date_joined, now - dt.timedelta(days=DAYS))


def count_unread(user: User, *, now: dt.datetime) -> int:
    """Return the number of new things for a person. One query, run on each of their pages."""
    values: dict[str, Any] = {
        "user": user.pk,
        "since": get_news_start(user, now),
        "staff": sorted(STAFF),
        "everywhere": user.is_superuser,
        "decided": [Concern.State.UPHELD.value, Concern.State.DISMISSED.value],
    }
    with connection.cursor() as cursor:
        cursor.execute(
            " + ".join([COUNT_NEWS, *(f"({each.count.string})" for each in all_extensions().news)]),
            values,
        )
        return int(cursor.fetchone()[0])


def list_news(
    user: User,
    *,
    now: dt.datetime,
    parked: Iterable[Assignment],
    told: Iterable[Told],
    concerns: Iterable[Concern],
    accepted: Iterable[Qualified],
    guidelines: Iterable[Guideline],
) -> list[NewsItem]:
    """Return the news of the last two weeks, newest first: two queries, and one for results."""
    new, from_ = get_news_start(user, now), now - dt.timedelta(days=DAYS)
    news = []
    joined = Membership.objects.filter(user=user, created_at__gt=from_).exclude(role__in=STAFF)
    running = joined.exclude(project__state=Project.State.ARCHIVED)
    if rows := list(running.select_related("project").order_by("-created_at", "-pk")):
        news.append(_joined(rows, new))
    for turn in parked:
        if (at := turn.returned_at) is not None:
            url = reverse("work-page", args=[turn.pk])
            title = "The team returned your work"
            news.append(NewsItem("undo", title, url, _about(turn), at, at > new))
    for each in told:
        turn, url = each.assignment, reverse("submission-view", args=[each.assignment.pk])
        title = "The team has written to you" if each.answered else "Feedback on your answer"
        if each.answered and each.feedback:
            title = "The team has written to you, with feedback on your answer"
        news.append(NewsItem("chat", title, url, _about(turn), each.at, unread=True))
    for concern in concerns:
        title = f"Your concern: {concern.get_state_display().lower()}"
        url = reverse("work-concern", args=[concern.assignment_id])
        at, quote = concern.decided_at or now, concern.note
        detail = f"{concern.question.prompt} · {concern.question.project.title}"
        news.append(NewsItem("flag", title, url, detail, at, unread=True, quote=quote))
    for held in accepted:
        title = f"You are accepted: {held.qualification.title}"
        url = reverse("attempt-view", args=[held.attempt_id])
        detail, at = held.qualification.project.title, held.given_at
        news.append(NewsItem("check", title, url, detail, at, at > new))
    for guideline in guidelines:
        if guideline.version > 1 and guideline.project.state != Project.State.ARCHIVED:
            title = f"New guidelines in {guideline.project.title}: version {guideline.version}"
            url = reverse("project-guidelines", args=[guideline.project.slug])
            at = guideline.created_at
            news.append(NewsItem("book", title, url, "", at, at > new))
    for invitation in people_queries.list_answers(user, since=from_):
        news.append(_answered(invitation, new))
    for source in all_extensions().news:
        for result in source.results(user, from_):
            url = reverse("submission-view", args=[result.assignment.pk])
            title, at = f"Result: {result.label.lower()}", result.at
            news.append(NewsItem("check", title, url, _about(result.assignment), at, at > new))
    return sorted(news, key=lambda each: (each.unread, each.at), reverse=True)[:MOST]


def _joined(rows: Sequence[Membership], new: dt.datetime) -> NewsItem:
    """Return one line about all projects that somebody joined, the latest first."""
    names = [f"{row.project.title} as {row.get_role_display().lower()}" for row in rows]
    at, [project, *others] = rows[0].created_at, dict.fromkeys(row.project for row in rows)
    if not others:
        title, url = (
            f"You have joined {', '.join(names)}",
            reverse("project-start", args=[project.slug]),
        )
        return NewsItem("people", title, url, "", at, at > new)
    title = f"You have joined {len(others) + 1} projects"
    return NewsItem("people", title, reverse("project-list"), ", ".join(names), at, at > new)


def _answered(invitation: Invitation, new: dt.datetime) -> NewsItem:
    """Return the line about an invitation that was declined, or whose link is asked for."""
    project, url = invitation.project, reverse("project-people", args=[invitation.project.slug])
    if at := invitation.declined_at:
        title, detail = f"Your invitation to {project.title} was declined", invitation.role_names
        return NewsItem("mail", title, url, detail, at, at > new)
    asked = invitation.renewal_asked_at or invitation.expires_at
    title = f"{invitation.email} asks for a new link to {project.title}"
    return NewsItem("mail", title, url, invitation.role_names, asked, asked > new)


def _about(turn: Assignment) -> str:
    return f"{turn.task.question.prompt} · {turn.project.title}"
