"""Intervals and comparisons: against normal theory, by simulation, and what always holds."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import resampling
from metrics.resampling import (
    bootstrap_intervals,
    compare_systems,
    difference_interval,
    draw_resamples,
    mean_interval,
    sample_interval,
    statistic_interval,
)
from metrics.score import BadInput, Evaluation, Figure, ratio_or_zero

COLUMNS = st.lists(
    st.tuples(st.floats(0, 1, width=32), st.floats(0, 1, width=32)), min_size=1, max_size=30
)


def of(column, *, task="t", name="x", ids=None, among=None):
    columns = {name: list(column)} | ({"among": among} if among else {})
    return Evaluation(
        task,
        ids or [str(n) for n in range(len(column))],
        columns,
        [Figure(name, (name,), among="among" if among else None)],
    )


def test_the_interval_of_a_mean_is_near_normal_theory():
    values = np.random.default_rng(8).normal(10, 2, size=400)
    error = values.std() / math.sqrt(len(values))

    found = mean_interval(values, resamples=4000)

    assert found.low == pytest.approx(values.mean() - 1.96 * error, abs=0.15 * error)
    assert found.high == pytest.approx(values.mean() + 1.96 * error, abs=0.15 * error)


def test_the_interval_holds_the_truth_as_often_as_it_says():
    """95 in 100 samples, give or take what 300 samples and 60 items each can tell."""
    random = np.random.default_rng(9)
    samples = random.binomial(1, 0.4, size=(300, 60)).astype(float)
    bounds = [mean_interval(sample, resamples=300, seed=n) for n, sample in enumerate(samples)]

    assert 0.91 <= np.mean([low.low <= 0.4 <= low.high for low in bounds]) <= 0.98


def test_the_interval_of_a_ratio_is_near_the_delta_method():
    random = np.random.default_rng(10)
    below = random.integers(1, 9, size=500)
    above = random.binomial(below, 0.3)
    value = above.sum() / below.sum()
    error = np.std(above - value * below) / below.mean() / math.sqrt(500)

    found = statistic_interval(ratio_or_zero, above, below, resamples=4000)

    assert found.low == pytest.approx(value - 1.96 * error, abs=0.2 * error)
    assert found.high == pytest.approx(value + 1.96 * error, abs=0.2 * error)


def test_draws_are_with_replacement():
    drawn = np.concatenate(list(draw_resamples(50, resamples=400, seed=3)))

    assert drawn.shape == (400, 50)
    assert (drawn.sum(axis=1) == 50).all()
    assert drawn.mean() == 1
    assert drawn.var() == pytest.approx(1 - 1 / 50, abs=0.03)  # binomial: n draws of 1 in n
    assert (drawn == np.concatenate(list(draw_resamples(50, resamples=400, seed=3)))).all()
    assert (drawn != np.concatenate(list(draw_resamples(50, resamples=400, seed=4)))).any()


def test_blocks_change_the_memory_and_nothing_else(monkeypatch):
    monkeypatch.setattr(resampling, "_BLOCK", 100)
    drawn = np.concatenate(list(draw_resamples(30, resamples=7, seed=1)))

    assert drawn.shape == (7, 30)
    assert (drawn.sum(axis=1) == 30).all()
    monkeypatch.setattr(resampling, "_BLOCK", 10)  # less than one resample
    assert len(list(draw_resamples(30, resamples=7, seed=1))) == 7
    assert (
        0 < compare_systems(of([1, 0] * 15), of([0, 1] * 15), resamples=7)["x"].p_randomisation <= 1
    )


def test_only_the_items_that_count_are_drawn():
    values, among = [1.0, 1.0, 1.0, 0.0, 0.0], [1, 1, 1, 0, 0]

    found = bootstrap_intervals(of(values, among=among))["x"]

    assert (found.low, found.high) == (1, 1)
    assert bootstrap_intervals(of([1.0, 0.0], among=[0, 0])) == {}


def test_all_figures_see_the_same_draws():
    values = np.random.default_rng(2).random(40)
    both = Evaluation(
        "t",
        [str(n) for n in range(40)],
        {"x": values.tolist(), "y": (1 - values).tolist()},
        [Figure("x", ("x",)), Figure("y", ("y",)), Figure("sum", ("x", "y"), lambda x, y: x + y)],
    )
    found = bootstrap_intervals(both)

    assert found["x"].low == pytest.approx(1 - found["y"].high)
    assert found["sum"].low == pytest.approx(found["sum"].high) == pytest.approx(1)
    alone = mean_interval(values)
    assert (found["x"].low, found["x"].high) == pytest.approx((alone.low, alone.high))


@settings(max_examples=40, deadline=None)
@given(COLUMNS)
def test_what_holds_for_any_values(pairs):
    first, second = (of(column) for column in zip(*pairs, strict=True))
    found = bootstrap_intervals(first, resamples=50)["x"]

    assert min(first.columns["x"]) - 1e-9 <= found.low <= found.high
    assert found.high <= max(first.columns["x"]) + 1e-9
    assert found == bootstrap_intervals(first, resamples=50)["x"]

    one = compare_systems(first, second, resamples=50)["x"]
    other = compare_systems(second, first, resamples=50)["x"]
    assert 0 < one.p_bootstrap <= 1
    assert 0 < one.p_randomisation <= 1
    assert one.difference == -other.difference
    assert one.note == other.note
    if not one.note:
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-12)
    assert one.p_bootstrap == other.p_bootstrap
    assert one.p_randomisation == other.p_randomisation


@settings(max_examples=30, deadline=None)
@given(COLUMNS, st.randoms(use_true_random=False))
def test_the_order_of_items_changes_no_figure(pairs, random):
    mixed = list(pairs)
    random.shuffle(mixed)
    one, other = (
        compare_systems(of([a for a, _ in given]), of([b for _, b in given]), resamples=5)["x"]
        for given in (pairs, mixed)
    )

    assert (one.first, one.second) == pytest.approx((other.first, other.second), abs=1e-12)


def test_a_system_does_not_differ_from_itself():
    values = np.random.default_rng(1).random(30)
    found = compare_systems(of(values), of(values))["x"]

    assert (found.difference, found.low, found.high) == (0, None, None)
    assert found.note == "all the same"
    assert found.signature == "t.x|items:all|v:1"
    assert found.p_bootstrap == found.p_randomisation == 1


def test_p_values_are_near_normal_theory():
    random = np.random.default_rng(5)
    second = random.random(300)
    first = second + random.normal(0.02, 0.2, size=300)
    z = (first - second).mean() / ((first - second).std() / math.sqrt(300))
    expected = math.erfc(abs(z) / math.sqrt(2))

    found = compare_systems(of(first), of(second), resamples=8000)["x"]

    assert 0.02 < expected < 0.6
    assert found.p_bootstrap == pytest.approx(expected, abs=0.03)
    assert found.p_randomisation == pytest.approx(expected, abs=0.03)


def test_randomisation_counts_every_swap():
    """Three items that all favour the first: 2 of the 8 swaps are as extreme, (++ +) and (−− −)."""
    found = compare_systems(of([1, 1, 1]), of([0, 0, 0]), resamples=20_000)["x"]

    assert found.p_randomisation == pytest.approx(0.25, abs=0.01)


def test_equal_systems_seem_different_as_often_as_the_level_says():
    random = np.random.default_rng(6)
    found = [
        compare_systems(of(random.random(40)), of(random.random(40)), resamples=200, seed=n)["x"]
        for n in range(300)
    ]

    for p in ("p_bootstrap", "p_randomisation"):
        assert 0.01 <= np.mean([getattr(each, p) <= 0.05 for each in found]) <= 0.10


def test_no_p_value_is_0():
    found = compare_systems(of([1.0] * 200), of([0.0] * 200), resamples=99)["x"]

    assert found.p_bootstrap == found.p_randomisation == 0.01
    assert (found.difference, found.low, found.n) == (1, None, 200)
    assert found.note == "all the same"


def test_a_difference_of_ratios():
    def system(right):
        return Evaluation(
            "t",
            list("abcdefghij"),
            {"right": right, "given": [2, 1, 4, 1, 1, 1, 1, 1, 1, 1]},
            [Figure("precision", ("right", "given"), ratio_or_zero)],
        )

    one, other = system([2, 1, 3, *[1] * 7]), system([1, 1, 0, *[1] * 7])
    found = compare_systems(one, other, resamples=50)["precision"]

    assert found.difference == pytest.approx(13 / 14 - 9 / 14)
    assert found.low <= found.difference <= found.high
    assert found.signature == (
        "t.precision|items:all|interval:bootstrap-percentile-0.95|resamples:50|seed:1|v:1"
    )


def test_what_cannot_be_compared():
    base = of([1, 0])
    for other in (of([1, 0, 1]), of([1, 0], ids=["a", "b"]), of([1, 0], task="u")):
        with pytest.raises(BadInput, match="not scored on the same questions"):
            compare_systems(base, other)
    with pytest.raises(BadInput, match="x counts other questions"):
        compare_systems(of([1, 0], among=[1, 0]), of([1, 0], among=[0, 1]))
    assert compare_systems(base, of([1, 0], name="y")) == {}
    assert compare_systems(of([1, 0], among=[0, 0]), of([1, 0], among=[0, 0])) == {}


def test_undefined_resamples_are_left_out():
    half = sample_interval(np.array([1.0, 2.0, math.nan, math.nan]), level=0.5)

    assert (half.low, half.high) == (1.25, 1.75)
    assert sample_interval(np.array([1.0, math.nan, math.nan])) is None
    assert sample_interval(np.array([math.nan])) is None


@pytest.mark.parametrize("level", [0, 1, 95, -0.5])
def test_a_level_is_between_0_and_1(level):
    with pytest.raises(ValueError, match="between 0 and 1"):
        mean_interval([1.0, 2.0], level=level)


def test_there_must_be_something_to_draw():
    with pytest.raises(ValueError, match="at least one value"):
        mean_interval([])
    with pytest.raises(ValueError, match="at least one resample"):
        mean_interval([1.0], resamples=0)
    with pytest.raises(ValueError, match="at least one resample"):
        bootstrap_intervals(of([1.0]), resamples=-1)


@pytest.mark.parametrize(
    ("n", "student"), [(5, 2.776), (6, 2.571), (10, 2.262), (45, 2.015), (300, 1.968)]
)
def test_the_widened_level_is_that_of_student(n, student):
    """Quantiles of Student's t from printed tables, at 97.5 % and n - 1 degrees of freedom."""
    reach = NormalDist().inv_cdf((1 + resampling.widen_level(0.95, n)) / 2)
    assert reach == pytest.approx(student * math.sqrt(n / (n - 1)), rel=0.01)


