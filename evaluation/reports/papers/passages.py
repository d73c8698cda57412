"""ASQA's figure 3: Disambig-F1 by how many passages a system reads (S49)."""

from collections.abc import Sequence

from annotation.figures.panel import Chart, Column, Panel, Value
from annotation.figures.registry import Request
from evaluation.reports.papers import systems
from evaluation.reports.papers.systems import Row


def build_passages_panel(request: Request) -> Panel:
    """Return figure 3."""
    return tabulate_passages(request.once(systems.read_rows))


def tabulate_passages(rows: Sequence[Row]) -> Panel:
    """Return figure 3: systems that read passages, and the bounds, by their passages."""
    readers = sorted(
        (row for row in rows if row.passages is not None and "qa_f1" in row.figures),
        key=lambda row: (row.split, row.family, row.passages, row.name),
    )
    return Panel(
        columns=(
            Column("system", "System"),
            Column("split", "Split"),
            Column("series", "Family"),
            Column("passages", "Passages", "count"),
            Column("qa_f1", "Disambig-F1", "score"),
            Column("length", "Length", "mean"),
            Column("str_em", "STR-EM", "score"),
        ),
        rows=[
            [
                row.name,
                row.split,
                row.family,
                row.passages,
                *(row.figures.get(name, Value(None, 0)) for name in ("qa_f1", "length", "str_em")),
            ]
            for row in readers
        ],
        n=len(readers),
        counted="system",
        definition=(
            "Systems by how many passages they read for a question, as the options of their run "
            "say. Those that differ in nothing else are one line; a larger mark is a longer answer."
        ),
        needs="1 system that reads passages and was scored with a reader",
        summary="",
        chart=Chart("points", x="passages", y="qa_f1", value="length", series="series"),
    )
