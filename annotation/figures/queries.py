"""The stored figures of a report: how old they are, whether they are current, which job runs.

Nothing here computes a figure; a job does (annotation.figures.services). A page shows the first
rows of each panel, so only these are stored with the report; all rows of a longer one are in a row
of their own.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.core.data_state import data_state
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.figures.filters import Filters
from annotation.figures.models import StoredFigures
from annotation.figures.registry import Report
from annotation.jobs.computed_figures import ComputedFigures

JOB_KIND = "report"
WAITING = "This takes a few seconds; the page updates automatically."
ROWS = 50  # of each panel on the page of a report
SQUARES = 20 * 19  # of a heatmap that the page shows as a table


@dataclass(frozen=True)
class StoredReport(ComputedFigures):
    """The stored panels of a report in their order, and the newest job that computes them.

    Panels have their first rows, as `head_of` gives them. drawn: whether the worker that computed
    them could draw pictures.
    """

    filters: Filters
    panels: list[dict[str, Any]]
    drawn: bool

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


def name_report(report: Report) -> str:
    """Return the name under which the figures of a report are stored."""
    return f"report.{report.key}"


def name_rows(report: Report, panel: str) -> str:
    """Return the name under which all rows of a long panel are stored."""
    return f"{name_report(report)}.{panel}"


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


def job_options(report: Report, filters: Filters) -> dict[str, Any]:
    """Return the options of the job that computes a report with these filters."""
    return {"report": report.key, "filters": filters.plain()}


def find_stored_report(project: Project, report: Report, filters: Filters) -> StoredReport:
    """Return what is stored of a report with these filters. Three queries."""
    # Read the job first: if it has ended, the figures read next include its own.
    job = find_report_job(project, report, filters)
    rows = StoredFigures.objects.filter(project=project, report=name_report(report))
    row = rows.filter(filters=filters.key).first()
    return StoredReport(
        computed_at=row.counted_at if row else None,
        current=row is not None and row.data_state == data_state(project),
        job=job,
        filters=filters,
        panels=row.figures["panels"] if row else [],
        drawn=bool(row and row.figures["drawn"]),
    )


def find_stored_panel(
    project: Project, report: Report, filters: Filters, key: str
) -> dict[str, Any] | None:
    """Return a stored panel with all of its rows; None where there is none. One query."""
    names = [name_report(report), name_rows(report, key)]
    stored = StoredFigures.objects.filter(project=project, report__in=names, filters=filters.key)
    # In one statement, so that a job that ends now does not replace one of the two in between.
    figures = dict(stored.values_list("report", "figures"))
    panel = _named(figures.get(names[0], {}).get("panels", []), key)
    return panel and {**panel, **figures.get(names[1], {})}


def _named(panels: Sequence[dict[str, Any]], key: str) -> dict[str, Any] | None:
    return next((panel for panel in panels if panel["key"] == key), None)


def find_report_job(project: Project, report: Report, filters: Filters) -> Job | None:
    """Return the newest job that computes, or computed, a report with these filters."""
    jobs = Job.objects.filter(project=project, kind=JOB_KIND, options=job_options(report, filters))
    return jobs.order_by("-pk").first()
