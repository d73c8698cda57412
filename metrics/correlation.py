"""Whether two scores rank systems alike: Pearson, Spearman and Kendall.

A correlation over systems rests on few of them, so each says how many, how sure it is, and whether
chance alone would do. Where there is no number, ``value`` is ``nan`` and ``note`` says why.

Sources: Fisher 1921 (Pearson's interval), Bonett and Wright 2000 (Spearman's), Fieller, Hartley and
Pearson 1957 (Kendall's).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from numbers import Real
from statistics import NormalDist
from typing import Any, Literal

from metrics.score import BadInput, signature

Method = Literal["pearson", "spearman", "kendall"]

_EXACT = 8
"""The largest number of systems for which Spearman's p-value counts every order (8! = 40,320)."""


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


def correlate(
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
        signature=signature(
            f"correlation.{method}",
            {"over": "systems", "interval": f"{_INTERVALS[method]}-{level:g}"},
        ),
        note=note,
    )


def table(
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
            found[row, column] = correlate(
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


def _pearson(x: list[float], y: list[float]) -> tuple[float, float]:
    from scipy import stats  # takes a second to import

    found = stats.pearsonr(x, y)
    return float(found.statistic), float(found.pvalue)


def _kendall(x: list[float], y: list[float]) -> tuple[float, float]:
    from scipy import stats

    found = stats.kendalltau(x, y)
    return float(found.statistic), float(found.pvalue)


def _spearman(x: list[float], y: list[float]) -> tuple[float, float]:
    from scipy import stats

    found = stats.spearmanr(x, y)
    if len(x) > _EXACT:
        return float(found.statistic), float(found.pvalue)
    return float(found.statistic), _share_of_orders(stats.rankdata(x), stats.rankdata(y))


def _share_of_orders(x: Any, y: Any) -> float:
    """Return the share of all orders of ``y`` that go with ``x`` at least as strongly."""
    import numpy as np

    x, y = x - x.mean(), y - y.mean()
    products = np.abs(np.array(list(permutations(y))) @ x)
    return float((products >= abs(x @ y) - 1e-9).mean())


_STATISTICS: dict[str, Callable[[list[float], list[float]], tuple[float, float]]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall": _kendall,
}
_INTERVALS = {"pearson": "fisher", "spearman": "bonett-wright", "kendall": "fieller"}
