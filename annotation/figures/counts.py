"""Figures that take long to count in large projects: counted by the worker, shown with their age.

Small projects have no stored figures: theirs are counted when they are asked for. ADR 25 says why.
"""

import datetime as dt
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from django.db import IntegrityError, connection, transaction

from annotation import registration
from annotation.core.data_state import data_state
from annotation.core.models.projects import Project
from annotation.figures.models import StoredFigures
from annotation.figures.statements import LARGE_PROJECTS, LOCK_PROJECT

OVERVIEW = "overview"
MONITORING = "monitoring"
PAGES_READ = "pages_read"
PAY = "pay"
CONTEXTS = "contexts"
GOLDS = "golds"
# From this number of questions or of assignments on, a project is large.
LARGE = (5_000, 20_000)
# Figures that somebody looked at are counted again after a minute, or after a time in which
# counting them takes a twentieth of a processor; others, only so that nobody sees very old ones.
SOON = dt.timedelta(minutes=1)
SHARE = 20
LATER = dt.timedelta(hours=1)
# Some figures change with the day alone, such as the pace of the last week.
ANYWAY = dt.timedelta(days=1)

# The first half of the number of an advisory lock; the second is the project.
_LOCK = 25

Count = Callable[[Project, dt.datetime], Any]
_reports: dict[str, dict[str, Count]] = {}


def register_part(report: str, part: str, count: Count) -> None:
    """Add a part to a report: a function that counts it, as a value that JSON can hold."""
    _reports.setdefault(report, {})[part] = count


def load_figures(projects: Iterable[Project], report: str, *, now: dt.datetime) -> None:
    """Give projects their stored figures of a report, and ask for newer ones.

    One query, and one more at the first look since they were counted.
    """
    by_id = {project.pk: project for project in projects}
    rows = list(StoredFigures.objects.filter(project__in=by_id, report=report, filters=""))
    for row in rows:
        by_id[row.project_id].__dict__.setdefault("_figures", {})[report] = row
    if stale := [row.pk for row in rows if row.asked_at is None or row.asked_at <= row.counted_at]:
        StoredFigures.objects.filter(pk__in=stale).update(asked_at=now)


def delete_figures(project: Project, report: str) -> None:
    """Drop the stored figures of a report: they are counted on the spot until the worker has."""
    StoredFigures.objects.filter(project=project, report=report).delete()


def counted_at(project: Project, report: str) -> dt.datetime | None:
    """Return when the figures at hand were counted; None where they are counted on the spot."""
    row = project.__dict__.get("_figures", {}).get(report)
    return row.counted_at if row else None


def find_stored_part(project: Project, report: str, part: str) -> Any:
    """Return a part of the figures at hand; None where it has to be counted on the spot."""
    row = project.__dict__.get("_figures", {}).get(report)
    return row.figures.get(part) if row else None


def list_large_projects() -> list[Project]:
    """Return the projects that have stored figures. Two queries."""
    with connection.cursor() as cursor:
        cursor.execute(LARGE_PROJECTS, [most for most in LARGE for _ in range(2)])
        ids = [row[0] for row in cursor.fetchall()]
    return list(Project.objects.filter(pk__in=ids).order_by("pk"))


def renew_due(*, now: dt.datetime) -> int:
    """Count the figures of large projects that are out of date; return the number of reports."""
    registration.EXTENSIONS.make()
    return sum(
        renew_report(project=project, report=report, now=now)
        for project in list_large_projects()
        for report in _reports
    )


@transaction.atomic
def renew_report(*, project: Project, report: str, now: dt.datetime) -> bool:
    """Count a report again if it is due and nobody else is at it; return whether it was."""
    registration.EXTENSIONS.make()
    # Not a lock of the row, which would make people who look at the old figures wait.
    with connection.cursor() as cursor:
        cursor.execute(LOCK_PROJECT, [_LOCK, project.pk % 2**31])
        if not cursor.fetchone()[0]:
            return False
    row = StoredFigures.objects.filter(project=project, report=report, filters="").first()
    state = data_state(project)
    if row is not None and not _due(row, state, now):
        return False
    # A project object of its own: what is stored must not be counted from what was stored.
    fresh, started = Project.objects.get(pk=project.pk), time.perf_counter()
    figures = {part: count(fresh, now) for part, count in _reports[report].items()}
    store_figures(
        StoredFigures(
            project=project,
            report=report,
            figures=figures,
            data_state=state,
            seconds=time.perf_counter() - started,
            counted_at=now,
        )
    )
    return True


def store_figures(computed: StoredFigures) -> bool:
    """Store figures in place of earlier ones; return whether there were no newer ones."""
    place = ("project_id", "report", "subject", "filters")
    row = StoredFigures.objects.filter(**{name: getattr(computed, name) for name in place})
    written = ("figures", "data_state", "seconds", "counted_at")
    values = {name: getattr(computed, name) for name in written}
    if row.filter(counted_at__lte=computed.counted_at).update(**values):
        return True
    with suppress(IntegrityError), transaction.atomic():
        computed.save(force_insert=True)
        return True
    return False


def _due(row: StoredFigures, state: str, now: dt.datetime) -> bool:
    age = now - row.counted_at
    asked = row.asked_at is not None and row.asked_at > row.counted_at
    if row.data_state == state:
        return age > ANYWAY
    return age > (max(SOON, dt.timedelta(seconds=SHARE * row.seconds)) if asked else LATER)
