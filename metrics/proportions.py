"""How sure a share is: the Wilson score interval.

A bootstrap interval of a share has no width where all items are alike (0 of 7, 4 of 4), and is too
narrow near there. This one is not: it holds every share that the observed one would not refute.
Where it is reported is decided in `metrics.intervals`.

Source: Wilson 1927; recommended for small n by Brown, Cai and DasGupta 2001.
"""

import math
from statistics import NormalDist


def wilson_interval(successes: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """Return the lower and the upper bound of a share of ``n`` independent items.

    ``n`` may be a fraction where items weigh unequally, and ``successes`` where it is the sum of
    ``n`` values from 0 to 1, for which the bounds are wider than need be. Raises ``ValueError``
    where ``n`` is below 1, ``successes`` is not between 0 and ``n``, or ``level`` is not between 0
    and 1.

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
