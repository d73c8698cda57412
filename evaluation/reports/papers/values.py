"""Values of the papers' tables, each with its interval."""

from collections.abc import Sequence

from evaluation.reports.panel import Value, of_shown
from metrics.score import Evaluation, Figure
from validation.reporting import Unit, shown

SPLITS = ("train", "dev", "test")


def mean_of(values: Sequence[float], unit: Unit) -> Value:
    """Return the mean of one value for each question; in shares and scores each is from 0 to 1."""
    if not values:
        return Value(None, 0)
    ids = [str(place) for place in range(len(values))]
    return figure_of(Evaluation("report", ids, {"mean": values}, [Figure("mean", ("mean",))]), unit)


def figure_of(evaluation: Evaluation | None, unit: Unit, name: str = "mean") -> Value:
    """Return one figure of an evaluation; without a value where there is none."""
    [figure] = shown({name: ("", unit)}, evaluation, "")
    return of_shown(figure)
