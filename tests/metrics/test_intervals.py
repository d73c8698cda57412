"""Which interval a figure has at the edge: few items, all alike, ratios, no natural bounds."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import intervals
from metrics.intervals import (
    ALL_SAME,
    FEW,
    LEAST,
    NO_VALUE,
    TOO_FEW,
    count_independent_items,
    find_share_interval,
    is_plain_share,
    is_too_few,
    report_drawn,
    report_intervals,
)
from metrics.proportions import wilson_interval
from metrics.resampling import bootstrap_intervals, widen_level
from metrics.score import PERCENT, SCORE, SHARE, Evaluation, Figure, Interval, Scale, ratio_or_zero

EXPANDED = "bootstrap-expanded-percentile"


def of(columns, figure):
    ids = [str(n) for n in range(len(next(iter(columns.values()))))]
    return Evaluation("t", ids, columns, [figure])


def reported(values, scale):
    return report_intervals(of({"x": values}, Figure("x", ("x",), scale=scale)))["x"]


# What a reader has in place of an interval, by values of the items: as a share of items, as a score
# from 0 to 1, and as a mean without bounds. "wilson": that of the sum of the values.
EDGES = [
    ([1], TOO_FEW, TOO_FEW, TOO_FEW),
    ([0, 1], TOO_FEW, TOO_FEW, TOO_FEW),
    ([1, 1], TOO_FEW, TOO_FEW, TOO_FEW),
    ([0, 1, 1], TOO_FEW, TOO_FEW, TOO_FEW),
    ([1, 1, 1], TOO_FEW, TOO_FEW, TOO_FEW),
    ([0, 0, 0, 1], "wilson", "wilson", TOO_FEW),
    ([1, 1, 1, 1], "wilson", "wilson", TOO_FEW),
    ([0.5, 0.6, 0.5, 0.6], "wilson", "wilson", TOO_FEW),
    ([0, 0, 0, 0, 0], "wilson", "wilson", ALL_SAME),
    ([1, 1, 1, 1, 1], "wilson", "wilson", ALL_SAME),
    ([0.5, 0.5, 0.5, 0.5, 0.5], "wilson", "wilson", ALL_SAME),
    ([0.5, 0.6, 0.5, 0.6, 0.5], "wilson", "wilson", "expanded"),
    ([0.7] * 9, "wilson", "wilson", ALL_SAME),
    ([0.7] * 400, "wilson", "wilson", ALL_SAME),
    ([0, 1] * 20, "wilson", "drawn", "drawn"),
    ([0.4, 0.6] * 20, "drawn", "drawn", "drawn"),
    ([0.4, 0.6] * 5, "drawn", "drawn", "drawn"),
]


@pytest.mark.parametrize("row", EDGES, ids=lambda row: f"{row[0][:5]} of {len(row[0])}")
def test_what_a_figure_has_at_the_edge(row):
    values, *expected = row
    for scale, what in zip((SHARE, SCORE, None), expected, strict=True):
        interval, note = reported(values, scale)
        assert bool(note) == (interval is None)
        if note:
            assert note == what, scale
            continue
        evaluation = of({"x": values}, Figure("x", ("x",)))
        drawn = bootstrap_intervals(evaluation, expanded_below=FEW)["x"]
        wilson = wilson_interval(sum(values), len(values))
        bounds, method = {
            "wilson": (wilson, "wilson"),
            "expanded": (drawn[:2], EXPANDED),
            "drawn": (drawn[:2], "bootstrap-percentile"),
        }[what]
        assert (interval.low, interval.high) == pytest.approx(bounds), scale
        assert interval.method == method, scale


def test_a_figure_over_nothing_has_neither_interval_nor_words():
    assert report_intervals(of({"x": []}, Figure("x", ("x",), scale=SHARE))) == {}


@given(
    st.lists(st.sampled_from([0, 0.25, 0.5, 0.9, 1]), min_size=1, max_size=14),
    st.sampled_from([SHARE, SCORE]),
    st.integers(1, 5),
)
def test_what_always_holds(values, scale, seed):
    """Within the scale, around the value, and with a width: of few, that of items at the ends."""
    figure = Figure("x", ("x",), scale=scale)
    evaluation = of({"x": values}, figure)
    options = {"resamples": 60, "seed": seed}
    interval, note = report_intervals(evaluation, **options)["x"]
    if interval is None:
        assert (note, len(values) <= 3) == (TOO_FEW, True)
        return
    assert 0 <= interval.low <= evaluation.value(figure) + 1e-9
    assert evaluation.value(figure) - 1e-9 <= interval.high <= 1
    assert interval.high - interval.low > 0
    if len(values) < FEW:
        assert interval[:2] == pytest.approx(find_share_interval(sum(values), len(values)))


def test_other_scales_are_shares_of_their_range():
    low, high = wilson_interval(4, 4)
    assert reported([100] * 4, PERCENT).interval[:2] == pytest.approx((100 * low, 100))
    both = reported([-100] * 4, Scale(-100, 100)).interval
    assert (both.low, both.high) == pytest.approx((-100, -100 + 200 * (1 - low)))
    assert high == 1
    assert (both.resamples, both.method) == (0, "wilson")


def test_below_which_number_an_interval_says_nothing():
    """Where the interval of items at both ends would be wider than the scale: z / √n > 1."""
    assert [is_too_few(n, bounded=True) for n in (1, 3, 4, 5)] == [True, True, False, False]
    assert [is_too_few(n, bounded=True, level=0.99) for n in (6, 7)] == [True, False]
    assert [is_too_few(n, bounded=False) for n in (LEAST - 1, LEAST)] == [True, False]
    assert find_share_interval(2, 3) is None
    assert find_share_interval(2, 4) == wilson_interval(2, 4)
    with pytest.raises(ValueError, match="is not a share"):
        find_share_interval(5, 4)


def test_the_percentiles_of_few_items_are_expanded():
    values = [1.0, 2, 3, 4, 5, 6]
    evaluation = of({"x": values}, Figure("x", ("x",)))
    expected = bootstrap_intervals(evaluation, level=widen_level(0.95, 6))["x"]
    found = reported(values, None).interval
    assert found == (expected.low, expected.high, 0.95, 1000, 1, EXPANDED)
    plain = report_intervals(evaluation, expanded_below=0)["x"].interval
    assert found.low < plain.low < plain.high < found.high
    many = of({"x": values * 2}, Figure("x", ("x",)))
    assert report_intervals(many)["x"].interval.method == "bootstrap-percentile"
    assert report_intervals(many, expanded_below=20)["x"].interval.method == EXPANDED


def test_a_ratio_rests_on_the_items_that_have_a_part_in_it():
    precision = Figure("p", ("right", "given"), ratio_or_zero, scale=SCORE)
    answered = {"right": [1] * 6 + [0] * 94, "given": [1] * 6 + [0] * 94}
    assert count_independent_items(of(answered, precision), precision) == 6
    interval = report_intervals(of(answered, precision))["p"].interval
    assert interval.low <= wilson_interval(6, 6)[0]
    few = {name: [1, 1, 1] + [0] * 97 for name in answered}
    assert report_intervals(of(few, precision))["p"] == (None, TOO_FEW)
    alike = {"right": [1] * 8, "given": [3] * 8}
    assert count_independent_items(of(alike, precision), precision) == 8
    uneven = {"right": [9, 0, 0, 0, 0], "given": [9, 1, 1, 1, 1]}
    assert count_independent_items(of(uneven, precision), precision) == pytest.approx(169 / 85)
    nothing = {"right": [0, 0], "given": [0, 0]}
    assert count_independent_items(of(nothing, precision), precision) == 0
    named = Figure("p", ("right", "given"), lambda a, b: a / b, weights=("given",))
    assert count_independent_items(of(uneven, named), named) == pytest.approx(169 / 85)
    among = Figure("p", ("right", "given"), ratio_or_zero, among="in")
    some = {"right": [1, 1, 1], "given": [1, 1, 9], "in": [1, 1, 0]}
    assert count_independent_items(of(some, among), among) == 2


def test_numbers_without_natural_bounds():
    drawn = Interval(0.2, 0.4, 0.95, 1000, 1)
    assert report_drawn(drawn, 5) == (drawn, "")
    assert report_drawn(drawn, 4) == (None, TOO_FEW)
    assert report_drawn(drawn._replace(high=0.2), 50) == (None, ALL_SAME)
    assert report_drawn(None, 50) == (None, NO_VALUE)


def test_which_figures_are_plain_shares():
    mean, shared = Figure("x", ("x",)), Figure("x", ("x", "of"), ratio_or_zero)
    assert is_plain_share(of({"x": [0, 1, 1.0]}, mean), mean)
    assert not is_plain_share(of({"x": [0, 0.5]}, mean), mean)
    assert is_plain_share(of({"x": [0, 1], "of": [1, 1]}, shared), shared)
    assert not is_plain_share(of({"x": [0, 1], "of": [1, 2]}, shared), shared)
    among = Figure("x", ("x",), among="in")
    assert is_plain_share(of({"x": [0, 0.5], "in": [1, 0]}, among), among)
    doubled = Figure("x", ("x",), combine=lambda x: 2 * x)
    assert not is_plain_share(of({"x": [0, 1]}, doubled), doubled)


def test_the_examples():
    assert doctest.testmod(intervals).failed == 0
