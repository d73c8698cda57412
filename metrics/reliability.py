"""Agreement beyond chance: Cohen's and Fleiss' kappa, Krippendorff's alpha.

All of them are ``1 − observed disagreement / expected disagreement``: 1 where everyone agrees, 0
where people agree no more than by chance, negative where they disagree more than that.

Where every rating is the same one, no disagreement was to be expected, and the coefficient is 0/0:
the value is ``nan``. Such ratings show neither that people agree nor that they do not.

Intervals resample units (percentile), or, where units belong together, whole clusters of them. A
resample in which the coefficient is 0/0 is left out;
where that happens in more than half of them there is no interval.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from metrics import resampling
from metrics.intervals import ReportedInterval, report_drawn
from metrics.score import BadInput, Score, build_signature

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Statistic = Callable[[Array], Array]
"""From how often each unit counts, of shape (resamples, units), to a value per resample."""

Weights = Literal["nominal", "linear", "quadratic"]
Scale = Literal["nominal", "ordinal", "interval", "ratio"]


def cohen_kappa(
    first: Sequence[Hashable | None],
    second: Sequence[Hashable | None],
    *,
    weights: Weights = "nominal",
    order: Sequence[Hashable] | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 1,
) -> Score:
    """Return the agreement of two raters on the same units: ``1 − Σ w·observed / Σ w·expected``.

    ``first`` and ``second`` have shape (units,); a unit without a rating (None or nan) of either is
    left out. ``expected`` multiplies the two raters' own shares. ``w`` is how much a disagreement
    counts: 1 (nominal), the distance of the categories in ``order`` (linear), or its square.

    Raises ``BadInput`` where the lengths differ, where no unit has both ratings, or where weighted
    disagreements lack an ``order`` that names every rating.

    Source: Cohen 1960; weighted: Cohen 1968.
    """
    if len(first) != len(second):
        raise BadInput(
            f"One rater has {len(first):,} ratings and the other {len(second):,}: "
            "give both one entry per unit, None where there is no rating."
        )
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if _given(a) and _given(b)]
    if not pairs:
        raise BadInput("No unit was rated by both: there is nothing to compare.")
    if weights != "nominal" and order is None:
        raise BadInput(f"Kappa with {weights} weights needs the order of the categories.")
    names = _categories([rating for pair in pairs for rating in pair], order)
    a, b = (np.array([names[pair[side]] for pair in pairs]) for side in (0, 1))
    distance = np.abs(np.subtract.outer(np.arange(len(names)), np.arange(len(names))))
    power = {"nominal": 0, "linear": 1, "quadratic": 2}[weights]
    weight = np.where(distance == 0, 0.0, distance.astype(np.float64) ** power)
    rows, columns, observed = _sums(a, len(names)), _sums(b, len(names)), weight[a, b]

    def statistic(times: Array) -> Array:
        expected = np.einsum("ra,ab,rb->r", rows(times), weight, columns(times), optimize=True)
        return _one_minus(times @ observed * times.sum(axis=1), expected)

    return _scored(
        "cohen_kappa", statistic, len(pairs), {"weights": weights}, resamples, level, seed
    )


def fleiss_kappa(
    units: Sequence[Sequence[Hashable | None]],
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 1,
) -> Score:
    """Return the agreement of several raters, who need not be the same ones for every unit.

    ``units`` has shape (units, ratings); None and nan are no rating. With ``P`` the mean share of
    agreeing pairs of raters in a unit, and ``E`` the sum of the squared shares of the categories,
    it is ``(P − E) / (1 − E)``.

    Raises ``BadInput`` where units have different numbers of ratings: the coefficient is not
    defined for them, and ``krippendorff_alpha`` is.

    Source: Fleiss 1971.
    """
    rated = [[rating for rating in unit if _given(rating)] for unit in units]
    if not rated or len(rated[0]) < 2:
        raise BadInput("Fleiss' kappa needs at least two ratings of each unit.")
    for number, unit in enumerate(rated, 1):
        if len(unit) != len(rated[0]):
            raise BadInput(
                f"Unit {number} has {len(unit)} rating{'' if len(unit) == 1 else 's'} and unit 1 "
                f"has {len(rated[0])}. Fleiss' "
                "kappa needs equally many: use Krippendorff's alpha, which allows for missing ones."
            )
    size = len(rated[0])
    names = _categories([rating for unit in rated for rating in unit], None)
    of_unit = np.repeat(np.arange(len(rated)), size)
    codes = np.array([names[rating] for unit in rated for rating in unit])
    marginal = _sums(codes, len(names))
    disagreeing = _disagreements(rated, lambda x, y: float(names[x] != names[y])) / size

    def statistic(times: Array) -> Array:
        total = times.sum(axis=1)
        shares = marginal(times[:, of_unit]) / (total * size)[:, np.newaxis]
        expected = np.where((shares > 0).sum(axis=1) > 1, 1 - (shares**2).sum(axis=1), 0)
        return _one_minus(times @ disagreeing / total, expected)

    return _scored(
        "fleiss_kappa", statistic, len(rated), {}, resamples, level, seed, ratings=len(codes)
    )


def krippendorff_alpha(
    units: Sequence[Sequence[Any]],
    *,
    scale: Scale = "nominal",
    order: Sequence[Hashable] | None = None,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 1,
) -> Score:
    """Return the agreement of any number of raters, on any scale, with ratings missing.

    ``units`` has shape (units, ratings), rows of any length; None and nan are no rating. With
    ``n`` ratings in units that have two or more (the others say nothing about agreement and are
    not counted), and ``d(c, k)`` the squared difference of two values,
    ``alpha = 1 − (n − 1) · Σ_units Σ_pairs d / (ratings of the unit − 1) / Σ_all pairs d``.

    ``d`` is 0 or 1 (nominal); the square of how many ratings lie between the two, half of those
    at either end counted (ordinal); ``(c − k)²`` (interval); ``((c − k) / (c + k))²`` (ratio).
    Ordinal values are numbers, or stand in ``order`` from low to high. ``clusters`` names for each
    unit what it belongs to, such as a question: its units are then drawn together.

    Raises ``BadInput`` where no unit has two ratings, where values do not suit the scale, or where
    there is not one cluster for each unit.

    Source: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability".
    """
    if clusters is not None and len(clusters) != len(units):
        raise BadInput(f"There are {len(units)} units and {len(clusters)} clusters: name one each.")
    given = [[x for x in unit if _given(x)] for unit in units]
    paired = [place for place, unit in enumerate(given) if len(unit) > 1]
    rated: list[list[Any]] = [given[place] for place in paired]
    if not rated:
        raise BadInput("No unit has two ratings: there is nothing to compare.")
    if order is not None and scale != "ordinal":
        raise BadInput(f"An order of the values means nothing on the scale {scale}.")
    if scale != "nominal" and order is None:
        rated = [[_number(x, scale) for x in unit] for unit in rated]
    names = _categories([x for unit in rated for x in unit], order)
    statistic = _ordinal_alpha(rated, names) if scale == "ordinal" else _alpha(rated, names, scale)
    ratings = sum(map(len, rated))
    return _scored(
        "krippendorff_alpha",
        statistic,
        len(rated),
        {"scale": scale},
        resamples,
        level,
        seed,
        ratings=max(ratings, len(names)),
        clusters=None if clusters is None else [clusters[place] for place in paired],
    )


def _alpha(
    rated: Sequence[Sequence[Any]], names: Mapping[Hashable, int], scale: Scale
) -> Statistic:
    """Alpha where the difference of two values does not depend on the other ratings."""
    of_unit, codes, _ = _flat(rated, names)
    marginal = _sums(codes, len(names))
    observed = _disagreements(rated, _DIFFERENCE[scale])
    values = np.array(list(names), dtype=np.float64) if scale != "nominal" else None
    table = None
    if scale == "ratio" and values is not None:
        total = np.add.outer(values, values)
        table = (np.subtract.outer(values, values) / np.where(total == 0, 1, total)) ** 2

    def statistic(times: Array) -> Array:
        found = marginal(times[:, of_unit])
        n = found.sum(axis=1)
        if table is not None:
            expected = ((found @ table) * found).sum(axis=1)
        elif values is not None:
            expected = _squared_differences(found, values)
        else:
            expected = n**2 - (found**2).sum(axis=1)
        expected = np.where((found > 0).sum(axis=1) > 1, expected, 0)
        return _one_minus((n - 1) * (times @ observed), expected)

    return statistic


def _ordinal_alpha(rated: Sequence[Sequence[Any]], names: Mapping[Hashable, int]) -> Statistic:
    """Alpha on ranks: the ordinal difference is that of the values' mean ranks in the resample."""
    of_unit, codes, sizes = _flat(rated, names)
    marginal = _sums(codes, len(names))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def statistic(times: Array) -> Array:
        found = marginal(times[:, of_unit])
        ranks = np.cumsum(found, axis=1) - found / 2
        observed = np.empty(len(times))
        for number, (rank, weight) in enumerate(zip(ranks, times, strict=True)):
            rating = rank[codes]
            mean = np.add.reduceat(rating, starts) / sizes
            spread = np.add.reduceat((rating - mean[of_unit]) ** 2, starts)
            observed[number] = weight @ (2 * sizes / (sizes - 1) * spread)
        expected = np.where((found > 0).sum(axis=1) > 1, _squared_differences(found, ranks), 0)
        return _one_minus((found.sum(axis=1) - 1) * observed, expected)

    return statistic


