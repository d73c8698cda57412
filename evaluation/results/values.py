"""Values of a study with their intervals: what all figures of the results are made of.

Intervals hold 95 % and resample questions, because the judgments of one question depend on each
other. A value is JSON: {"value", "low", "high", "n"}; what does not exist is None, and "note" then
says why.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

from metrics import intervals, reliability, resampling
from metrics.score import Evaluation, Figure, Interval, Scale, Score, ratio_or_zero

LEVEL = intervals.LEVEL

Value = dict[str, Any]


class Maker:
    """Makes values with intervals, all with the settings of one study."""

    def __init__(self, *, seed: int, resamples: int) -> None:
        self.seed, self.resamples = seed, resamples

    def value(
        self, evaluation: Evaluation, name: str, *, counted: int, bounds: tuple[float, float]
    ) -> Value:
        """Return a figure with its interval; `bounds`: the smallest and the largest it can be."""
        figure = next(figure for figure in evaluation.figures if figure.name == name)
        evaluation = evaluation.with_figures([figure._replace(scale=Scale(*bounds))])
        value = keep_finite(evaluation.value(figure))
        reported = intervals.report_intervals(
            evaluation,
            resamples=self.resamples,
            level=LEVEL,
            seed=self.seed,
            expanded_below=math.inf,
        )
        if name not in reported:
            return make_empty_value("Nothing was judged.") | {"n": counted}
        return _with_interval(value, counted, *reported[name])

    def options(self, questions: int) -> dict[str, Any]:
        """Return the options of a resampling of this many questions."""
        level = resampling.widen_level(LEVEL, max(intervals.LEAST, questions))
        return {"resamples": self.resamples, "seed": self.seed, "level": level}

    def score(self, score: Score) -> Value:
        """Return a score whose own interval was made with `options`."""
        if math.isnan(score.value):
            note = "All ratings are the same, so agreement has no value."
            return make_empty_value(note) | {"n": score.n}
        return _with_interval(keep_finite(score.value), score.n, score.interval, score.note)


def _with_interval(value: float | None, n: int, interval: Interval | None, note: str) -> Value:
    if interval is None:
        return {"value": value, "low": None, "high": None, "n": n, "note": note}
    return {"value": value, "low": interval.low, "high": interval.high, "n": n}


def average_by_question(values: Sequence[tuple[str, float]]) -> Evaluation:
    """Return the mean of values, each with its question: a question with more weighs more."""
    by_question: dict[str, list[float]] = defaultdict(list)
    for question, value in values:
        by_question[question].append(value)
    return Evaluation(
        task="study",
        ids=list(by_question),
        columns={
            "sum": [math.fsum(group) for group in by_question.values()],
            "count": [float(len(group)) for group in by_question.values()],
        },
        figures=[Figure("mean", ("sum", "count"), ratio_or_zero)],
    )


def measure_agreement(
    units: Mapping[Any, tuple[str, Sequence[Any]]], scale: reliability.Scale, make: Maker
) -> dict[str, Any]:
    """Return alpha, and the share of pairs of raters of a unit who said the same.

    units: of each, its question and what its raters said.
    """
    shared = [(question, ratings) for question, ratings in units.values() if len(ratings) > 1]
    same = [
        (question, 100.0 * (one == other))
        for question, ratings in shared
        for one, other in combinations(ratings, 2)
    ]
    found = {
        "scale": scale,
        "units": len(shared),
        "same": make.value(average_by_question(same), "mean", counted=len(same), bounds=(0, 100)),
    }
    if not shared:
        empty = make_empty_value("Nothing was judged by two people.")
        return found | {"alpha": empty, "same": empty}
    clusters: list[Hashable] = [question for question, _ in shared]
    questions = len(set(clusters))
    alpha = reliability.krippendorff_alpha(
        [ratings for _, ratings in shared],
        scale=scale,
        clusters=clusters,
        **make.options(questions),
    )
    return found | {"alpha": make.score(alpha)}


def share_of(part: float, whole: int) -> Value:
    """Return a share of independent items, in per cent."""
    found = intervals.find_share_interval(part, whole, level=LEVEL)
    value: Value = {"value": 100 * part / whole, "low": None, "high": None, "n": whole}
    if found is None:
        return value | {"note": intervals.TOO_FEW}
    return value | {"low": 100 * found[0], "high": 100 * found[1]}


def make_empty_value(note: str) -> Value:
    return {"value": None, "low": None, "high": None, "n": 0, "note": note}


def keep_finite(value: float) -> float | None:
    """Return a number as JSON can hold it."""
    return value if math.isfinite(value) else None
