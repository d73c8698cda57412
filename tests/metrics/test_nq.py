"""Natural Questions: judging, and the threshold."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import nq
from metrics.nq import Curve, NqAnnotation, NqSpan, Prediction, ScoredExample
from metrics.score import ratio_or_zero

A, B, C = (NqSpan(k, k + 5, k // 10, k // 10 + 2) for k in (10, 20, 30))


def values(evaluation):
    return {figure.name: evaluation.value(figure) for figure in evaluation.figures}


def five(*given):
    """Five annotators: those given, and the rest found nothing."""
    return [*given, *[NqAnnotation(None, ())] * (5 - len(given))]


def long(span):
    return NqAnnotation(span, ())


def short(*spans, said="none"):
    return NqAnnotation(None, spans, said)


@pytest.mark.parametrize(
    ("annotators", "predicted", "judged"),
    [
        ([A, B], A, (True, True, True)),
        ([A, B], B, (True, True, True)),
        ([A, B], C, (True, True, False)),
        ([A, B], None, (True, False, False)),
        ([A], A, (False, True, False)),  # one annotator is not enough: a false positive
        ([A], None, (False, False, False)),
    ],
)
def test_long(annotators, predicted, judged):
    found = nq.judge_long(five(*map(long, annotators)), Prediction(predicted, ()), 2)
    assert found[:3] == judged


@pytest.mark.parametrize(
    ("annotators", "predicted", "judged"),
    [
        ([short(A, B), short(C)], short(B, A), (True, True, True)),  # a set, in any order
        ([short(A, B), short(C)], short(A), (True, True, False)),  # the whole set
        ([short(A), short(B)], short(A, B), (True, True, False)),  # of one annotator
        ([short(A), short(said="yes")], short(said="yes"), (True, True, True)),
        ([short(A), short(said="yes")], short(said="no"), (True, True, False)),
        ([short(A), short(said="yes")], short(A), (True, True, True)),
        ([short(A, said="yes"), short(B)], short(A), (True, True, True)),
        ([short(said="yes")], short(said="yes"), (False, True, False)),
        ([short(A), short(B)], short(), (True, False, False)),  # nothing equals nothing: no answer
        ([short(A)], short(), (False, False, False)),
    ],
)
def test_short(annotators, predicted, judged):
    found = nq.judge_short(five(*annotators), Prediction(None, *predicted[1:]), 2)
    assert found[:3] == judged


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (NqSpan(1, 2, 3, 4), NqSpan(1, 2, 3, 4), True),
        (NqSpan(1, 2, 3, 4), NqSpan(1, 2, -1, -1), True),
        (NqSpan(1, 2, 3, 4), NqSpan(-1, -1, 3, 4), True),
        (NqSpan(1, 2, 3, 4), NqSpan(1, 2, 3, 5), True),  # bytes agree
        (NqSpan(1, 2, 3, 4), NqSpan(1, 9, 3, 4), True),  # tokens agree, bytes do not
        (NqSpan(1, 2, 3, 4), NqSpan(1, 9, 3, 5), False),
        (NqSpan(1, 2, -1, -1), NqSpan(-1, -1, 3, 4), False),  # nothing to compare
        (NqSpan(1, 2, -1, -1), NqSpan(3, 4, -1, -1), False),
    ],
)
def test_same_span(first, second, same):
    assert nq.same_span(first, second) is same
    assert nq.same_span(second, first) is same


def judged(*rows):
    return [ScoredExample(*row) for row in rows]


def test_equal_scores_are_kept_together():
    items = judged((1, 1, 1, 3.0), (1, 1, 0, 2.0), (1, 1, 1, 2), (0, 1, 0, 1.0))
    # Thresholds: 3 gives P 1, R 1/3; 2 gives P 2/3, R 2/3; 1 gives P 1/2, R 2/3.
    assert nq.sweep_thresholds(items) == Curve(
        2.0, pytest.approx(2 / 3), {0.5: (2 / 3, 2 / 3), 0.75: (1 / 3, 1), 0.9: (1 / 3, 1)}
    )
    assert nq.sweep_thresholds(items[::-1]) == nq.sweep_thresholds(items)


def test_no_threshold_is_of_use():
    nothing = dict.fromkeys(nq.TARGETS, (0, 0))
    assert nq.sweep_thresholds(judged((1, 1, 0, -3.0), (0, 1, 0, 7.0))) == Curve(0, 0, nothing)
    assert nq.sweep_thresholds([]) == Curve(0, 0, nothing)
    evaluation = nq.score_predictions(
        {"e": five(long(A), long(A))}, {"e": Prediction(B, (), "none", -3, 0)}
    )
    assert {values(evaluation)[f"long.{name}"] for name in ("precision", "recall", "f1")} == {0}
    assert evaluation.extras["long.threshold"] == 0
    assert evaluation.columns["long_all_prediction"] == [1]


ITEM = st.tuples(st.booleans(), st.booleans(), st.booleans(), st.integers(-3, 3)).map(
    lambda row: ScoredExample(row[0], row[1], row[0] and row[1] and row[2], float(row[3]))
)


@given(st.lists(ITEM, max_size=12))
def test_the_sweep_against_trying_every_threshold(items):
    curve = nq.sweep_thresholds(items)
    gold = sum(item.gold for item in items)
    tried = []
    for threshold in sorted({item.score for item in items}, reverse=True):
        kept = [item for item in items if item.score >= threshold and item.prediction]
        right = sum(item.correct for item in kept)
        precision, recall = ratio_or_zero(right, len(kept)), ratio_or_zero(right, gold)
        tried.append((nq.f1(precision, recall), precision, recall, threshold))
    best = max((row[0] for row in tried), default=0)
    assert curve.f1 == best
    assert curve.threshold == (next(row[3] for row in tried if row[0] == best) if best else 0)
    for target, (recall, _) in curve.recall_at.items():
        assert recall == max((row[2] for row in tried if row[1] >= target), default=0)


def example():
    gold = {
        "1": five(long(A), long(B)),
        "2": five(long(A), long(A)),
        "3": five(long(A)),
        "4": five(),
    }
    given = {
        "1": Prediction(A, (), "none", 3.0, 0.0),
        "2": Prediction(B, (), "none", 1.0, 0.0),
        "3": Prediction(A, (), "none", 0.5, 0.0),
        "4": Prediction(None, (), "none", 9.0, 0.0),
    }
    return gold, given


def test_with_and_without_the_threshold():
    found = nq.score_predictions(*example())
    assert found.extras["long.threshold"] == 3.0
    assert found.extras["long.recall_at_precision_90"] == 0.5
    assert found.extras["long.precision_at_precision_90"] == 1
    expected = {
        "long.precision": 1,
        "long.recall": 0.5,
        "long.f1": pytest.approx(2 / 3),
        "long.accuracy": 0.75,  # 1 right, 2 not, 3 and 4 rightly without an answer
        "long_all.precision": pytest.approx(1 / 3),
        "long_all.recall": 0.5,
        "long_all.f1": pytest.approx(0.4),
        "long_all.accuracy": 0.5,
        "short.f1": 0,
        "short.accuracy": 1,
    }
    assert {name: values(found)[name] for name in expected} == expected
    assert "threshold:best-f1" in found.signature(found.figures[0])


def test_without_scores_all_predictions_count():
    gold, given = example()
    given = {name: item._replace(long_score=None) for name, item in given.items()}
    found = values(nq.score_predictions(gold, given))
    for name in ("precision", "recall", "f1", "accuracy"):
        assert found[f"long.{name}"] == found[f"long_all.{name}"]


def test_how_many_annotators_make_an_answer():
    gold, given = example()
    assert values(nq.score_predictions(gold, given, beta=1))["long_all.precision"] == pytest.approx(
        2 / 3
    )
    with pytest.raises(ValueError, match="x has no annotations"):
        nq.score_predictions({"x": []}, {})


SPANS = st.sampled_from([None, A, B, C])


@given(st.lists(st.tuples(st.lists(SPANS, min_size=5, max_size=5), SPANS), min_size=1, max_size=8))
def test_bounds_and_the_gold_itself(rows):
    gold = {str(n): [long(span) for span in spans] for n, (spans, _) in enumerate(rows)}
    given = {str(n): Prediction(span, (), "none", n % 3, 0) for n, (_, span) in enumerate(rows)}
    assert all(0 <= value <= 1 for value in values(nq.score_predictions(gold, given)).values())
    best = {}
    for name, annotations in gold.items():
        spans = [annotation.long for annotation in annotations if annotation.long]
        best[name] = Prediction(spans[0] if len(spans) >= 2 else None, ())
    found = values(nq.score_predictions(gold, best))
    assert found["long.accuracy"] == 1
    assert found["long.f1"] == any(item.long for item in best.values())


def test_every_pair_of_span_sets_is_compared_both_ways():
    sets = [(), (A,), (A, B), (B, A), (A, A)]
    for one, other in product(sets, sets):
        assert nq.same_spans(one, other) == (set(one) == set(other))
