"""All figures of agreement as one panel, with their intervals."""

from collections.abc import Sequence

from django.urls import reverse

from annotation.figures.panel import Cell, Column, Link, Panel, of_shown
from annotation.figures.registry import Request
from evaluation.reports.agreement import facts
from validation.agreement.project_report import build_long_answer_report, report_project
from validation.agreement.reporting import FigureGroup, build_groups
from validation.agreement.stored import find_agreement

_EVERY = "Every share and score, in points of 100 with its 95 % interval."
DEFINITION = (
    f"{_EVERY} With a period or people chosen: of the questions that got their last answer in the "
    "period, and that these people answered."
)


def build_every_figure_panel(request: Request) -> Panel:
    """Return every share and score of the questions left in, one row for each."""
    return _table(request, request.once(find_groups), DEFINITION)


def build_protocol_panel(request: Request) -> Panel:
    """Return every share and score of the protocol's own report."""
    split, stored = request.filters.split, find_agreement(request.project)
    report = stored.report(split) if stored.current else None
    report = report or report_project(request.project, split or None)
    return _table(request, report.groups, _EVERY)


def _table(request: Request, groups: Sequence[FigureGroup], definition: str) -> Panel:
    largest = max(groups, key=lambda group: group.n, default=FigureGroup("", "", "", ()))
    rows: list[list[Cell]] = [
        [group.title, figure.label, of_shown(figure)]
        for group in groups
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
        n=largest.n,
        counted=largest.counted,
        definition=definition,
        needs="1 submission",
        page=Link(
            "Means, counts and bars", reverse("project-agreement", args=[request.project.slug])
        ),
    )


def find_groups(request: Request) -> Sequence[FigureGroup]:
    """Return the stored figures in their groups; compute them where they are older."""
    if facts.is_narrowed(request):
        return _narrowed(request)
    split = request.filters.split
    stored = find_agreement(request.project)
    report = stored.report(split) if stored.current else None
    return _computed(request) if report is None else report.groups


def _computed(request: Request) -> Sequence[FigureGroup]:
    split = request.filters.split
    if facts.is_long(request):
        return build_long_answer_report(request.once(facts.read_long_answers), split or None).groups
    return build_groups(*request.once(facts.read_every_fact))


def _narrowed(request: Request) -> Sequence[FigureGroup]:
    if facts.is_long(request):
        written = [row for _, row in request.once(facts.select_long_answers)]
        return build_long_answer_report(written, request.filters.split or None).groups
    rows = [row for _, row in request.once(facts.select_facts)]
    left = {row.question for row in rows}
    judged = [row for row in request.once(facts.read_every_fact)[1] if row.question in left]
    return build_groups(rows, judged)
