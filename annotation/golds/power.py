"""How soon the rule of a plan finds careless people, as curves and as sentences."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.golds.models import MOST_RATE, GoldPlan
from annotation.golds.queries import rule_of
from metrics.gold_items import count_golds_needed, flag_probabilities

SURE = 0.95
SHOWN_SEEN = (5, 10, 20, 30)
CURVE = SHOWN_SEEN[-1]
CARELESS, CAREFUL = 0.5, 0.05
ERRORS = (
    (CARELESS, "misses half"),
    (0.25, "misses 1 in 4"),
    (0.1, "misses 1 in 10"),
    (CAREFUL, "misses 1 in 20"),
)


@dataclass(frozen=True)
class PowerCurve:
    """How soon the rule flags people who miss a given share of gold items.

    chances: after each of SHOWN_SEEN items, in per cent; needed: how many items flag them with
    95 %, None if over 500; work: how many tasks that is at the plan's rate; path: the curve on 600
    by 160, label_y: where its name stands, in per cent from the top.
    """

    words: str
    chances: Sequence[float]
    needed: int | None
    work: int | None
    path: str
    label_y: float


@dataclass(frozen=True)
class RulePower:
    """The rule of a plan as curves and as sentences."""

    curves: Sequence[PowerCurve]
    found: str
    by_chance: str
    faster: str


def find_rule_power(plan: GoldPlan) -> RulePower:
    """Return the power of the plan's rule. No query."""
    rule = rule_of(plan)
    chances = [flag_probabilities(error, rule, CURVE) for error, _ in ERRORS]
    heights = _spread_labels([100 * (1 - curve[-1]) for curve in chances])
    curves = []
    for (error, words), curve, height in zip(ERRORS, chances, heights, strict=True):
        needed = count_golds_needed(error, rule, sure=SURE)
        shown = [100 * curve[seen - 1] for seen in SHOWN_SEEN]
        work = _work_until(needed, plan.rate)
        curves.append(PowerCurve(words, shown, needed, work, _path(curve), height))
    return RulePower(curves, _found(curves[0], plan), _by_chance(curves[-1]), _faster(plan, curves))


def _work_until(items: int | None, rate: int) -> int | None:
    return round(items * 100 / rate) if items and rate else None


def _path(curve: Sequence[float]) -> str:
    points = [(600 * seen / CURVE, 160 * (1 - p)) for seen, p in enumerate([0.0, *curve])]
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)


_LOW, _HIGH, _GAP = 97.0, 8.0, 9.0


def _spread_labels(heights: Sequence[float]) -> list[float]:
    """Return where names stand, just above the ends of their curves and no two on each other.

    heights: of the ends, in per cent from the top, from the highest curve to the lowest.
    """
    places: list[float] = []
    below = _LOW + _GAP
    for height in reversed(heights):
        below = min(height - 2, below - _GAP)
        places.append(below)
    places.reverse()
    above = _HIGH - _GAP
    for at, place in enumerate(places):  # those that would leave the drawing at the top
        above = places[at] = max(place, above + _GAP)
    return places


def _found(careless: PowerCurve, plan: GoldPlan) -> str:
    if careless.needed is None:
        return (
            "By this rule even someone who misses half is not flagged with 95 % within 500 gold "
            "items. Ask for less."
        )
    tasks = f", which at {plan.rate} % are {careless.work:,} tasks" if careless.work else ""
    return (
        f"Someone who misses half is flagged within {careless.needed} gold items with 95 %{tasks}."
    )


def _by_chance(careful: PowerCurve) -> str:
    chance = careful.chances[-1]
    number = "fewer than 1" if chance < 1 else f"{chance:.0f}"
    are = "is" if number == "1" else "are"
    return (
        f"Of careful people, who miss 1 in 20, {number} in 100 {are} flagged by chance within "
        f"{CURVE} gold items."
    )


def _faster(plan: GoldPlan, curves: Sequence[PowerCurve]) -> str:
    twice = 2 * plan.rate
    work = _work_until(curves[0].needed, twice)
    if not work or twice > MOST_RATE:
        return ""
    return f"Too slow? At {twice} % of the work it takes {work:,} tasks."
