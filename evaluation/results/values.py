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

from metrics import proportions, reliability, resampling
from metrics.score import Evaluation, Figure, Score, ratio_or_zero

LEVEL = 0.95
TOO_FEW = f"Intervals need at least {resampling.LEAST} questions."

Value = dict[str, Any]


class Maker:
    """Makes values with intervals, all with the settings of one study."""

    def __init__(self, *, seed: int, resamples: int) -> None:
        self.seed, self.resamples = seed, resamples

    def value(
        self, evaluation: Evaluation, name: str, *, counted: int, bounds: tuple[float, float]
    ) -> Value:
        """Return a figure with its interval; `bounds`: the smallest and the largest it can be.

        Where all questions agree, resamples have no width: the interval is then Wilson's of the
        figure as a share of its range.
        """
        figure = next(figure for figure in evaluation.figures if figure.name == name)
        value, questions = evaluation.value(figure), evaluation.count(figure)
        found: Value = {"value": number(value), "low": None, "high": None, "n": counted}
        if not questions:
            return found | {"note": "Nothing was judged."}
        if questions < resampling.LEAST:
            return found | {"note": TOO_FEW}
        drawn = resampling.bootstrap_intervals(evaluation, **self.options(questions))[name]
        low, high = drawn.low, drawn.high
        if high - low < 1e-9:
            least, span = bounds[0], bounds[1] - bounds[0]
            share = min(max((value - least) / span, 0), 1)
            low, high = (
                least + span * bound
                for bound in proportions.wilson_interval(share * questions, questions, level=LEVEL)
            )
        return found | {"low": low, "high": high}

    def options(self, questions: int) -> dict[str, Any]:
        """Return the options of a resampling of this many questions."""
        level = resampling.widen_level(LEVEL, max(resampling.LEAST, questions))
        return {"resamples": self.resamples, "seed": self.seed, "level": level}

    def score(self, score: Score, questions: int) -> Value:
        """Return a score whose own interval was made with `options`."""
        found = {"value": number(score.value), "low": None, "high": None, "n": score.n}
        if math.isnan(score.value):
            return found | {"note": "All ratings are the same, so agreement has no value."}
        if score.interval is None or questions < resampling.LEAST:
            return found | {"note": TOO_FEW}
        return found | {"low": score.interval.low, "high": score.interval.high}


def mean(values: Sequence[tuple[str, float]]) -> Evaluation:
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


def agreement(
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
        "same": make.value(mean(same), "mean", counted=len(same), bounds=(0, 100)),
    }
    if not shared:
        empty = nothing("Nothing was judged by two people.")
        return found | {"alpha": empty, "same": empty}
    clusters: list[Hashable] = [question for question, _ in shared]
    questions = len(set(clusters))
    alpha = reliability.krippendorff_alpha(
        [ratings for _, ratings in shared],
        scale=scale,
        clusters=clusters,
        **make.options(questions),
    )
    return found | {"alpha": make.score(alpha, questions)}


def nothing(note: str) -> Value:
    return {"value": None, "low": None, "high": None, "n": 0, "note": note}


def number(value: float) -> float | None:
    """Return a number as JSON can hold it."""
    return value if math.isfinite(value) else None
