"""Visits to pages: of one assignment, for staff; and the figure of pages read (A72, Fig. 2a)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from annotation.core.models.projects import Project
from annotation.core.models.questions import Split
from annotation.core.models.work import Event
from annotation.figures import counts as stored_counts
from annotation.figures.counts import PAGES_READ
from annotation.reading.statements import COUNTED_VISITS, NAMED_TITLES
from annotation.stages import registry as stages
from wikipedia.models import ShownPage

K = Event.Kind
# AmbigQA logged the results that were clicked, but not pages reached by links.
COUNTED_VIAS = ("search", "title")


@dataclass
class Visit:
    """A page that was opened in an assignment, with the time it was visible."""

    event: Event
    milliseconds: int = 0
    depth: int = 0

    @property
    def data(self) -> dict[str, Any]:
        """The event's data."""
        return dict(self.event.data)

    @property
    def seconds(self) -> int:
        """Visible time in whole seconds."""
        return round(self.milliseconds / 1000)


def visits_of(assignments: Iterable[int]) -> dict[int, list[Visit]]:
    """Return the visits of each of these assignments, in order. One query."""
    rows = Event.objects.filter(
        assignment__in=list(assignments), kind__in=(K.PAGE_OPEN, K.PAGE_CLOSE)
    ).order_by("id")
    by_assignment: dict[int, list[Visit]] = {}
    visits: dict[int, Visit] = {}
    for event in rows:
        if event.kind == K.PAGE_OPEN:
            visits[event.pk] = Visit(event)
            by_assignment.setdefault(event.assignment_id, []).append(visits[event.pk])
        elif visit := visits.get(event.data["page_open"]):
            visit.milliseconds += event.data["dwell_ms"]
            visit.depth = max(visit.depth, event.data["depth"])
    return by_assignment


def shown_in(visit: Visit, project: Project) -> ShownPage | None:
    """Return the page as stored when the visit began, None if it was not stored."""
    data = visit.data
    pages = ShownPage.objects.filter(snapshot=project.snapshot_id)
    if data.get("shown"):
        return pages.filter(pk=data["shown"]).first()
    # Logged before whole pages were stored; there is at least a hash of the text.
    same = pages.filter(path=data["path"], text_sha256=data.get("text_sha256", ""))
    return same.order_by("id").first()


@dataclass(frozen=True)
class PagesRead:
    """The distribution of pages read per submission (or question).

    Both fields map a number of unique pages to the number of submissions: `as_counted` with
    the pages opened from search results, which is what AmbigQA could see, `all` with every page. A
    page counts once under whatever redirect it was opened.
    """

    as_counted: dict[int, int] = field(default_factory=dict)
    all: dict[int, int] = field(default_factory=dict)


UNITS = {"annotation": "s.id", "question": "q.id"}


def pages_read(project: Project, *, per: str, split: Split | str | None = None) -> PagesRead:
    """Return the figure over submissions in use: `per` "annotation", or "question".

    Per question, the pages of everyone who answered it count together, each once. At most one
    query.
    """
    figure = PagesRead()
    rows = stored_counts.find_stored_part(project, PAGES_READ, per)
    for part, from_search, pages, number in _counted(project, per) if rows is None else rows:
        if split in (None, part):
            figure.as_counted[from_search] = figure.as_counted.get(from_search, 0) + number
            figure.all[pages] = figure.all.get(pages, 0) + number
    return PagesRead(dict(sorted(figure.as_counted.items())), dict(sorted(figure.all.items())))


def _counted(project: Project, per: str) -> list[tuple[str, int, int, int]]:
    values: dict[str, Any] = {
        "vias": list(COUNTED_VIAS),
        "project": project.pk,
        "stages": stages.list_writing_stages(project),
    }
    with connection.cursor() as cursor:
        cursor.execute(COUNTED_VISITS.format(unit=UNITS[per]), values)
        return list(cursor.fetchall())


stored_counts.register_part(
    PAGES_READ, "annotation", lambda project, now: _counted(project, "annotation")
)
stored_counts.register_part(
    PAGES_READ, "question", lambda project, now: _counted(project, "question")
)


def pages_named(project: Project, *, split: str | None = None) -> list[str]:
    """Return the titles that the imported questions name as read or as their source, each once."""
    with connection.cursor() as cursor:
        cursor.execute(NAMED_TITLES, {"project": project.pk, "split": split})
        return [title for (title,) in cursor.fetchall()]
