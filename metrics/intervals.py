"""Which interval a figure is reported with, or why it has none. Every figure anywhere asks here.

- A share of independent items, each of which counts or does not, has Wilson's score interval.
- Any other figure has the percentile bootstrap interval of its resamples. From fewer than `FEW`
  items, or where all resamples are the same, these know too little of what was not drawn. A figure
  with natural bounds then has Wilson's interval too, as a share of its range: no values between the
  bounds vary more than those at them. One without bounds has expanded percentiles
  (`metrics.resampling.widen_level`), or, where all resamples are the same, no interval.
- Where items are so few that an interval says nothing, there is none: `TOO_FEW`. For a figure with
  natural bounds that is where its interval would be wider than its scale. ``n`` items that lie at
  the two ends of the scale have a mean whose interval is ``z · span / √n`` wide, which is more than
  the span while ``n < z²``: up to 3 items at 95 %. Without bounds it is below `LEAST` items.

Wilson's and not Clopper's and Pearson's interval, at 0 and 1 as elsewhere: it holds the truth as
often as it says on average, and theirs more often, so it is wider than need be (Brown, Cai and
DasGupta 2001, who recommend Wilson's for up to 40 items); one formula has no jump between none and
one of n; and it takes a fraction, which a mean of scores is.

Sources: Wilson 1927; Brown, Cai and DasGupta 2001; Hesterberg 2015; independent items in a ratio:
Kish 1965, section 8.2 (effective sample size).
"""

import math
from statistics import NormalDist
from typing import NamedTuple

from metrics.proportions import wilson_interval
from metrics.score import Evaluation, Figure, Interval, Scale, mean_of, ratio_or_zero

LEVEL = 0.95
FEW = 10
"""From fewer items than this a figure says little."""
LEAST = 5
"""The smallest number of items from which a figure without natural bounds has an interval."""

TOO_FEW = "too few to tell"
ALL_SAME = "all the same"
NO_VALUE = "no value in most resamples"
NOTES = frozenset((TOO_FEW, ALL_SAME, NO_VALUE))
"""Why a figure has no interval, in the words that stand in its place."""

_NARROW = 1e-9
"""An interval less wide than this part of its scale has no width: the rest is rounding."""


class ReportedInterval(NamedTuple):
    """The interval of a figure; None where it has none, and then ``note`` says why."""

    interval: Interval | None
    note: str = ""


def report_intervals(
    evaluation: Evaluation,
    *,
    resamples: int = 1000,
    level: float = LEVEL,
    seed: int = 1,
    expanded_below: float = FEW,
) -> dict[str, ReportedInterval]:
    """Return the interval of each figure that has items, by its name.

    expanded_below: percentiles over fewer items than this are expanded. Raises ``ValueError`` where
    ``level`` is not between 0 and 1 or ``resamples`` is below 1.
    """
    from metrics import resampling  # numpy, only where something is drawn

    drawn = resampling.bootstrap_intervals(
        evaluation, resamples=resamples, level=level, seed=seed, expanded_below=expanded_below
    )
    return {
        figure.name: _choose_interval(evaluation, figure, drawn[figure.name])
        for figure in evaluation.figures
        if figure.name in drawn
    }


def report_drawn(interval: Interval | None, n: float) -> ReportedInterval:
    """Return the interval of a number without natural bounds, drawn over ``n`` items.

    None: it has no value in most resamples.
    """
    if n < LEAST:
        return ReportedInterval(None, TOO_FEW)
    if interval is None:
        return ReportedInterval(None, NO_VALUE)
    if interval.high - interval.low < _NARROW:
        return ReportedInterval(None, ALL_SAME)
    return ReportedInterval(interval)


def find_share_interval(
    part: float, whole: float, *, level: float = LEVEL
) -> tuple[float, float] | None:
    """Return the bounds of a share of ``whole`` independent items; None where they are too few.

    Raises ``ValueError`` as ``wilson_interval`` does.

    >>> find_share_interval(3, 3) is None
    True
    >>> low, high = find_share_interval(7, 7)
    >>> f"{low:.3f} to {high:.3f}"
    '0.646 to 1.000'
    """
    if is_too_few(whole, bounded=True, level=level):
        return None
    return wilson_interval(part, whole, level=level)


def is_too_few(n: float, *, bounded: bool, level: float = LEVEL) -> bool:
    """Whether an interval over ``n`` independent items says nothing.

    bounded: the figure has a smallest and a largest value.
    """
    if not bounded:
        return n < LEAST
    return n < NormalDist().inv_cdf((1 + level) / 2) ** 2


def is_plain_share(evaluation: Evaluation, figure: Figure) -> bool:
    """Whether a figure is a share of independent items: each of them counts as 0 or as 1."""
    members = evaluation.members(figure)
    above = [evaluation.columns[figure.columns[0]][place] for place in members]
    if figure.combine is ratio_or_zero:
        below = evaluation.columns[figure.columns[1]]
        if any(below[place] != 1 for place in members):
            return False
    elif figure.combine is not mean_of:
        return False
    return all(value in (0, 1) for value in above)


def count_independent_items(evaluation: Evaluation, figure: Figure) -> float:
    """Return how many items of equal weight would know as much of a figure as its own do.

    In a ratio an item weighs what it adds to the part below the line: of 100 questions of which a
    system answered 6, its precision rests on 6.
    """
    names = figure.weights or ((figure.columns[1],) if figure.combine is ratio_or_zero else ())
    if not names:
        return evaluation.count(figure)
    weights = [
        sum(evaluation.columns[name][place] for name in names)
        for place in evaluation.members(figure)
    ]
    squares = math.fsum(weight * weight for weight in weights)
    return round(math.fsum(weights) ** 2 / squares, 6) if squares else 0


def _choose_interval(evaluation: Evaluation, figure: Figure, drawn: Interval) -> ReportedInterval:
    n, scale, level = count_independent_items(evaluation, figure), figure.scale, drawn.level
    if scale is None:
        return report_drawn(drawn, n)
    if is_too_few(n, bounded=True, level=level):
        return ReportedInterval(None, TOO_FEW)
    without_width = drawn.high - drawn.low < _NARROW * (scale.high - scale.low)
    if n < FEW or without_width or (scale.counts and is_plain_share(evaluation, figure)):
        return ReportedInterval(_scaled_wilson(evaluation.value(figure), n, scale, level))
    return ReportedInterval(drawn)


def _scaled_wilson(value: float, n: float, scale: Scale, level: float) -> Interval:
    """Return Wilson's interval of a figure as a share of its range."""
    span = scale.high - scale.low
    share = min(max((value - scale.low) / span, 0), 1)
    low, high = wilson_interval(share * n, n, level=level)
    return Interval(scale.low + span * low, scale.low + span * high, level, 0, 0, "wilson")
