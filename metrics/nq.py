"""Natural Questions, scored against five annotations of each question.

Source: Kwiatkowski et al. (2019), section 5, and the scorer released with the data. An example has
a gold answer when at least ``beta`` of its annotators (2) gave one; then a prediction is right when
it equals any of theirs. Otherwise every prediction is wrong and none is right. Precision and recall
are over all examples together: right / predicted, and right / examples with a gold answer.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Literal, NamedTuple

from metrics.score import SCORE, Evaluation, Figure, Numbers, f1, missing_option, ratio_or_zero

YesNo = Literal["yes", "no", "none"]

MEASURES = ("f1", "precision", "recall", "accuracy")
"""What is measured of long and of short answers, as figures name it."""
BETA = 2
TARGETS = (0.5, 0.75, 0.9)
"""The precisions at which recall is reported."""


class NqSpan(NamedTuple):
    """A stretch of the page, by bytes or by tokens or both: from start up to before end.

    Offsets that are not known are -1.
    """

    start_byte: int
    end_byte: int
    start_token: int
    end_token: int


class NqAnnotation(NamedTuple):
    """What one annotator answered: ``long`` is None and ``short`` empty where they gave none."""

    long: NqSpan | None
    short: tuple[NqSpan, ...]
    yes_no: YesNo = "none"


class Prediction(NamedTuple):
    """What a system answered; a score of None means that the system gives no scores."""

    long: NqSpan | None
    short: tuple[NqSpan, ...]
    yes_no: YesNo = "none"
    long_score: float | None = None
    short_score: float | None = None


NOTHING = Prediction(None, ())


class ScoredExample(NamedTuple):
    """One example: is there a gold answer, is there a predicted one, is it right; its score."""

    gold: bool
    prediction: bool
    correct: bool
    score: float


_DROPPED = {gold: ScoredExample(gold, False, False, 0.0) for gold in (False, True)}
"""What is left of an example whose score is below the threshold."""


class Curve(NamedTuple):
    """What thresholds on the score can reach.

    ``threshold`` is the highest one with the best F1, 0 where no threshold has an F1 above 0.
    ``recall_at`` has, for each target, the (recall, precision) of highest recall among thresholds
    with at least that precision; (0, 0) where there is none.
    """

    threshold: float
    f1: float
    recall_at: dict[float, tuple[float, float]]


def score_predictions(
    references: Mapping[str, Sequence[NqAnnotation]],
    predictions: Mapping[str, Prediction],
    *,
    beta: int = BETA,
) -> Evaluation:
    """Score long and short answers, both mappings keyed on the example's id.

    ``long`` and ``short`` {precision, recall, f1, accuracy} count only the predictions whose score
    is at least the threshold with the best F1 on these very examples, as the official scorer
    reports; ``long_all`` and ``short_all`` count every prediction whatever its score. Without
    scores the two are the same. ``accuracy`` is the paper's A: the share of examples where the
    answer is right, or where there is neither a gold answer nor a predicted one. Intervals keep the
    threshold that was found. An example without a prediction counts as one with no answer.

    Extras, for long and short: ``threshold``, and ``recall_at_precision_50``, ``_75``, ``_90`` with
    the precision reached (``precision_at_precision_50``, ...).

    Raises ``ValueError`` where an example has no annotations.
    """
    columns: dict[str, list[float]] = {}
    figures: list[Figure] = []
    extras: dict[str, float | None] = {}
    judges: dict[str, Callable[[Sequence[NqAnnotation], Prediction, int], ScoredExample]]
    judges = {"long": judge_long, "short": judge_short}
    for kind, judge in judges.items():
        judged = []
        for name, annotations in references.items():
            if not annotations:
                raise ValueError(f"{name} has no annotations")
            judged.append(judge(annotations, predictions.get(name, NOTHING), beta))
        curve = sweep_thresholds(judged)
        # Where no threshold is of use, that is what is reported.
        threshold = curve.threshold if curve.f1 else math.inf
        kept = [item if item.score >= threshold else _DROPPED[item.gold] for item in judged]
        for group, items, used in ((kind, kept, "best-f1"), (f"{kind}_all", judged, "none")):
            columns |= _columns(group, items)
            figures += _figures(group, used)
        extras |= _extras(kind, curve)
    return Evaluation(
        task="nq",
        ids=list(references),
        columns=columns,
        figures=figures,
        options={"beta": str(beta)} | missing_option(references, predictions),
        counts={"n": len(references)},
        extras=extras,
    )


def judge_long(
    annotations: Sequence[NqAnnotation], prediction: Prediction, beta: int
) -> ScoredExample:
    """Judge a long answer: right when its span equals any annotator's (``same_span``)."""
    spans = [annotation.long for annotation in annotations if annotation.long]
    gold = len(spans) >= beta
    span = prediction.long
    correct = gold and span is not None and _among(span, spans)
    return ScoredExample(gold, span is not None, correct, prediction.long_score or 0.0)