@pytest.mark.parametrize(("level", "n"), [(0.95, 4), (0, 10), (1, 10)])
def test_no_level_is_wide_enough_for_a_handful(level, n):
    with pytest.raises(ValueError, match="no interval"):
        resampling.widen_level(level, n)


def test_the_difference_of_two_separate_samples_is_as_wide_as_theory_says():
    random = np.random.default_rng(3)
    first, second = random.normal(10, 2, 400), random.normal(9, 3, 300)
    found = difference_interval(list(first), list(second), resamples=4_000).interval
    centre = first.mean() - second.mean()
    reach = 1.96 * math.sqrt(first.var() / 400 + second.var() / 300)
    assert found.low == pytest.approx(centre - reach, abs=0.05)
    assert found.high == pytest.approx(centre + reach, abs=0.05)


def test_two_samples_alike_are_drawn_apart():
    """The same draws on both sides would always differ by nothing."""
    values = [1.0, 2, 3, 4, 5, 6]
    found = difference_interval(values, values).interval
    assert found.low < -1 < 1 < found.high


def test_a_difference_needs_five_items_on_both_sides():
    assert difference_interval([1.0] * 5, [1.0] * 4) == (None, "too few to tell")
    assert difference_interval([1.0] * 5, [1.0] * 5) == (None, "all the same")
    assert difference_interval([1.0] * 5, [1.0, 2.0, 2.0, 1.0, 1.0]).interval.low < -0.4
