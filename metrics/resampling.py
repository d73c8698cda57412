"""How sure a figure is, and whether two systems differ: bootstrap and randomisation.

Everything works on columns that were measured once. A resample is a vector of how often each item
was drawn, so a thousand resamples of ten thousand items are one matrix product per block, and all
figures of an evaluation see the same draws.

Sources: percentile bootstrap (Efron and Tibshirani 1993, ch. 13); paired bootstrap (Koehn 2004),
its p-value under the null hypothesis (Hall and Wilson 1991; Berg-Kirkpatrick, Burkett and Klein
2012); approximate randomisation (Noreen 1989; Riezler and Maxwell 2005).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics.intervals import FEW, LEAST, ReportedInterval, report_drawn
from metrics.score import BadInput, Evaluation, Figure, Interval

Array = npt.NDArray[np.float64]

_BLOCK = 2_000_000
"""Draws made at once: bounds memory to some tens of megabytes whatever the number of items."""

_TOLERANCE = 1e-12
"""Lets a resample that only changed the order of an addition count as equal."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on one figure: the difference is the first minus the second.

    ``low`` and ``high`` bound the difference (paired bootstrap, percentile); None where it has no
    interval, and ``note`` then says why (`metrics.intervals`). Both p-values are two-sided and ask
    how often chance alone gives a difference at least as large as the observed one.
    ``p_bootstrap`` makes chance alone by moving the resampled differences so that they lie around
    0; ``p_randomisation`` by swapping the two systems' values at random items. Both count the
    observed case, so neither is ever 0. ``signature`` is that of the first system's figure.
    """

    name: str
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    p_bootstrap: float
    p_randomisation: float
    n: int
    signature: str
    note: str = ""


def bootstrap_intervals(
    evaluation: Evaluation,
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 1,
    expanded_below: float = 0,
) -> dict[str, Interval]:
    """Return a percentile bootstrap interval for each figure that has items, by its name.

    These are the plain intervals; `metrics.intervals` decides what is reported. Of fewer items than
    ``expanded_below`` the percentiles are those of `widen_level`.

    Raises ``ValueError`` where ``level`` is not between 0 and 1 or ``resamples`` is below 1.
    """
    found = {}
    for figures, values in _by_members(evaluation):
        drawn = _resampled(values, figures, resamples, seed)
        for figure, sample in zip(figures, drawn, strict=True):
            found[figure.name] = _interval_of(
                sample, len(values), resamples, level, seed, expanded_below
            )
    return found


def mean_interval(
    values: Sequence[float], *, resamples: int = 1000, level: float = 0.95, seed: int = 1
) -> Interval:
    """Return the interval of the mean of one column: ``values`` of shape (n,), n at least 1.

    Raises ``ValueError`` where there are no values, or as ``bootstrap_intervals`` does.
    """
    return statistic_interval(
        lambda mean: mean, values, resamples=resamples, level=level, seed=seed
    )


def statistic_interval(
    combine: Callable[..., Any],
    *columns: Sequence[float],
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 1,
) -> Interval:
    """Return the interval of ``combine(mean of each column)``; all columns of shape (n,).

    Raises ``ValueError`` where there are no values or the columns differ in length.
    """
    values = np.array(columns, dtype=np.float64).T
    if not values.size:
        raise ValueError("an interval needs at least one value")
    figure = Figure("", tuple(map(str, range(len(columns)))), combine)
    [sample] = _resampled(values, [figure], resamples, seed)
    low, high = _bounds(sample, level)
    return Interval(low, high, level, resamples, seed)


def difference_interval(
    first: Sequence[float],
    second: Sequence[float],
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 1,
) -> ReportedInterval:
    """Return the interval of the mean of ``first`` minus that of ``second``, two separate samples.

    Each is resampled on its own. Raises ``ValueError`` as ``bootstrap_intervals`` does, or where
    one of the two is empty.
    """
    n = min(len(first), len(second))
    means = []
    for place, values in enumerate((first, second)):
        column = np.array([values], dtype=np.float64).T
        drawn = list(_draw_means(column, resamples, seed + place))
        means.append(np.concatenate(drawn)[:, 0])
    return report_drawn(_interval_of(means[0] - means[1], n, resamples, level, seed, FEW), n)


def sample_interval(
    sample: Array, *, level: float = 0.95, resamples: int = 1000, seed: int = 1
) -> Interval | None:
    """Return the percentile interval of a statistic's resampled values, of shape (resamples,).

    Resamples in which the statistic does not exist (``nan``) are left out; None where it exists in
    fewer than half of them. Raises ``ValueError`` where ``level`` is not between 0 and 1.
    """
    defined = sample[~np.isnan(sample)]
    if 2 * len(defined) < len(sample) or not len(defined):
        return None
    low, high = _bounds(defined, level)
    return Interval(low, high, level, resamples, seed)


def widen_level(level: float, n: int) -> float:
    """Return the level at which a percentile interval over ``n`` items holds ``level`` in truth.

    A resample of few items varies less than they do, by ``(n − 1) / n`` in variance, and knows
    nothing of how uncertain that variance is. So the percentiles are taken further out, as far as
    Student's t lies beyond the normal distribution: 95 % becomes 99.5 % for 6 items, 95.9 % for 45
    and 95.1 % for 300. Student's quantile is good to 1 % from 5 items on.

    Source: Hesterberg 2015, "What Teachers Should Know About the Bootstrap" (expanded percentile).
    Raises ``ValueError`` where ``n`` is below `LEAST` or ``level`` is not between 0 and 1.
    """
    if n < LEAST or not 0 < level < 1:
        raise ValueError(f"{n} items at level {level} give no interval")
    z, free = NormalDist().inv_cdf((1 + level) / 2), n - 1
    # Student's quantile from the normal one: Abramowitz and Stegun 1964, 26.7.5.
    t = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    t += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * free**3)
    return 2 * NormalDist().cdf(t * math.sqrt(n / free)) - 1


def draw_resamples(n: int, *, resamples: int, seed: int, width: int = 0) -> Iterator[Array]:
    """Yield how often each of ``n`` items is drawn, with replacement, in each resample.

    Blocks of shape (resamples in it, n), each row with the sum ``n``; the same seed draws the same.
    ``width``: how many numbers the caller makes of a resample, where that is more than ``n``.
    Raises ``ValueError`` where ``resamples`` or ``n`` is below 1.
    """
    if resamples < 1 or n < 1:
        raise ValueError("at least one resample of at least one item is needed")
    random = np.random.default_rng(seed)
    block = max(1, _BLOCK // max(n, width))
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = random.integers(n, size=(size, n), dtype=np.int32)
        drawn += np.arange(size, dtype=np.int32)[:, np.newaxis] * np.int32(n)
        times = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
        yield times.astype(np.float64)


def compare_systems(
    first: Evaluation,
    second: Evaluation,
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 1,
) -> dict[str, Comparison]:
    """Compare two systems on the same items, figure by figure, and return the result by name.

    A figure that only one of the two has is left out. Raises ``BadInput`` where the two were not
    scored on the same items, or where a figure counts other items for one than for the other.
    """
    if list(first.ids) != list(second.ids) or first.task != second.task:
        raise BadInput(
            "The two systems were not scored on the same questions in the same order: "
            "they cannot be compared."
        )
    theirs = {figure.name: figure for figure in second.figures}
    found = {}
    for figure in first.figures:
        members = first.members(figure)
        if figure.name not in theirs or not members:
            continue
        if members != second.members(theirs[figure.name]):
            raise BadInput(f"{figure.name} counts other questions for one system than the other.")
        a = _matrix(first, figure.columns, members)
        b = _matrix(second, theirs[figure.name].columns, members)
        found[figure.name] = _compared(first, figure, a, b, resamples, level, seed)
    return found


def _compared(
    evaluation: Evaluation,
    figure: Figure,
    a: Array,
    b: Array,
    resamples: int,
    level: float,
    seed: int,
) -> Comparison:
    n, width = a.shape
    combine = figure.combine
    one, other = float(combine(*a.mean(axis=0))), float(combine(*b.mean(axis=0)))
    observed = one - other

    both = np.hstack([a, b])
    differences = np.concatenate(
        [
            combine(*means[:, :width].T) - combine(*means[:, width:].T)
            for means in _draw_means(both, resamples, seed)
        ]
    )
    interval, note = report_drawn(_interval_of(differences, n, resamples, level, seed, FEW), n)
    beyond = (np.abs(differences - observed) >= abs(observed) - _TOLERANCE).sum()

    swapped = np.concatenate(
        [
            combine(*(b.mean(axis=0) + means).T) - combine(*(a.mean(axis=0) - means).T)
            for means in _swap_means(a - b, resamples, seed)
        ]
    )
    extreme = (np.abs(swapped) >= abs(observed) - _TOLERANCE).sum()
    return Comparison(
        name=figure.name,
        first=one,
        second=other,
        difference=observed,
        low=interval and interval.low,
        high=interval and interval.high,
        p_bootstrap=float((beyond + 1) / (resamples + 1)),
        p_randomisation=float((extreme + 1) / (resamples + 1)),
        n=n,
        signature=evaluation.signature(figure, interval),
        note=note,
    )


def _by_members(evaluation: Evaluation) -> Iterator[tuple[list[Figure], Array]]:
    """Yield the figures that count the same items, with those items' columns, figure by figure."""
    groups: dict[str | None, list[Figure]] = {}
    for figure in evaluation.figures:
        groups.setdefault(figure.among, []).append(figure)
    for figures in groups.values():
        if members := evaluation.members(figures[0]):
            columns = [name for figure in figures for name in figure.columns]
            yield figures, _matrix(evaluation, columns, members)


