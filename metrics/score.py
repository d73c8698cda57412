"""Values per item, and the figures made from them.

A scorer measures each item once (a column of numbers per measure) and says how each figure comes
from those columns. The figures, their bootstrap intervals and the comparison of two systems then
all rest on the same columns: nothing is tokenised or matched twice.
"""

import math
from array import array
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, NamedTuple

import metrics

Numbers = Any
"""A float, or an array of shape (resamples,): what ``combine`` is called with and returns."""


class BadInput(ValueError):
    """The input cannot be scored; the message says what, where and what to do."""


def mean_of(value: Numbers) -> Numbers:
    """The figure is the mean of its only column."""
    return value


def ratio_or_zero(above: Numbers, below: Numbers) -> Numbers:
    """Return ``above / below``, and 0 where ``below`` is 0, for floats and for arrays alike."""
    if isinstance(below, (int, float)):
        return above / below if below else 0.0
    return above / (below + (below == 0))  # both are 0 there: nothing counted, nothing correct


def f1(precision: Numbers, recall: Numbers) -> Numbers:
    """Return the harmonic mean of the two; 0 where both are 0."""
    return ratio_or_zero(2 * precision * recall, precision + recall)


class Scale(NamedTuple):
    """The smallest and the largest value that a figure can have.

    ``counts``: it is a share of items, each of which counts or does not.
    """

    low: float
    high: float
    counts: bool = False


SHARE, SCORE, PERCENT = Scale(0, 1, counts=True), Scale(0, 1), Scale(0, 100)


class Figure(NamedTuple):
    """How one reported number comes from the columns of an evaluation.

    ``combine`` gets the mean of each of ``columns`` over the items that count, in that order, and
    returns the number; it must work on floats and on numpy arrays. A ratio of sums is the ratio of
    the means. ``among`` names a column of 0 and 1 that says which items count; without it all do.
    ``scale`` is None where the figure has no natural bounds. ``weights`` are the columns whose sum
    is how much an item weighs in the figure, where some weigh more: what a ratio divides by. They
    are known of ``ratio_or_zero``.
    """

    name: str
    columns: tuple[str, ...]
    combine: Callable[..., Numbers] = mean_of
    among: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    scale: Scale | None = None
    weights: tuple[str, ...] = ()


class Interval(NamedTuple):
    """An interval that holds ``level`` of what a figure may be, from low to high.

    ``method`` says how it was made; without ``resamples``, from the figure and its n alone.
    """

    low: float
    high: float
    level: float
    resamples: int
    seed: int
    method: str = "bootstrap-percentile"


class Score(NamedTuple):
    """A number that can be traced: over how many items, how sure, and made in which way.

    Where there is no interval, ``note`` says why, if one was asked for.
    """

    name: str
    value: float
    n: int
    signature: str
    interval: Interval | None = None
    note: str = ""


def build_signature(
    name: str, options: Mapping[str, str] | None = None, interval: Interval | None = None
) -> str:
    """Return the options, the interval's settings and the version behind a figure, in one line."""
    parts = dict(options or {})
    if interval:
        parts["interval"] = f"{interval.method}-{interval.level:g}"
        if interval.resamples:
            parts |= {"resamples": str(interval.resamples), "seed": str(interval.seed)}
    parts["v"] = metrics.VERSION
    return "|".join([name, *(f"{key}:{value}" for key, value in parts.items())])


def missing_option(items: Iterable[str], predictions: Container[str]) -> dict[str, str]:
    """Return what a signature says where an item has no prediction and so counts as 0."""
    return {} if all(item in predictions for item in items) else {"missing": "zero"}


