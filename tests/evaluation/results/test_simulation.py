"""A study whose truth is known: the figures recover it."""

from dataclasses import replace

import pytest

from benchmarks.studies import CRITERION, SIX, THREE, simulate
from evaluation.results.counts import compute_figures
from evaluation.studies.estimates import half_width

PLAIN = replace(THREE, ties=0.0, left=0.0, slips=0.0)


def studied(world, *, questions, pairing="all", raters=2, resamples=20):
    judged = simulate(world, questions=questions, pairing=pairing, raters=raters, seed=1)
    return compute_figures(judged, criteria=[{"key": CRITERION}], seed=1, resamples=resamples)


def test_known_strengths_are_recovered():
    """Without ties and people who favour a side the truth is the strengths themselves."""
    assert PLAIN.logs() == pytest.approx(PLAIN.strengths)
    strengths = studied(PLAIN, questions=2000)["criteria"][0]["strengths"]
    for system, truth in PLAIN.strengths.items():
        assert strengths[system]["log"]["value"] == pytest.approx(truth, abs=0.06)


def test_known_points_rates_and_side_are_recovered():
    found = studied(SIX, questions=1500, pairing="matching")
    criterion = found["criteria"][0]
    for system, truth in SIX.points().items():
        assert criterion["points"][system]["value"] == pytest.approx(truth, abs=3)
    for system, truth in SIX.acc().items():
        assert found["acc"][system]["value"] == pytest.approx(truth, abs=3)
    assert criterion["position"]["gap"]["value"] == pytest.approx(100 * SIX.left, abs=3)
    ranked = sorted(
        criterion["strengths"], key=lambda s: -criterion["strengths"][s]["log"]["value"]
    )
    assert ranked == sorted(SIX.systems, key=lambda system: -SIX.strengths[system])


def test_a_side_that_raters_favour_does_not_favour_a_system():
    """Because each system is on the left in half of its pairs."""
    biased = replace(THREE, strengths=dict.fromkeys("ABC", 0.0), left=0.5, ties=0.0)
    found = studied(biased, questions=300)["criteria"][0]
    assert found["position"]["gap"]["value"] == pytest.approx(50, abs=6)
    for system in "ABC":
        assert found["points"][system]["value"] == pytest.approx(50, abs=4)


def test_repeats_do_not_change_the_figures():
    judged = simulate(THREE, questions=30, pairing="all", raters=2, seed=1, repeats=50)
    criteria = [{"key": CRITERION}]
    found, without = (
        compute_figures(each, criteria=criteria, seed=1, resamples=100)
        for each in (judged, [each for each in judged if not each.repeat])
    )
    assert found["acc"] == without["acc"]
    for name in ("points", "matrix", "strengths", "agreement", "position"):
        assert found["criteria"][0][name] == without["criteria"][0][name]
    assert found["counts"]["repeats"] == 90
    assert found["criteria"][0]["consistency"]["n"] == 90
    assert without["criteria"][0]["consistency"] is None


@pytest.mark.parametrize(
    ("systems", "pairing", "raters"),
    [(2, "all", 3), (3, "all", 1), (4, "all", 3), (6, "matching", 1), (5, "matching", 2)],
)
def test_intervals_are_as_wide_as_the_estimate_says(systems, pairing, raters):
    """For equal systems without ties, which the estimate assumes: within 6 %."""
    names = "ABCDEF"[:systems]
    equal = replace(
        PLAIN, strengths=dict.fromkeys(names, 0.0), rates=dict.fromkeys(names, 0.5), shared=0.8
    )
    options = {"questions": 300, "pairing": pairing, "raters": raters, "resamples": 1000}
    points = studied(equal, **options)["criteria"][0]["points"]
    found = sum(each["high"] - each["low"] for each in points.values()) / (2 * systems)
    expected = half_width(300, systems, pairing=pairing, raters=raters, likeness=0.8**2)
    assert found == pytest.approx(expected, rel=0.06)


def test_intervals_of_acc_are_as_wide_as_the_estimate_says():
    """A beta distribution with parameters that add up to 1 makes marks alike by a half."""
    world = replace(PLAIN, rates=dict.fromkeys("ABC", 0.5), spread=1.0)
    found = studied(world, questions=400, pairing="alone", raters=1, resamples=1000)["acc"]
    width = sum(each["high"] - each["low"] for each in found.values()) / 6
    assert width == pytest.approx(half_width(400, 3, pairing="alone", raters=1), rel=0.1)
