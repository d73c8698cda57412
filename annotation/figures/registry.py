"""Which reports there are, and the panels of each. Nothing here computes, or imports what does."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar, cast

from django.utils.module_loading import import_string

from accounts.models import User
from annotation.core.models.projects import Project
from annotation.extensions.registry import all_extensions
from annotation.figures.filters import ALL, Filters, Name
from annotation.figures.panel import Panel
from annotation.figures.readers import MANAGERS, Readers
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature

Read = TypeVar("Read")


@dataclass(frozen=True)
class Request:
    """What a panel is computed from: a project, filters, the time.

    `once` keeps what several panels of a report read, so that it is read once.
    """

    project: Project
    filters: Filters
    now: datetime
    _read: dict[Callable[["Request"], Any], Any] = field(default_factory=dict)

    def once(self, read: Callable[["Request"], Read]) -> Read:
        """Return what `read` gives for this request, calling it the first time only."""
        if read not in self._read:
            self._read[read] = read(self)
        return cast(Read, self._read[read])


Compute = Callable[[Request], Panel]


@dataclass(frozen=True)
class Entry:
    """A panel before it is computed. `compute` is the dotted path of its function.

    filters: those that the function looks at; where another one is set, the page says that the
    panel does not follow it. needs: only projects whose protocol has this feature have it.
    protocol: only projects of this protocol have it.
    """

    key: str
    title: str
    compute: str
    filters: tuple[Name, ...] = ALL
    needs: Feature | None = None
    protocol: str = ""

    def panel(self, request: Request) -> Panel:
        """Compute the panel."""
        return cast(Compute, import_string(self.compute))(request)

    def fits(self, project: Project) -> bool:
        """Whether a project has this panel."""
        protocol = protocols.protocol_of(project)
        return self.protocol in ("", protocol.key) and (
            self.needs is None or protocol.has_feature(self.needs)
        )


@dataclass(frozen=True)
class Report:
    """A page of panels, in their order, and who reads it. `filters` are the fields of its form."""

    key: str
    label: str
    lead: str
    filters: tuple[Name, ...]
    panels: tuple[Entry, ...]
    readers: Readers = MANAGERS

    def entries(self, project: Project) -> list[Entry]:
        """Return the panels that a project has."""
        return [entry for entry in self.panels if entry.fits(project)]


@dataclass(frozen=True)
class ReportPanels:
    """Panels that a room adds to a report of a room below, which has the key `report`."""

    report: str
    panels: tuple[Entry, ...]


def list_reports(project: Project, user: User | None = None) -> list[Report]:
    """Return the reports that have panels for a project; with a user, those for them to read."""
    reports = [report for report in all_reports() if report.entries(project)]
    if user is None:
        return reports
    every = {report.readers for report in reports}  # each costs a query
    allowed = {readers for readers in every if readers.include(user, project)}
    return [report for report in reports if report.readers in allowed]


def find_report(project: Project, key: str) -> Report | None:
    """Return a report of a project by its key; None where it has no such report."""
    return next((report for report in list_reports(project) if report.key == key), None)


def find_readers(key: str) -> Readers:
    """Return who reads a report; where there is none, who may find that out."""
    known = (report.readers for report in all_reports() if report.key == key)
    return next(known, MANAGERS)


def all_reports() -> list[Report]:
    """Return every report with the panels that rooms above its own add to it."""
    extensions = all_extensions()
    return [
        replace(report, panels=(*report.panels, *_added_to(report, extensions.report_panels)))
        for report in extensions.reports
    ]


def _added_to(report: Report, added: Iterable[ReportPanels]) -> Iterator[Entry]:
    for each in added:
        if each.report == report.key:
            yield from each.panels
