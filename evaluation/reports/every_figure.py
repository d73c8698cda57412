"""The figures of the page Agreement as one panel, with their intervals."""

from annotation.models import Project
from evaluation.reports.panel import Cell, Chart, Column, Panel, of_shown
from evaluation.reports.registry import Request
from validation.agreement import agreement_of
from validation.project_report import report_of
from validation.reporting import Report

DEFINITION = (
    "The figures of the page Agreement that are shares or scores: in points of 100, with their "
    "95 % interval. What each one is: docs/agreement.md."
)


def panel(request: Request) -> Panel:
    """Return every share and score of a project or one of its splits, one row for each."""
    report = _report(request.project, request.filters.split)
    rows: list[list[Cell]] = [
        [group.title, figure.label, of_shown(figure)]
        for group in report.groups
        for figure in group.figures
        if figure.unit in ("share", "score") and figure.value is not None
    ]
    return Panel(
        columns=(
            Column("group", "Of"),
            Column("figure", "Figure"),
            Column("value", "Value", "score"),
        ),
        rows=rows,
        n=max((group.n for group in report.groups), default=0),
        definition=DEFINITION,
        needs="1 submission",
        chart=Chart("bars", x="figure", y="value"),
    )


def _report(project: Project, split: str) -> Report:
    """Return the figures that the page Agreement shows, computing them where they are older."""
    stored = agreement_of(project)
    report = stored.report(split) if stored.current else None
    return report or report_of(project, split or None)
