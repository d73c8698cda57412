"""What a study of some size will take, cost and tell, before any text is shown."""

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import NormalDist

from evaluation.studies.design import SINGLE, count_repeats, count_rounds
from metrics.intervals import FEW, LEVEL, is_too_few

LIKENESS = 0.5
"""How alike two raters' judgments of the same pair are, unless measured: their correlation."""
_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)


@dataclass(frozen=True)
class Estimate:
    """The size, time and cost to expect of a study.

    judgments: of items that count, repeats: of those shown again, both by all raters together;
    each_question: how many items a question has, on average; judgments_each, hours_each: of one
    judge, None where their number is not known.
    """

    items: int
    each_question: float
    judgments: int
    repeats: int
    hours: float
    cost: Decimal | None
    currency: str
    judgments_each: int | None
    hours_each: float | None


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
) -> Estimate:
    """Return what a study of this size takes.

    minutes: for one judgment; hourly: pay, in `currency`; judges: how many share the work.
    """
    items, again = _items(questions, systems, pairing, repeats)
    total = raters * (items + again)
    each = math.ceil(total / judges) if judges else None
    return Estimate(
        items=items,
        each_question=items / questions,
        judgments=raters * items,
        repeats=raters * again,
        hours=total * minutes / 60,
        cost=None if hourly is None else _money(hourly * Decimal(total * minutes) / 60),
        currency=currency,
        judgments_each=each,
        hours_each=None if each is None else each * minutes / 60,
    )


def find_margin(
    questions: int, systems: int, *, pairing: str, raters: int, likeness: float = LIKENESS
) -> float | None:
    """Return the smallest difference that shows, in points of 100; None where nothing can be told.

    Of pairs, how far from 50 a win share has to lie before its 95 % interval leaves 50 out. Of
    single answers, the half-width of the interval of a share of 50 %. It follows
    `metrics.intervals`: Wilson's interval from fewer than `FEW` questions and for experts, else
    percentiles as far out as Student's t. It never grows with the number of questions.
    """
    own = questions * min(1.0, _met(systems, pairing))
    if is_too_few(own, bounded=True):
        return None
    if own < FEW or pairing == "expert":
        return 50 * _Z / math.sqrt(own)
    # √(n / (n − 1)) times Student's t over the normal quantile, to the first order in 1 / n.
    wider = 1 + ((_Z**2 + 1) / 4 + 0.5) / (own - 1)
    width = wider * half_width(
        questions, systems, pairing=pairing, raters=raters, likeness=likeness
    )
    # A share further from 50 % has a narrower interval: its variance is p (1 − p).
    return width if pairing in SINGLE else width / math.hypot(1, width / 50)


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
    return 50 * _Z * math.sqrt(spread / questions)


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
    if pairing in ("reference", *SINGLE):
        return 1.0
    return count_rounds(systems, pairing) * (systems // 2) * 2 / systems


def _money(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)
