"""The rule as curves and sentences."""

from itertools import pairwise

import pytest

from annotation.golds import power
from annotation.models import GoldPlan


def rule(**settings):
    return power.find_rule_power(GoldPlan(stage="generation", seed=1, **settings))


def test_the_usual_rule_finds_the_careless_and_spares_the_careful():
    found = rule(rate=5)
    half, *_, careful = found.curves
    assert (half.needed, half.work) == (11, 220)
    assert [round(chance) for chance in half.chances] == [50, 95, 100, 100]
    assert [round(chance) for chance in careful.chances] == [0, 1, 2, 2]
    assert careful.needed is None
    assert "flagged within 11 gold items with 95 %, which at 5 % are 220 tasks." in found.found
    assert "2 in 100 are flagged by chance within 30" in found.by_chance
    assert found.faster == "Too slow? At 10 % of the work it takes 110 tasks."
    assert half.path.startswith("M0.0 160.0 L20.0 160.0")
    assert half.path.count(" L") == power.CURVE


def test_either_flags_more_people_than_both():
    assert rule(both=False).curves[-1].chances[-1] > rule(both=True).curves[-1].chances[-1]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"rate": 0}, "flagged within 11 gold items with 95 %."),
        ({"enough": 400, "missed": 400, "share": None}, "is not flagged with 95 % within 500"),
    ],
)
def test_sentences_say_only_what_there_is(asked, said):
    found = rule(**asked)
    assert said in found.found
    assert found.faster == ""


def test_nobody_is_promised_a_rate_above_half():
    assert rule(rate=30).faster == ""
    assert rule(enough=30, missed=30, share=None).by_chance.startswith(
        "Of careful people, who miss 1 in 20, fewer than 1 in 100 are"
    )


@pytest.mark.parametrize(
    "heights", [[0, 0, 0, 0], [100, 100, 100, 100], [0, 23, 87, 98], [0, 2, 40, 81], [10, 11, 12]]
)
def test_names_of_curves_never_overlap_or_leave_the_drawing(heights):
    places = power._spread_labels(heights)
    assert all(lower - upper >= 9 for upper, lower in pairwise(places))
    assert places[0] >= 8
    assert places[-1] <= 97
