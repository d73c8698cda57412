"""The stored figures of a report: how old they are, whether they are current, which job runs.

Nothing here computes a figure; a job does (annotation.figures.services). A page shows the first
rows of each panel, so only these are stored with the report; all rows of a longer one are in a row
of their own.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.extensions.parts import JobWords
from annotation.figures.filters import Filters
from annotation.figures.models import StoredFigures
from annotation.figures.registry import Report
from annotation.figures.stored import ComputedFigures, FigureKind, FigurePlace

WAITING = "This takes a few seconds; the page updates automatically."
ROWS = 50  # of each panel on the page of a report
SQUARES = 20 * 19  # of a heatmap that the page shows as a table


REPORT_KIND = FigureKind(
    key="report",
    unit="panels",
    words=JobWords(
        title="Figures of a report", failed="The figures could not be computed", stop="Stop"
    ),
    compute="annotation.figures.reports.compute_report",
)


class StoredReport(ComputedFigures):
    """The stored panels of a report in their order, and the newest job that computes them.

    Panels have their first rows, as `shorten_panel` gives them.
    """

    @property
    def panels(self) -> list[dict[str, Any]]:
        """The panels; none while there are no figures."""
        panels: list[dict[str, Any]] = self.payload.get("panels", [])
        return panels

    @property
    def drawn(self) -> bool:
        """Whether the worker that computed them could draw pictures."""
        return bool(self.payload.get("drawn"))

    @property
    def progress(self) -> str:
        """How far the job that computes new panels has come; empty while nobody knows."""
        if not self.computing or self.job is None:
            return ""
        if self.job.state == Job.State.QUEUED:
            return WAITING
        if not self.job.total:
            return ""
        return f"{self.job.done} of {self.job.total} panels are ready."

    def panel(self, key: str) -> dict[str, Any] | None:
        """Return a panel by its key; None where there is none."""
        return _named(self.panels, key)


def shorten_panel(panel: Mapping[str, Any]) -> dict[str, Any]:
    """Return a panel with its first rows and what a page needs to know of the others.

    whole: number of rows. kinds: the words of its facet with their numbers of rows, the most
    frequent first. people: the ids of everyone in it. squares: all rows of a heatmap that is not
    large.
    """
    rows, place = panel["rows"], find_facet(panel)
    kinds = Counter(kind for row in rows for kind in row[place].split(", ")) if place >= 0 else {}
    people = {
        cell["person"]
        for row in rows
        for cell in row
        if isinstance(cell, dict) and "person" in cell  # a Mapping takes twice as long to tell
    }
    return {
        **panel,
        "rows": rows[:ROWS],
        "squares": rows if _is_heatmap(panel) and len(rows) <= SQUARES else [],
        "whole": len(rows),
        "kinds": sorted(kinds.items(), key=lambda item: (-item[1], item[0])),
        "people": sorted(people),
    }


def _is_heatmap(panel: Mapping[str, Any]) -> bool:
    return bool(panel["chart"]) and panel["chart"]["kind"] == "heatmap"


def find_facet(panel: Mapping[str, Any]) -> int:
    """Return the place of the column by whose words rows are chosen; -1 where there is none."""
    keys = [column["key"] for column in panel["columns"]]
    return keys.index(panel["facet"]) if panel["facet"] in keys else -1


def place_report(project: Project, report: Report, filters: Filters) -> FigurePlace:
    """Return where a report with these filters is stored."""
    return FigurePlace(REPORT_KIND, project, report=report.key, filters=filters)


def find_stored_report(project: Project, report: Report, filters: Filters) -> StoredReport:
    """Return what is stored of a report with these filters. Three queries."""
    return StoredReport.find(place_report(project, report, filters))


def find_stored_panel(
    project: Project, report: Report, filters: Filters, key: str
) -> dict[str, Any] | None:
    """Return a stored panel with all of its rows; None where there is none. One query."""
    place = place_report(project, report, filters)
    names = [place.name, place.name_part(key)]
    stored = StoredFigures.objects.filter(project=project, report__in=names, **place.key)
    # In one statement, so that a job that ends now does not replace one of the two in between.
    figures = dict(stored.values_list("report", "figures"))
    panel = _named(figures.get(names[0], {}).get("panels", []), key)
    return panel and {**panel, **figures.get(names[1], {})}


def _named(panels: Sequence[dict[str, Any]], key: str) -> dict[str, Any] | None:
    return next((panel for panel in panels if panel["key"] == key), None)
