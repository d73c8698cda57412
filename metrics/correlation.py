"""Whether two scores rank systems alike: Pearson, Spearman and Kendall.

A correlation over systems rests on few of them, so each says how many, how sure it is, and whether
chance alone would do. Where there is no number, ``value`` is ``nan`` and ``note`` says why.

Sources: Fisher 1921 (Pearson's interval), Bonett and Wright 2000 (Spearman's), Fieller, Hartley and
Pearson 1957 (Kendall's).
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from numbers import Real
from statistics import NormalDist
from typing import Any, Literal

from metrics.score import BadInput, build_signature

Method = Literal["pearson", "spearman", "kendall"]

_EXACT = 8
"""The largest number of systems for which Spearman's p-value counts every order (8! = 40,320)."""
_EXACT_PAIRS = 33
"""The largest number of systems for which Kendall's p-value is exact where nothing is tied."""
_STEPS = 500


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation over ``n`` systems, from -1 to 1.

    ``p`` is two-sided, for no correlation; ``low`` and ``high`` bound the value with ``level``.
    Each is ``nan`` where it does not exist, and ``note`` then says why.
    """

    method: Method
    value: float
    n: int
    p: float
    low: float
    high: float
    level: float
    signature: str
    note: str = ""


def correlate_scores(
    first: Sequence[float],
    second: Sequence[float],
    *,
    method: Method = "pearson",
    level: float = 0.95,
) -> Correlation:
    """Return how two scores of the same systems go together; both of shape (systems,).

    - ``pearson``: do they lie on a line. p by the t distribution.
    - ``spearman``: Pearson's of the ranks, ties sharing their mean rank. p over all orders up to 8
      systems, by the t distribution above.
    - ``kendall``: tau-b. p exact where there are no ties and few systems, normal otherwise.

    Intervals are ``tanh(atanh(value) ± z · e)``, with ``e² = 1 / (n − 3)`` (Pearson),
    ``(1 + value² / 2) / (n − 3)`` (Spearman) or ``0.437 / (n − 4)`` (Kendall).

    Fewer than three systems, or the same score for all of them: no value. Fewer than four
    (Kendall: five), or a value of exactly 1 or -1: no interval. Raises ``BadInput`` where the
    lengths differ or a score is not a finite number; ``ValueError`` where ``level`` is not between
    0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    x, y = _numbers(first), _numbers(second)
    if len(x) != len(y):
        raise BadInput(f"One score has {len(x)} systems and the other {len(y)}: match them first.")
    if method not in _STATISTICS:
        raise BadInput(f"{method!r} is not a correlation; choose one of {', '.join(_STATISTICS)}.")
    value = p = low = high = math.nan
    note = _obstacle(x, y)
    if not note:
        value, p = _STATISTICS[method](x, y)
        value = max(-1.0, min(1.0, value))
        note = _obstacle_to_interval(method, value, len(x))
        if not note:
            low, high = _bounds(method, value, len(x), level)
    return Correlation(
        method=method,
        value=value,
        n=len(x),
        p=p,
        low=low,
        high=high,
        level=level,
        signature=build_signature(
            f"correlation.{method}",
            {"over": "systems", "interval": f"{_INTERVALS[method]}-{level:g}"},
        ),
        note=note,
    )


def build_correlation_table(
    rows: Mapping[str, Mapping[str, float]],
    columns: Mapping[str, Mapping[str, float]],
    *,
    method: Method = "pearson",
    level: float = 0.95,
) -> dict[tuple[str, str], Correlation]:
    """Return the correlation of each score in ``rows`` with each in ``columns``, by their names.

    Each score maps systems to numbers. A pair rests on the systems that both scores have, so ``n``
    can differ from cell to cell (ASQA, table 5: judgements of people against automatic scores).
    """
    found = {}
    for row, by_system in rows.items():
        for column, others in columns.items():
            shared = [system for system in by_system if system in others]
            found[row, column] = correlate_scores(
                [by_system[system] for system in shared],
                [others[system] for system in shared],
                method=method,
                level=level,
            )
    return found


def _numbers(scores: Sequence[Any]) -> list[float]:
    for place, score in enumerate(scores, 1):
        if not (isinstance(score, Real) and math.isfinite(score)):
            raise BadInput(f"Score {place} is {score!r}, which is not a finite number.")
    return [float(score) for score in scores]


def _obstacle(x: Sequence[float], y: Sequence[float]) -> str:
    if len(x) < 3:
        return f"{len(x)} systems are too few: a correlation needs at least 3."
    if any(max(z) - min(z) <= 1e-12 * max(map(abs, z)) for z in (x, y)):
        return "All systems have the same score: it cannot go together with anything."
    return ""


