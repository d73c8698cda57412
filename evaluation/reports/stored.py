"""The stored figures of a report: how old they are, whether they are current, which job runs.

Nothing here computes a figure; a job does (evaluation.reports.computing).
"""

from dataclasses import dataclass
from typing import Any

from annotation.computed import Computed
from annotation.models import Job, Project, StoredFigures
from annotation.queries.log import data_state
from evaluation.reports.filters import Filters
from evaluation.reports.registry import Report

JOB_KIND = "report"


@dataclass(frozen=True)
class StoredReport(Computed):
    """The stored panels of a report in their order, and the newest job that computes them.

    drawn: whether the worker that computed them could draw pictures.
    """

    panels: list[dict[str, Any]]
    drawn: bool

    def panel(self, key: str) -> dict[str, Any] | None:
        """Return a panel by its key; None where there is none."""
        return next((panel for panel in self.panels if panel["key"] == key), None)


def name_of(report: Report) -> str:
    """Return the name under which the figures of a report are stored."""
    return f"report.{report.key}"


def options_of(report: Report, filters: Filters) -> dict[str, Any]:
    """Return the options of the job that computes a report with these filters."""
    return {"report": report.key, "filters": filters.plain()}


def stored_of(project: Project, report: Report, filters: Filters) -> StoredReport:
    """Return what is stored of a report with these filters. Three queries."""
    # Read the job first: if it has ended, the figures read next include its own.
    job = job_of(project, report, filters)
    rows = StoredFigures.objects.filter(project=project, report=name_of(report))
    row = rows.filter(filters=filters.key).first()
    return StoredReport(
        computed_at=row.counted_at if row else None,
        current=row is not None and row.data_state == data_state(project),
        job=job,
        panels=row.figures["panels"] if row else [],
        drawn=bool(row and row.figures["drawn"]),
    )


def job_of(project: Project, report: Report, filters: Filters) -> Job | None:
    """Return the newest job that computes, or computed, a report with these filters."""
    jobs = Job.objects.filter(project=project, kind=JOB_KIND, options=options_of(report, filters))
    return jobs.order_by("-pk").first()
