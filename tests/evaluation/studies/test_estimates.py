"""What a study of some size costs and tells."""

import math
from decimal import Decimal
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.studies.estimates import estimate_study, find_margin, half_width
from evaluation.studies.telling import tell_reach
from metrics.intervals import find_share_interval
from metrics.resampling import widen_level

PAIRINGS = ("all", "matching", "blocks", "reference")


def test_the_estimate_of_a_study():
    found = estimate_study(
        questions=100,
        systems=3,
        pairing="all",
        raters=3,
        repeats=10,
        minutes=3.0,
        hourly=Decimal(18),
        currency="USD",
        judges=5,
    )
    assert (found.items, found.judgments, found.repeats, found.hours) == (300, 900, 90, 49.5)
    assert (found.cost, found.currency) == (Decimal("891.00"), "USD")
    assert (found.judgments_each, found.hours_each) == (198, pytest.approx(9.9))
    assert found.each_question == 3


def test_without_pay_there_is_no_cost_and_without_judges_no_load():
    found = estimate_study(
        questions=3, systems=2, pairing="alone", raters=1, repeats=9, minutes=1.0
    )
    assert (found.items, found.repeats, found.cost, found.judgments_each) == (6, 0, None, None)


@pytest.mark.parametrize(
    ("questions", "raters", "width"),
    [(50, 1, 13.9), (100, 1, 9.8), (100, 2, 8.5), (100, 3, 8.0), (200, 5, 5.4)],
)
def test_the_half_width_of_one_comparison_per_question(questions, raters, width):
    found = half_width(questions, 2, pairing="all", raters=raters)
    assert found == pytest.approx(width, abs=0.05)


@given(st.integers(1, 500), st.integers(2, 8), st.sampled_from((*PAIRINGS, "alone")))
def test_more_questions_and_more_raters_make_intervals_narrower(questions, systems, pairing):
    width = half_width(questions, systems, pairing=pairing, raters=2)
    assert half_width(4 * questions, systems, pairing=pairing, raters=2) == pytest.approx(width / 2)
    assert half_width(questions, systems, pairing=pairing, raters=3) < width


def test_two_comparisons_of_an_answer_share_a_third():
    """V = 0.5 · (1 + 1/3) / 2 + 0.5 / 2 for three systems, all pairs and one rater."""
    width = half_width(100, 3, pairing="all", raters=1)
    assert width == pytest.approx(1.96 * 50 * (7 / 12) ** 0.5 / 10, abs=0.001)


def test_more_experts_make_no_narrower_interval_of_one_verdict():
    for raters in (1, 4):
        width = half_width(139, 1, pairing="expert", raters=raters)
        assert width == pytest.approx(8.31, abs=0.01)


def test_a_system_that_sits_out_is_known_less_well():
    six, five = (half_width(50, n, pairing="matching", raters=1) for n in (6, 5))
    assert five == pytest.approx(six * (5 / 4) ** 0.5)


# --- what can be told -----------------------------------------------------------------------------

sizes = {"pairing": st.sampled_from((*PAIRINGS, "alone", "expert")), "raters": st.integers(1, 25)}


@given(st.integers(1, 400), st.integers(2, 8), st.fixed_dictionaries(sizes))
def test_more_questions_never_tell_less(questions, systems, size):
    fewer = find_margin(questions, systems, **size)
    more = find_margin(questions + 1, systems, **size)
    assert fewer is None or more <= fewer


@pytest.mark.parametrize("questions", range(1, 10))
def test_few_questions_tell_what_the_reported_interval_tells(questions):
    """The smallest share whose interval leaves a half out; none where none is reported."""
    margin = find_margin(questions, 2, pairing="all", raters=1)
    interval = find_share_interval(questions, questions)
    assert (margin is None) == (interval is None)
    if margin is not None:
        share = (50 + margin) / 100
        low, _ = find_share_interval(share * questions, questions)
        assert low == pytest.approx(0.5)
        assert margin < 50


@pytest.mark.parametrize("questions", [10, 30, 100, 1000])
def test_many_questions_tell_what_student_says(questions):
    """One comparison of each question: p is told from a half where t · √(p (1 − p) / n) is less
    than its distance, with expanded percentiles."""
    margin = find_margin(questions, 2, pairing="all", raters=1)
    share = 0.5 + margin / 100
    level = widen_level(0.95, questions)
    z = NormalDist().inv_cdf((1 + level) / 2)
    assert 100 * z * math.sqrt(share * (1 - share) / questions) == pytest.approx(margin, rel=0.03)


def test_a_system_that_sits_out_needs_more_questions_for_an_interval():
    assert find_margin(5, 3, pairing="matching", raters=1) is None
    assert find_margin(5, 3, pairing="all", raters=1) is not None


def test_too_few_questions_tell_nothing():
    told = tell_reach(3, 2, pairing="all", raters=3)
    assert (told.margin, told.verdict) == (None, "Too few to tell")
    assert told.sentence == (
        "With 3 questions, even an answer that is always preferred may be preferred by chance."
    )
    assert tell_reach(1, 1, pairing="alone", raters=1).sentence.startswith("With 1 question, any")


@pytest.mark.parametrize(
    ("questions", "verdict"),
    [
        (8, "Enough to try the study out, too little to rank systems"),
        (40, "Enough for large differences between systems"),
        (200, "Enough for most differences between systems"),
        (1000, "Enough for small differences between systems"),
    ],
)
def test_the_verdict_follows_the_margin(questions, verdict):
    assert tell_reach(questions, 2, pairing="all", raters=1).verdict == verdict


def test_what_eight_questions_tell_in_words():
    told = tell_reach(8, 3, pairing="all", raters=3)
    assert told.sentence == (
        "With 8 questions, one answer has to be preferred in about 85 of 100 comparisons before "
        "you can say that its system is better. Smaller differences will look like chance."
    )
    assert [row.shown for row in told.needed] == ["8 of 10", "7 of 10", "6 of 10"]
    single = tell_reach(8, 2, pairing="expert", raters=1)
    assert "about ± 35 points for each system" in single.sentence
    assert [row.shown for row in single.needed] == ["± 20 points", "± 10 points", "± 5 points"]


@given(st.integers(2, 8), st.fixed_dictionaries(sizes))
def test_what_is_needed_is_the_first_size_that_is_enough(systems, size):
    points = (20, 10, 5) if size["pairing"] in ("alone", "expert") else (30, 20, 10)
    needed = tell_reach(5, systems, **size).needed
    for most, row in zip(points, needed, strict=True):
        assert find_margin(row.questions, systems, **size) <= most
        fewer = find_margin(row.questions - 1, systems, **size)
        assert fewer is None or fewer > most