def _matrix(evaluation: Evaluation, columns: Sequence[str], members: list[int]) -> Array:
    """Return the columns as an array of shape (items that count, columns)."""
    return np.array(
        [np.asarray(evaluation.columns[name], dtype=np.float64)[members] for name in columns]
    ).T


def _resampled(values: Array, figures: Sequence[Figure], resamples: int, seed: int) -> list[Array]:
    """Return for each figure its value in each resample: arrays of shape (resamples,)."""
    samples: list[list[Array]] = [[] for _ in figures]
    for means in _draw_means(values, resamples, seed):
        start = 0
        for figure, sample in zip(figures, samples, strict=True):
            end = start + len(figure.columns)
            sample.append(np.asarray(figure.combine(*means[:, start:end].T), dtype=np.float64))
            start = end
    return [np.concatenate(sample) for sample in samples]


def _draw_means(values: Array, resamples: int, seed: int) -> Iterator[Array]:
    """Yield the columns' means over items drawn with replacement, a block of resamples at a time.

    ``values`` has shape (n, columns); each block (resamples in it, columns).
    """
    for times in draw_resamples(len(values), resamples=resamples, seed=seed):
        yield (times @ values) / len(values)


def _swap_means(differences: Array, resamples: int, seed: int) -> Iterator[Array]:
    """Yield the mean of the differences over a random half of the items, in blocks."""
    random = np.random.default_rng([seed, 1])
    n = len(differences)
    block = max(1, _BLOCK // n)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        kept = np.unpackbits(
            random.integers(256, size=(size, (n + 7) // 8), dtype=np.uint8), axis=1, count=n
        )
        yield (kept.astype(np.float64) @ differences) / n


def _interval_of(
    sample: Array, n: int, resamples: int, level: float, seed: int, expanded_below: float
) -> Interval:
    """Return the percentile interval of the resamples of ``n`` items, shape (resamples,)."""
    if n >= expanded_below:
        return Interval(*_bounds(sample, level), level, resamples, seed)
    bounds = _bounds(sample, widen_level(level, max(n, LEAST)))
    return Interval(*bounds, level, resamples, seed, "bootstrap-expanded-percentile")


def _bounds(sample: Array, level: float) -> tuple[float, float]:
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    low, high = np.quantile(sample, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
