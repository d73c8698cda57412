"""Formulas of section 5 of the NQ paper, checked by enumeration and by its own figures."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import nq_annotators as people
from metrics.nq import NqAnnotation, NqSpan

A, B = NqSpan(1, 2, 3, 4), NqSpan(5, 6, 7, 8)
LABELS = st.sampled_from([None, "a", "b"])


def values(evaluation):
    return {figure.name: evaluation.value(figure) for figure in evaluation.figures}


@pytest.mark.parametrize(
    ("annotations", "label", "right"),
    [
        ("ab...", "a", True),
        ("ab...", "b", True),
        ("ab...", "c", False),
        ("ab...", None, False),
        ("a....", "a", False),
        ("a....", None, True),
        (".....", None, True),
    ],
)
def test_correct(annotations, label, right):
    given = [None if each == "." else each for each in annotations]
    assert people.is_correct(given, label) is right


def test_accuracy_precision_recall():
    gold = [["a", "a", None], ["a", "b", None], ["a", None, None], [None] * 3]
    found = people.score_labels(gold, ["a", None, "a", None])
    assert found == (2 / 4, 1 / 2, 1 / 2, 1 / 2)
    assert people.score_labels(gold, [None] * 4) == (1 / 2, 0, 0, 0)
    assert people.score_labels([["a"]], ["a"], beta=1) == (1, 1, 1, 1)
    with pytest.raises(ValueError, match="at least one example"):
        people.score_labels([], [])
    with pytest.raises(ValueError, match="shorter"):
        people.score_labels(gold, ["a"])


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 5), st.integers(1, 3))
def test_chances_are_those_of_every_possible_vote(first, second, annotators, beta):
    answer, nothing = first * (1 - second), second
    weight = {"l": answer, None: nothing, "other": 1 - answer - nothing}
    as_answer = as_none = 0.0
    for votes in product(weight, repeat=annotators):
        chance = 1.0
        for vote in votes:
            chance *= weight[vote]
        as_answer += chance * people.is_correct(votes, "l", beta=beta)
        as_none += chance * people.is_correct(votes, None, beta=beta)
    found = people.correctness_chances(answer, nothing, annotators=annotators, beta=beta)
    assert found == (pytest.approx(as_answer, abs=1e-9), pytest.approx(as_none, abs=1e-9))


def test_chances_must_be_chances():
    with pytest.raises(ValueError, match="two chances of one choice"):
        people.correctness_chances(0.7, 0.7)
    with pytest.raises(ValueError, match="two chances"):
        people.correctness_chances(-0.1, 0.5)


def test_the_threshold_of_two_outcomes():
    alpha = people.answer_threshold()
    assert alpha == pytest.approx(0.31381, abs=5e-6)
    rest = 1 - alpha
    assert rest**5 + 5 * rest**4 * alpha == pytest.approx(0.5, abs=1e-12)
    assert people.best_label({"a": 0.3139, None: 0.6861}) == "a"
    assert people.best_label({"a": 0.3138, None: 0.6862}) is None


def test_best_label_of_many():
    assert people.best_label({None: 1.0}) is None
    assert people.best_label({"a": 0.3, "b": 0.4, None: 0.3}) == "b"
    # Twenty answers, each unlikely: None is rarely right, but more often than any of them.
    assert people.best_label({None: 0.8} | dict.fromkeys(range(20), 0.01)) is None


@pytest.mark.parametrize(
    ("annotations", "label"),
    [
        ("aaaabbb" + "." * 13, None),  # 7 of 20 answered
        ("aaaabbbb" + "." * 12, "a"),
        ("bbbbaaaa" + "." * 12, "b"),  # equally common: the first given
        ("abbbcdef" + "." * 12, "b"),
        ("." * 20, None),
    ],
)
def test_super_annotator(annotations, label):
    given = [None if each == "." else each for each in annotations]
    assert people.super_annotator(given) == label


def test_super_annotator_of_nobody():
    assert people.super_annotator([None, None], alpha=0) is None


def test_upper_bound_by_hand():
    # Everybody agrees: both are always right, whatever is drawn.
    found = values(people.upper_bound({"1": ["a"] * 25, "2": [None] * 25}))
    assert set(found.values()) == {1.0}
    # 5 of 6 say "a", one says "b": the one beside the gold is right unless it is the "b".
    six = {str(n): ["a"] * 5 + ["b"] for n in range(400)}
    found = people.upper_bound(six, alpha=1)
    assert values(found)["single.precision"] == pytest.approx(5 / 6, abs=0.06)
    assert values(found)["super.f1"] == values(found)["single.f1"]
    assert found.columns == people.upper_bound(six, alpha=1).columns
    assert found.columns != people.upper_bound(six, alpha=1, seed=2).columns
    assert "alpha:1|beta:2|references:5|sample:1" in found.signature(found.figures[0])
    with pytest.raises(ValueError, match="1 has 5 annotations; 6 are needed"):
        people.upper_bound({"1": ["a"] * 5})


def test_single_annotator_is_the_mean_of_the_others():
    found = people.upper_bound({"1": ["a"] * 20 + [None] * 5}, references=5)
    [predicted] = found.columns["single_prediction"]
    gold_nulls = round(20 * predicted) - 15  # drawn into the gold instead of the others
    assert found.columns["single_correct"] == [pytest.approx(predicted)]
    assert 0 <= gold_nulls <= 5


@given(st.lists(st.lists(LABELS, min_size=8, max_size=8), min_size=1, max_size=5))
def test_bounds(rows):
    found = values(people.upper_bound({str(n): row for n, row in enumerate(rows)}, alpha=2))
    assert all(0 <= value <= 1 for value in found.values())


def test_many_heads_are_better_than_one():
    # One answer that half of the people give, and many that one person gives.
    rows = {str(n): ["a"] * 13 + [f"x{k}" for k in range(7)] + [None] * 5 for n in range(50)}
    found = values(people.upper_bound(rows))
    assert found["super.f1"] > found["single.f1"]


def test_labels():
    assert people.long_label(NqAnnotation(A, ())) == A
    assert people.long_label(NqAnnotation(None, (A,))) is None
    assert people.short_label(NqAnnotation(A, (A, B))) == people.short_label(
        NqAnnotation(B, (B, A))
    )
    assert people.short_label(NqAnnotation(A, ())) is None
    assert people.short_label(NqAnnotation(A, (), "no")) == "no"


def test_agreement():
    given = {"q": [["Paris"], ["paris."], ["Rome"], [], []], "r": [["A b", "c"], ["C", "a b"]]}
    # q: of 10 pairs two agree (Paris, and the two that found nothing); r: the one pair agrees.
    assert people.score_annotator_agreement(given).columns["agreement"] == [0.2, 1.0]
    assert values(people.score_annotator_agreement(given)) == {"agreement": 0.6}
    # Without the empty ones: one pair of three.
    dropped = people.score_annotator_agreement(given | {"s": [["x"], []]}, nulls="drop")
    assert values(dropped) == {"agreement": pytest.approx(2 / 3)}
    assert dropped.counts == {"n": 2}