def _obstacle_to_interval(method: Method, value: float, n: int) -> str:
    if n < (least := 5 if method == "kendall" else 4):
        return f"{n} systems are too few for an interval: it needs at least {least}."
    if abs(value) > 1 - 1e-12:
        return "The correlation is perfect here: no interval can be made from it."
    return ""


def _bounds(method: Method, value: float, n: int, level: float) -> tuple[float, float]:
    variance = {
        "pearson": 1 / (n - 3),
        "spearman": (1 + value**2 / 2) / (n - 3),
        "kendall": 0.437 / (n - 4) if n > 4 else math.nan,
    }[method]
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(variance)
    return math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)


def _pearson(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    value = _product_moment(x, y)
    return value, _chance_of_line(value, len(x))


def _product_moment(x: Sequence[float], y: Sequence[float]) -> float:
    x, y = _centred(x), _centred(y)
    value = math.fsum(a * b for a, b in zip(x, y, strict=True)) / (math.hypot(*x) * math.hypot(*y))
    return max(-1.0, min(1.0, value))


def _spearman(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    x, y = _ranks(x), _ranks(y)
    value = _product_moment(x, y)
    return value, _share_of_orders(x, y) if len(x) <= _EXACT else _chance_of_line(value, len(x))


def _kendall(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    n, pairs = len(x), math.comb(len(x), 2)
    signs = [
        _sign(b - a) * _sign(d - c) for (a, c), (b, d) in combinations(zip(x, y, strict=True), 2)
    ]
    score, discordant = sum(signs), signs.count(-1)
    ties = [[size for size in Counter(z).values() if size > 1] for z in (x, y)]
    untied = [pairs - sum(math.comb(size, 2) for size in sizes) for sizes in ties]
    value = score / math.sqrt(untied[0] * untied[1])
    fewest = min(discordant, pairs - discordant)
    if not any(ties) and (n <= _EXACT_PAIRS or fewest <= 1):
        return value, min(1.0, 2 * _orders_with_inversions(n, fewest) / math.factorial(n))
    return value, math.erfc(abs(score) / math.sqrt(2 * _variance_of_score(n, *ties)))


def _variance_of_score(n: int, x: Sequence[int], y: Sequence[int]) -> float:
    """Return the variance of concordant less discordant pairs, from the sizes of groups of ties."""

    def over(sizes: Sequence[int], term: Callable[[int], int]) -> int:
        return sum(size * (size - 1) * term(size) for size in sizes)

    orders, once, twice = n * (n - 1), (lambda t: 1), (lambda t: t - 2)
    plain = orders * (2 * n + 5) - sum(over(sizes, lambda t: 2 * t + 5) for sizes in (x, y))
    return (
        plain / 18
        + over(x, once) * over(y, once) / (2 * orders)
        + over(x, twice) * over(y, twice) / (9 * orders * (n - 2))
    )


def _orders_with_inversions(n: int, most: int) -> int:
    """Return the number of orders of n things with at most `most` pairs the wrong way round."""
    counts = [1] + [0] * most
    for size in range(2, n + 1):
        # The new thing stands before 0 to size - 1 of the others.
        counts = [sum(counts[max(0, k - size + 1) : k + 1]) for k in range(most + 1)]
    return sum(counts)


def _chance_of_line(value: float, n: int) -> float:
    """Return p of Pearson's correlation: t with n - 2 degrees, as a regularised incomplete beta."""
    return _incomplete_beta(1 - value * value, (n - 2) / 2, 0.5)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function (DLMF 8.17.22, by Lentz's method)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly, its mirror image does not
        return 1 - _incomplete_beta(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    upper, lower = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = lower
    for m in range(1, _STEPS):
        before = value
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            lower = 1 / (1 + step * lower)
            upper = 1 + step / upper
            value *= upper * lower
        if abs(value - before) <= 1e-15 * abs(value):
            break
    return front * value / a


def _share_of_orders(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the share of all orders of ``y`` that go with ``x`` at least as strongly."""
    import numpy as np

    first, second = np.array(_centred(x)), _centred(y)
    products = np.abs(np.array(list(permutations(second))) @ first)
    return float((products >= abs(first @ np.array(second)) - 1e-9).mean())


def _centred(values: Sequence[float]) -> list[float]:
    mean = math.fsum(values) / len(values)
    return [value - mean for value in values]


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the ranks from 1; equal values share the mean of theirs."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values), 1):
        places.setdefault(value, []).append(place)
    return [sum(places[value]) / len(places[value]) for value in values]


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)


_STATISTICS: dict[str, Callable[[Sequence[float], Sequence[float]], tuple[float, float]]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall": _kendall,
}
_INTERVALS = {"pearson": "fisher", "spearman": "bonett-wright", "kendall": "fieller"}