class Evaluation:
    """What one system scored: ``ids`` of the items, and columns of one number per item.

    ``figures`` are in the order in which they are reported; a dot in a name groups
    ("f1_answer.all"). ``options`` go into every signature. ``counts`` and ``extras`` are reported
    beside the figures and have no interval: whole numbers, and numbers that no mean gives.

    Raises ``ValueError`` where a column is not as long as ``ids`` or a figure names none.
    """

    def __init__(
        self,
        task: str,
        ids: Sequence[str],
        columns: Mapping[str, Sequence[float]],
        figures: Sequence[Figure],
        options: Mapping[str, str] | None = None,
        counts: Mapping[str, int] | None = None,
        extras: Mapping[str, float | None] | None = None,
    ) -> None:
        self.task = task
        self.ids = ids
        self.columns = columns
        self.figures = figures
        self.options: Mapping[str, str] = options or {}
        self.counts: Mapping[str, int] = counts or {}
        self.extras: Mapping[str, float | None] = extras or {}
        for name, values in self.columns.items():
            if len(values) != len(self.ids):
                raise ValueError(f"column {name} has {len(values)} values for {len(self.ids)} ids")
        for figure in self.figures:
            for name in (*figure.columns, *([figure.among] if figure.among else [])):
                if name not in self.columns:
                    raise ValueError(f"figure {figure.name} names a column {name} that is not here")

    def encode(self) -> bytes:
        """Return what the figures and their intervals are made from: equal where that is equal."""
        made = [
            (
                each.name,
                each.columns,
                each.combine.__module__,
                each.combine.__qualname__,
                each.among,
                each.scale,
                each.weights,
            )
            for each in self.figures
        ]
        columns = (
            b"%s %d " % (name.encode(), len(column)) + array("d", column).tobytes()
            for name, column in self.columns.items()
        )
        return b"".join([repr((self.task, made)).encode(), *columns])

    def with_figures(self, figures: Sequence[Figure]) -> "Evaluation":
        """Return the same columns with other figures, which share their draws with these."""
        return Evaluation(
            self.task, self.ids, self.columns, figures, self.options, self.counts, self.extras
        )

    def members(self, figure: Figure) -> list[int]:
        """Return the places of the items that count for a figure."""
        if figure.among is None:
            return list(range(len(self.ids)))
        return [place for place, counts in enumerate(self.columns[figure.among]) if counts]

    def count(self, figure: Figure) -> int:
        """Return how many items count for a figure."""
        return len(self.ids) if figure.among is None else sum(map(bool, self.columns[figure.among]))

    def value(self, figure: Figure) -> float:
        """Return the figure over all items that count; ``nan`` where none does."""
        count = self.count(figure)
        if not count:
            return math.nan
        columns = [self.columns[name] for name in figure.columns]
        if figure.among is not None:
            counts = self.columns[figure.among]
            columns = [list(compress(column, counts)) for column in columns]
        return float(figure.combine(*(math.fsum(column) / count for column in columns)))

    def signature(self, figure: Figure, interval: Interval | None = None) -> str:
        """Return how the figure was made: equal signatures mean comparable figures."""
        items = {"items": "all" if figure.among is None else figure.among}
        options = items | dict(self.options) | dict(figure.options)
        return build_signature(f"{self.task}.{figure.name}", options, interval)

    def scores(self, *, resamples: int = 0, level: float = 0.95, seed: int = 1) -> dict[str, Score]:
        """Return every figure by name; with ``resamples`` above 0 each has its interval.

        Which one, and where there is none, `metrics.intervals` decides. Raises ``ValueError`` where
        ``level`` is not between 0 and 1.
        """
        reported: Mapping[str, tuple[Interval | None, str]] = {}
        if resamples:
            from metrics import intervals  # numpy only where an interval is asked for

            reported = intervals.report_intervals(self, resamples=resamples, level=level, seed=seed)
        return {
            figure.name: self._score(figure, *reported.get(figure.name, (None, "")))
            for figure in self.figures
        }

    def _score(self, figure: Figure, interval: Interval | None, note: str) -> Score:
        return Score(
            name=figure.name,
            value=self.value(figure),
            n=self.count(figure),
            signature=self.signature(figure, interval),
            interval=interval,
            note=note,
        )
