"""What a study of some size will take, cost and tell, before any text is shown."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import NormalDist

from evaluation.studies.design import SINGLE, count_repeats, count_rounds

LIKENESS = 0.5
"""How alike two raters' judgments of the same pair are, unless measured: their correlation."""


@dataclass(frozen=True)
class SizeEstimate:
    """What another size would give: the half-width in points of 100, and the cost."""

    raters: int
    questions: int
    half_width: float
    cost: Decimal | None


@dataclass(frozen=True)
class Estimate:
    """The size, time, cost and accuracy to expect of a study.

    judgments: of items that count, repeats: of those shown again, both by all raters together;
    figure: what `half_width` is the half-width of, "points", "acc" or "precision", in points of
    100; judgments_each, hours_each: of one judge, None where their number is not known; table: by
    raters, then by questions.
    """

    items: int
    judgments: int
    repeats: int
    hours: float
    cost: Decimal | None
    currency: str
    figure: str
    half_width: float
    judgments_each: int | None
    hours_each: float | None
    table: tuple[tuple[SizeEstimate, ...], ...]


def estimate_study(
    *,
    questions: int,
    systems: int,
    pairing: str,
    raters: int,
    repeats: int,
    minutes: float,
    hourly: Decimal | None = None,
    currency: str = "",
    judges: int | None = None,
    likeness: float = LIKENESS,
    raters_tried: Sequence[int] = (1, 2, 3, 5),
    questions_tried: Sequence[int] = (),
) -> Estimate:
    """Return what a study of this size takes and tells, before any text is shown.

    minutes: for one judgment; hourly: pay, in `currency`; judges: how many share the work. The
    table tries other numbers; without `questions_tried` half, one and a half and twice as many.
    """
    sizes = questions_tried or sorted({max(1, round(questions * k)) for k in (0.5, 1, 1.5, 2)})
    items, again = _items(questions, systems, pairing, repeats)
    total = raters * (items + again)
    each = math.ceil(total / judges) if judges else None

    def cost(number: int, people: int) -> Decimal | None:
        shown = people * sum(_items(number, systems, pairing, repeats))
        return None if hourly is None else _money(hourly * Decimal(shown * minutes) / 60)

    def width(number: int, people: int) -> float:
        return half_width(number, systems, pairing=pairing, raters=people, likeness=likeness)

    return Estimate(
        items=items,
        judgments=raters * items,
        repeats=raters * again,
        hours=total * minutes / 60,
        cost=cost(questions, raters),
        currency=currency,
        figure={"alone": "acc", "expert": "precision"}.get(pairing, "points"),
        half_width=width(questions, raters),
        judgments_each=each,
        hours_each=None if each is None else each * minutes / 60,
        table=tuple(
            tuple(
                SizeEstimate(people, size, width(size, people), cost(size, people))
                for size in sizes
            )
            for people in raters_tried
        ),
    )


def half_width(
    questions: int,
    systems: int,
    *,
    pairing: str,
    raters: int,
    likeness: float = LIKENESS,
    disambiguations: int = 3,
) -> float:
    """Return the half-width to expect of a system's 95 % interval, in points of 100.

    For a share of 50 % without ties, where intervals are widest: other shares give less. The
    formula is in docs/studies.md. For a reference it is that of the other systems.
    """
    same = likeness + (1 - likeness) / raters
    if pairing == "expert":
        spread = 1.0  # one verdict for each answer, however many experts made it
    elif pairing == "alone":
        spread = same * (likeness + (1 - likeness) / disambiguations)
    else:
        met = max(1.0, _met(systems, pairing))
        # Two comparisons of one answer with two others share that answer. Of three equally good
        # ones each is the best in a third of all cases, so the correlation is
        # (1/3 − 1/4) / (1/4) = 1/3.
        spread = likeness * (1 + (met - 1) / 3) / met + (1 - likeness) / (raters * met)
        spread *= met / _met(systems, pairing)
    return 50 * NormalDist().inv_cdf(0.975) * math.sqrt(spread / questions)


def _items(questions: int, systems: int, pairing: str, repeats: int) -> tuple[int, int]:
    """Return how many items a study has, and how many of them are shown again."""
    if pairing in SINGLE:
        return questions * systems, 0
    pairs = questions * (
        systems - 1 if pairing == "reference" else count_rounds(systems, pairing) * (systems // 2)
    )
    return pairs, count_repeats(pairs, repeats)


def _met(systems: int, pairing: str) -> float:
    """Return in how many comparisons of a question a system takes part, on average."""
    if pairing == "reference":
        return 1.0
    return count_rounds(systems, pairing) * (systems // 2) * 2 / systems


def _money(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)
