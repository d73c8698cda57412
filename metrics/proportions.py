"""How sure a share is: the Wilson score interval.

A bootstrap interval of a share has no width where all items are alike (0 of 7, 4 of 4), and is too
narrow near there. This one is not: it holds every share that the observed one would not refute.

Source: Wilson 1927; recommended for small n by Brown, Cai and DasGupta 2001.
"""

import math
from statistics import NormalDist

from metrics.score import Evaluation, Figure, mean_of, ratio_or_zero

_NARROW = 1e-9
"""A bootstrap interval less wide than this has no width: the rest is rounding."""


def wilson_interval(successes: float, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the lower and the upper bound of a share of ``n`` independent items.

    ``successes`` may be a fraction: the sum of ``n`` values from 0 to 1, for which the bounds are
    wider than need be. Raises ``ValueError`` where ``n`` is below 1, ``successes`` is not between
    0 and ``n``, or ``level`` is not between 0 and 1.

    >>> low, high = wilson_interval(0, 7)
    >>> f"{low:.3f} to {high:.3f}"
    '0.000 to 0.354'
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is not a share")
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    share = successes / n
    centre = share + z2 / (2 * n)
    reach = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n)))
    low, high = (centre - reach) / (1 + z2 / n), (centre + reach) / (1 + z2 / n)
    # Where nothing (or everything) was found the bound is 0 (or 1); what is left is rounding.
    return (0.0 if successes == 0 else low), (1.0 if successes == n else high)


def plain_share(evaluation: Evaluation, figure: Figure) -> bool:
    """Say whether a figure is a share of independent items: each of them counts as 0 or as 1."""
    members = evaluation.members(figure)
    above = [evaluation.columns[figure.columns[0]][place] for place in members]
    if figure.combine is ratio_or_zero:
        below = evaluation.columns[figure.columns[1]]
        if any(below[place] != 1 for place in members):
            return False
    elif figure.combine is not mean_of:
        return False
    return all(value in (0, 1) for value in above)


def choose_interval(
    evaluation: Evaluation,
    figure: Figure,
    drawn: tuple[float, float],
    *,
    share: bool,
    bounded: bool,
    level: float = 0.95,
) -> tuple[float, float] | None:
    """Return the interval to report for a figure, given its bootstrap interval.

    ``share``: the figure counts items; ``bounded``: it lies between 0 and 1. A share of independent
    items gets Wilson's bounds, as does any bounded figure whose bootstrap interval has no width.
    Without width and bounds nothing is known of how sure a figure is: None.
    """
    without_width = drawn[1] - drawn[0] < _NARROW
    if (share and plain_share(evaluation, figure)) or (without_width and bounded):
        n = evaluation.count(figure)
        return wilson_interval(min(max(evaluation.value(figure), 0), 1) * n, n, level=level)
    return None if without_width else drawn
