"""The minimum of tasks per person and week that a project can ask for (A59).

A week is the last seven days. Gold items count, as they look like other work; no one is put out.
"""

import datetime as dt
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, QuerySet

from accounts.models import User
from annotation.consent.policies import WORKING_ROLES
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.people.statements import MEDIAN_SECONDS

WEEK = dt.timedelta(days=7)
TIMED_DAYS = 28
FULL_TIME = 40


@dataclass(frozen=True)
class WeeklyMinimum:
    """What a project asks for in a week, and the median active time of a task there, if known.

    done: how many tasks somebody did in the last seven days.
    """

    project: Project
    seconds: float | None
    done: int = 0

    @property
    def tasks(self) -> int:
        """The minimum."""
        return self.project.weekly_minimum

    @property
    def hours(self) -> float | None:
        """How many hours it takes at the median time."""
        return None if self.seconds is None else self.tasks * self.seconds / 3600

    @property
    def is_too_much(self) -> bool:
        """Whether it takes longer than a full-time week."""
        return self.hours is not None and self.hours > FULL_TIME

    @property
    def line(self) -> str:
        """What the project asks for, as a sentence for the people who work there."""
        tasks = "1 task" if self.tasks == 1 else f"{self.tasks:,} tasks"
        asks = f"This project asks for at least {tasks} a week from each person"
        if self.hours is None:
            return f"{asks}."
        return f"{asks}. At the median time this takes {self.hours_words}."

    @property
    def hours_words(self) -> str:
        """The hours in words, such as about 5 hours."""
        assert self.hours is not None
        if self.hours < 1:
            return "less than an hour"
        hours = round(self.hours)
        return f"about {hours} hour{'' if hours == 1 else 's'}"


def find_minimum(project: Project, *, now: dt.datetime) -> WeeklyMinimum | None:
    """Return what a project asks for; None where it asks for nothing. At most one query."""
    if not project.weekly_minimum:
        return None
    seconds = _find_median_seconds([project.pk], now).get(project.pk)
    return WeeklyMinimum(project, seconds)


def list_own_minimums(
    user: User, projects: Iterable[Project], *, now: dt.datetime
) -> list[WeeklyMinimum]:
    """Return what those of some projects that ask for a minimum ask for, with what the person did.

    By title. At most two queries, none where no project asks.
    """
    asking = {project.pk: project for project in projects if project.weekly_minimum}
    if not asking:
        return []
    rows = _submitted(asking, now - WEEK).filter(user=user).order_by().values_list("project")
    done = dict(rows.annotate(n=Count("pk")))
    seconds = _find_median_seconds(asking, now)
    return [
        WeeklyMinimum(project, seconds.get(project.pk), done.get(project.pk, 0))
        for project in sorted(asking.values(), key=lambda project: (project.title, project.pk))
    ]


def list_people_below(project: Project, *, now: dt.datetime) -> frozenset[int]:
    """Return who works here for a week or longer and did less than the minimum in the last seven
    days. Two queries, none where no minimum is asked for.
    """
    if not project.weekly_minimum:
        return frozenset()
    members = Membership.objects.filter(
        project=project, role__in=WORKING_ROLES, paused_at=None, created_at__lte=now - WEEK
    )
    rows = _submitted([project.pk], now - WEEK).order_by().values_list("user")
    done = dict(rows.annotate(n=Count("pk")))
    return frozenset(
        user
        for user in members.values_list("user", flat=True)
        if done.get(user, 0) < project.weekly_minimum
    )


def _submitted(projects: Collection[int], since: dt.datetime) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        project__in=projects, state=Assignment.State.SUBMITTED, submitted_at__gte=since
    )


def _find_median_seconds(projects: Collection[int], now: dt.datetime) -> dict[int, float]:
    """Return the median active time of the last weeks' submissions by project. One query."""
    values: dict[str, Any] = {
        "projects": list(projects),
        "since": now - dt.timedelta(days=TIMED_DAYS),
    }
    with connection.cursor() as cursor:
        cursor.execute(MEDIAN_SECONDS, values)
        return dict(cursor.fetchall())
