"""What a study of some size costs and tells."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.studies.estimates import estimate_study, half_width

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
        questions_tried=(50, 100),
    )
    assert (found.items, found.judgments, found.repeats, found.hours) == (300, 900, 90, 49.5)
    assert (found.cost, found.currency) == (Decimal("891.00"), "USD")
    assert (found.judgments_each, found.hours_each) == (198, pytest.approx(9.9))
    assert [[cell.raters for cell in row] for row in found.table] == [[r, r] for r in (1, 2, 3, 5)]
    assert found.table[2][1].half_width == found.half_width
    assert (found.table[2][1].cost, found.table[0][0].cost) == (found.cost, Decimal("148.50"))


def test_without_pay_there_is_no_cost_and_without_judges_no_load():
    found = estimate_study(
        questions=3, systems=2, pairing="alone", raters=1, repeats=9, minutes=1.0
    )
    assert (found.items, found.repeats, found.cost, found.judgments_each) == (6, 0, None, None)
    assert found.figure == "acc"
    assert [cell.questions for cell in found.table[0]] == [2, 3, 4, 6]


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
