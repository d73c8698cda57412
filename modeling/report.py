"""The uptake of suggestions as a panel of reports."""

from collections.abc import Iterable

from annotation.figures.panel import Cell, Chart, Column, Panel, Value
from annotation.figures.registry import Request
from annotation.stages import registry as stages
from modeling import queries
from modeling.uptake import FATES, Figure
from modeling.uptake_wording import LABELS

DEFINITION = (
    "What people did with the suggestions they were shown: shares of those shown for a question, "
    "by the version that made them, over submitted work in use. The page Suggestions compares work "
    "with and without them."
)


def build_panel(request: Request) -> Panel:
    """Return the uptake in a project or one of its splits."""
    return build_uptake_panel(queries.count_project_uptake(request.project, request.filters.split))


def build_uptake_panel(figures: Iterable[Figure]) -> Panel:
    """Return the share of suggestions that were accepted, edited and so on, one row for each."""
    shares = [figure for figure in figures if figure.figure.startswith("share.")]
    order = {f"share.{fate}": LABELS[fate] for fate in FATES}
    rows: list[tuple[Cell, ...]] = [
        (
            f"{figure.system} {figure.version}".strip(),
            f"{stages.label_of(figure.stage)}, {figure.kind}",
            order[figure.figure],
            Value(figure.value, figure.n, figure.low, figure.high, figure.note),
        )
        for figure in shares
    ]
    return Panel(
        columns=(
            Column("system", "System"),
            Column("shown", "Shown in, as"),
            Column("fate", "Then"),
            Column("share", "Share", "share"),
        ),
        rows=rows,
        n=max((figure.n for figure in shares), default=0),
        definition=DEFINITION,
        needs="1 submission in which suggestions were shown",
        chart=Chart("histogram", x="system", y="share", series="fate"),
    )
