"""Correlations of systems' scores: against scipy's figures, and against ASQA's published table."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metrics.correlation import build_correlation_table, correlate_scores
from metrics.score import BadInput

CASES = json.loads((Path(__file__).parent / "cases/correlation.json").read_text())["sets"]
METHODS = ("pearson", "spearman", "kendall")

# Tables 3, 4 and 5 of Stelmakh et al. 2022: JPR@1, T5-C, T5-O-1, T5-O-5, HP-w/o-C, HP-w/-C.
SYSTEMS = ("JPR", "T5-C", "T5-O-1", "T5-O-5", "HP-w/o-C", "HP-w/-C")
AUTOMATIC = {
    "ROUGE-L": (30.5, 33.5, 40.3, 43.0, 45.8, 49.4),
    "Disambig-F1": (25.8, 7.4, 21.2, 26.4, 39.0, 77.4),
    "DR": (28.1, 15.7, 29.2, 33.7, 42.3, 61.8),
}
PEOPLE = {
    "ACC": (36.1, 8.4, 25.7, 28.0, 52.7, 94.3),
    "COMP": (44.4, 35.6, 36.7, 36.7, 60.0, 86.7),
    "FLUE": (42.2, 32.2, 38.9, 37.8, 66.7, 82.2),
    "HO": (37.8, 21.1, 41.1, 36.7, 74.4, 88.9),
}
PUBLISHED = {
    "ACC": (72.4, 99.4, 97.7),
    "COMP": (69.0, 96.4, 92.7),
    "FLUE": (76.4, 94.4, 94.4),
    "HO": (81.9, 92.9, 95.2),
}

SCORES = st.lists(
    st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=3, max_size=12
).filter(lambda pairs: len({x for x, _ in pairs}) > 1 and len({y for _, y in pairs}) > 1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES, ids=["6", "12", "12 with ties", "40 with ties"])
def test_value_and_p_are_those_of_scipy(case, method):
    found = correlate_scores(case["first"], case["second"], method=method)

    assert [found.value, found.p] == pytest.approx(case[method], abs=1e-9)
    assert found.n == len(case["first"])
    assert found.note == ""
    assert -1 <= found.low < found.value < found.high <= 1
    if method == "pearson":
        assert [found.low, found.high] == pytest.approx(case["pearson_interval"], abs=1e-9)


def test_the_published_table_of_asqa():
    """Within a quarter of a point: the published scores are rounded to one decimal."""
    named = [
        {name: dict(zip(SYSTEMS, values, strict=True)) for name, values in scores.items()}
        for scores in (PEOPLE, AUTOMATIC)
    ]
    found = build_correlation_table(*named)

    for row, published in PUBLISHED.items():
        for column, value in zip(AUTOMATIC, published, strict=True):
            assert 100 * found[row, column].value == pytest.approx(value, abs=0.25)
            assert found[row, column].n == 6


def test_a_table_rests_on_the_systems_that_both_scores_have():
    found = build_correlation_table(
        {"people": {"a": 1, "b": 2, "c": 3, "d": 5}}, {"score": {"d": 9, "b": 4, "a": 1, "x": 7}}
    )

    assert found["people", "score"].n == 3


@settings(max_examples=80, deadline=None)
@given(SCORES, st.sampled_from(METHODS))
def test_what_holds_for_any_scores(pairs, method):
    x, y = zip(*pairs, strict=True)
    found = correlate_scores(x, y, method=method)

    assert -1 <= found.value <= 1
    assert 0 <= found.p <= 1 + 1e-12
    assert correlate_scores(y, x, method=method).value == pytest.approx(found.value, abs=1e-12)
    assert correlate_scores([-v for v in x], y, method=method).value == pytest.approx(-found.value)
    assert correlate_scores([3 * v + 7 for v in x], y, method=method).value == pytest.approx(
        found.value
    )
    assume(not math.isnan(found.low))
    assert found.low <= found.value <= found.high


def test_spearman_counts_every_order():
    assert correlate_scores([1, 2, 3, 4], [1, 2, 3, 4], method="spearman").p == pytest.approx(
        2 / 24
    )
    assert correlate_scores([1, 2, 3], [5, 4, 3], method="spearman").p == pytest.approx(2 / 6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("first", "second", "note"),
    [
        ([], [], "0 systems are too few"),
        ([1, 2], [1, 2], "2 systems are too few"),
        ([1, 1, 1, 1], [1, 2, 3, 4], "the same score"),
        ([1, 2, 3, 4], [0.1 + 0.2, 0.3, 0.3, 0.3], "the same score"),
        ([0, 0, 0], [0, 0, 0], "the same score"),
    ],
)
def test_no_value(first, second, note, method):
    found = correlate_scores(first, second, method=method)

    assert note in found.note
    assert all(math.isnan(each) for each in (found.value, found.p, found.low, found.high))


@pytest.mark.parametrize("method", METHODS)
def test_no_interval(method):
    few = correlate_scores([1, 2, 3], [1, 3, 2], method=method)
    perfect = correlate_scores([1, 2, 3, 4, 5], [2, 4, 6, 8, 10], method=method)

    assert few.value == pytest.approx(1 / 3 if method == "kendall" else 0.5)
    assert "3 systems are too few for an interval" in few.note
    assert perfect.value == pytest.approx(1)
    assert "perfect" in perfect.note
    assert math.isnan(few.low)
    assert math.isnan(perfect.high)


def test_a_higher_level_is_wider():
    x, y = CASES[1]["first"], CASES[1]["second"]
    narrow, wide = correlate_scores(x, y, level=0.8), correlate_scores(x, y, level=0.99)

    assert wide.low < narrow.low < narrow.high < wide.high
    assert narrow.signature == "correlation.pearson|over:systems|interval:fisher-0.8|v:1"


@pytest.mark.parametrize(
    ("first", "second", "options", "message"),
    [
        ([1, 2, 3], [1, 2], {}, "3 systems and the other 2"),
        ([1, math.nan, 3], [1, 2, 3], {}, "Score 2 is nan"),
        ([1, 2, 3], [1, 2, "x"], {}, "Score 3 is 'x'"),
        ([1, 2, 3], [1, 2, 3], {"method": "gamma"}, "'gamma' is not a correlation"),
    ],
)
def test_what_cannot_be_correlated(first, second, options, message):
    with pytest.raises(BadInput, match=message):
        correlate_scores(first, second, **options)


def test_a_level_is_between_0_and_1():
    with pytest.raises(ValueError, match="between 0 and 1"):
        correlate_scores([1, 2, 3], [1, 2, 3], level=95)
