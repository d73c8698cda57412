"""Values of the papers' tables, each with its interval."""

from collections.abc import Iterable, Sequence

from annotation.figures.panel import Cell, Column, Value, of_shown
from metrics.score import Evaluation, Figure
from validation.agreement.reporting import Unit, label_figures

SPLITS = ("train", "dev", "test")


def average_with_interval(values: Sequence[float], unit: Unit) -> Value:
    """Return the mean of one value for each question; in shares and scores each is from 0 to 1."""
    if not values:
        return Value(None, 0)
    ids = [str(place) for place in range(len(values))]
    return figure_with_interval(
        Evaluation("report", ids, {"mean": values}, [Figure("mean", ("mean",))]), unit
    )


def figure_with_interval(evaluation: Evaluation | None, unit: Unit, name: str = "mean") -> Value:
    """Return one figure of an evaluation; without a value where there is none."""
    [figure] = label_figures({name: ("", unit)}, evaluation, "")
    return of_shown(figure)


def keep_filled(
    columns: Sequence[Column], rows: Iterable[Sequence[Cell]]
) -> tuple[Sequence[Column], list[list[Cell]]]:
    """Return the table without the columns of figures in which no row has a value."""
    rows = list(rows)
    places = [
        place
        for place in range(len(columns))
        if not rows or any(_has_value(cells[place]) for cells in rows)
    ]
    return [columns[n] for n in places], [[cells[n] for n in places] for cells in rows]


def _has_value(cell: Cell) -> bool:
    return not isinstance(cell, Value) or cell.value is not None