def judge_short(
    annotations: Sequence[NqAnnotation], prediction: Prediction, beta: int
) -> ScoredExample:
    """Judge a short answer, which is a set of spans, or yes or no.

    A yes or no is right when any annotator said the same, a set when it equals the whole set of any
    annotator (``same_spans``).
    """
    gold = len([1 for _, short, said in annotations if short or said != "none"]) >= beta
    if prediction.yes_no != "none":
        given = True
        correct = gold and any(other.yes_no == prediction.yes_no for other in annotations)
    else:
        given = bool(prediction.short)
        correct = (
            gold
            and given
            and any(same_spans(prediction.short, other.short) for other in annotations)
        )
    return ScoredExample(gold, given, correct, prediction.short_score or 0.0)


def same_span(first: NqSpan, second: NqSpan) -> bool:
    """Whether two spans are equal by bytes or, failing that, by tokens; unknown equals nothing."""
    return (first[0] >= 0 and first[:2] == second[:2]) or (
        first[2] >= 0 and first[2:] == second[2:]
    )


def _among(span: NqSpan, spans: Sequence[NqSpan]) -> bool:
    return any(map(same_span, repeat(span), spans))


def same_spans(first: Sequence[NqSpan], second: Sequence[NqSpan]) -> bool:
    """Whether each span of either set equals one of the other, in any order."""
    if not (first and second):
        return not (first or second)
    if len(first) == len(second) == 1:
        return same_span(first[0], second[0])
    return all(_among(one, second) for one in first) and all(_among(one, first) for one in second)


def sweep_thresholds(judged: Iterable[ScoredExample], targets: Sequence[float] = TARGETS) -> Curve:
    """Try each score as the threshold; equal scores are kept or dropped together.

    Of thresholds with the same F1 the highest is taken, and for each target the highest of those
    with the same recall.
    """
    items = list(judged)
    gold = sum(item.gold for item in items)
    # An example without a predicted answer moves neither precision nor recall.
    given = sorted(
        ((item.score, item.correct) for item in items if item.prediction),
        key=lambda pair: pair[0],
        reverse=True,
    )
    threshold = best = 0.0
    recall_at = dict.fromkeys(targets, (0.0, 0.0))
    right = 0
    for place, (value, correct) in enumerate(given, 1):
        right += correct
        if place < len(given) and given[place][0] == value:
            continue
        precision, recall = ratio_or_zero(right, place), ratio_or_zero(right, gold)
        reached = f1(precision, recall)
        if reached > best:
            threshold, best = value, reached
        for target in targets:
            if precision >= target and recall > recall_at[target][0]:
                recall_at[target] = (recall, precision)
    return Curve(threshold, best, recall_at)


def _columns(group: str, items: Sequence[ScoredExample]) -> dict[str, list[float]]:
    gold, given, correct, _ = zip(*items, strict=True) if items else ((), (), (), ())
    accurate = [right or not (wanted or said) for wanted, said, right, _ in items]
    columns = {"gold": gold, "prediction": given, "correct": correct, "accurate": accurate}
    return {f"{group}_{name}": list(map(float, values)) for name, values in columns.items()}


def _figures(group: str, threshold: str) -> list[Figure]:
    gold, given, correct = (f"{group}_{name}" for name in ("gold", "prediction", "correct"))
    options = (("threshold", threshold),)
    return [
        Figure(f"{group}.precision", (correct, given), ratio_or_zero, None, options, SCORE),
        Figure(f"{group}.recall", (correct, gold), ratio_or_zero, None, options, SCORE),
        Figure(
            *(f"{group}.f1", (correct, given, gold), micro_f1),
            options=options,
            scale=SCORE,
            weights=(given, gold),
        ),
        Figure(f"{group}.accuracy", (f"{group}_accurate",), options=options, scale=SCORE),
    ]


def micro_f1(correct: Numbers, predicted: Numbers, gold: Numbers) -> Numbers:
    """Return F1 from the means (or sums) of right, predicted and gold; 0 where none is right."""
    return f1(ratio_or_zero(correct, predicted), ratio_or_zero(correct, gold))


def _extras(kind: str, curve: Curve) -> dict[str, float | None]:
    found: dict[str, float | None] = {f"{kind}.threshold": curve.threshold}
    for target, (recall, precision) in curve.recall_at.items():
        found[f"{kind}.recall_at_precision_{target:.0%}".rstrip("%")] = recall
        found[f"{kind}.precision_at_precision_{target:.0%}".rstrip("%")] = precision
    return found