_DIFFERENCE: dict[str, Callable[[Any, Any], float]] = {
    "nominal": lambda x, y: float(x != y),
    "interval": lambda x, y: (x - y) ** 2,
    "ratio": lambda x, y: ((x - y) / (x + y)) ** 2 if x + y else 0.0,
}


def _squared_differences(found: Array, values: Array) -> Array:
    """Return ``Σ_c Σ_k found_c · found_k · (value_c − value_k)²`` for each row of ``found``."""
    n = found.sum(axis=1, keepdims=True)
    centred = values - (found * values).sum(axis=1, keepdims=True) / n
    differences: Array = 2 * n[:, 0] * (found * centred**2).sum(axis=1)
    return differences


def _disagreements(
    rated: Sequence[Sequence[Any]], difference: Callable[[Any, Any], float]
) -> Array:
    """Return per unit the differences of all ordered pairs, over its ratings less one."""
    return np.array(
        [
            2
            * math.fsum(difference(x, y) for place, x in enumerate(unit) for y in unit[place + 1 :])
            / (len(unit) - 1)
            for unit in rated
        ]
    )


def _flat(
    rated: Sequence[Sequence[Any]], names: Mapping[Hashable, int]
) -> tuple[Codes, Codes, Codes]:
    """Return the unit and the value of each rating, and how many ratings each unit has."""
    sizes = np.array([len(unit) for unit in rated])
    codes = np.array([names[rating] for unit in rated for rating in unit])
    return np.repeat(np.arange(len(rated)), sizes), codes, sizes


def _sums(groups: Codes, size: int) -> Statistic:
    """Return a function that adds up the columns of each group: (r, members) to (r, size)."""
    by_group = np.argsort(groups, kind="stable")
    present, starts = np.unique(groups[by_group], return_index=True)

    def added(values: Array) -> Array:
        result = np.zeros((len(values), size))
        result[:, present] = np.add.reduceat(values[:, by_group], starts, axis=1)
        return result

    return added


def _categories(
    ratings: Iterable[Hashable], order: Sequence[Hashable] | None
) -> dict[Hashable, int]:
    """Return each category's place: in ``order``, or sorted where that can be, or as met."""
    found = dict.fromkeys(ratings)
    if order is None:
        try:
            return {name: place for place, name in enumerate(sorted(found))}  # type: ignore[type-var]
        except TypeError:
            return {name: place for place, name in enumerate(found)}
    places = {name: place for place, name in enumerate(order)}
    if len(places) < len(order):
        raise BadInput("The order of the categories names one of them twice.")
    if unknown := [repr(name) for name in found if name not in places]:
        raise BadInput(f"The order of the categories does not have {', '.join(unknown[:10])}.")
    return places


def _given(rating: object) -> bool:
    return rating is not None and rating == rating  # nan is the one value unlike itself


def _number(rating: Any, scale: str) -> float:
    if isinstance(rating, Real) and math.isfinite(rating):
        if scale == "ratio" and rating < 0:
            raise BadInput(f"{rating!r} is below 0, and the ratio scale begins at 0.")
        return float(rating)
    hint = "give their order" if scale == "ordinal" else "use the nominal scale"
    raise BadInput(f"{rating!r} is not a number on the scale {scale}: {hint}.")


def _one_minus(above: Array, below: Array) -> Array:
    """Return ``1 − above / below``, and ``nan`` where ``below`` is 0."""
    return np.where(below > 0, 1 - above / np.where(below > 0, below, 1), np.nan)


def _scored(
    name: str,
    statistic: Statistic,
    n: int,
    options: Mapping[str, str],
    resamples: int,
    level: float,
    seed: int,
    *,
    ratings: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> Score:
    """Make the score; ``ratings``: how many numbers the statistic makes of each resample."""
    reported = ReportedInterval(None)
    groups, of_unit = n, np.arange(n)
    if clusters is not None:
        options = {**options, "resampled": "clusters"}
        places = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
        groups, of_unit = len(places), np.array([places[name] for name in clusters])
    if resamples:
        drawn = resampling.draw_resamples(
            groups, resamples=resamples, seed=seed, width=max(n, ratings)
        )
        sample = np.concatenate([statistic(times[:, of_unit]) for times in drawn])
        drawn_interval = resampling.sample_interval(
            sample, level=level, resamples=resamples, seed=seed
        )
        reported = report_drawn(drawn_interval, groups)
    value = float(statistic(np.ones((1, n)))[0])
    text = build_signature(f"agreement.{name}", {"over": "units", **options}, reported.interval)
    return Score(name, value, n, text, *reported)
