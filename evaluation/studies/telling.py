"""What a study can tell, in words: which differences show, and how many questions they take.

The numbers are those of `estimates.find_margin`; docs/studies.md says how they are computed.
"""

from dataclasses import dataclass
from functools import partial

from evaluation.studies.design import SINGLE
from evaluation.studies.estimates import find_margin
from metrics.intervals import TOO_FEW

MOST_QUESTIONS = 5_000
"""The largest study. What takes more questions cannot be told by any."""
# How far from 50 a share may lie to be told, in points of 100, each with the words for a win share.
_LEADS = {30: "8 of 10", 20: "7 of 10", 10: "6 of 10"}
_WIDTHS = {20: "± 20 points", 10: "± 10 points", 5: "± 5 points"}
# From the widest margin to the narrowest: what a study with a margin above this is good for.
_VERDICTS = {
    20.0: "Enough to try the study out, too little to rank systems",
    10.0: "Enough for large differences between systems",
    5.0: "Enough for most differences between systems",
    0.0: "Enough for small differences between systems",
}


@dataclass(frozen=True)
class Needed:
    """How many questions it takes to show something, None where no study is large enough."""

    shown: str
    questions: int | None


@dataclass(frozen=True)
class Telling:
    """What a study can tell. margin: of `find_margin`; caption: of the table of what is needed."""

    margin: float | None
    verdict: str
    sentence: str
    caption: str
    needed: tuple[Needed, ...]


def tell_reach(questions: int, systems: int, *, pairing: str, raters: int) -> Telling:
    """Return what a study of this size can tell, and the questions that it would take for more."""
    margin = find_margin(questions, systems, pairing=pairing, raters=raters)
    single = pairing in SINGLE
    needed = partial(_count_needed, systems=systems, pairing=pairing, raters=raters)
    steps = (_WIDTHS if single else _LEADS).items()
    return Telling(
        margin=margin,
        verdict=_judge_margin(margin),
        sentence=_describe_margin(questions, margin, pairing),
        caption="Questions needed to know a system’s share of 50 % this well"
        if single
        else "Questions needed to show that one system is preferred in this many comparisons",
        needed=tuple(Needed(shown, needed(points)) for points, shown in steps),
    )


def _judge_margin(margin: float | None) -> str:
    if margin is None:
        return TOO_FEW.capitalize()
    return next(words for least, words in _VERDICTS.items() if margin > least)


def _describe_margin(questions: int, margin: float | None, pairing: str) -> str:
    so_many = f"With {questions:,} question{'' if questions == 1 else 's'}"
    if margin is None:
        return (
            f"{so_many}, even an answer that is always preferred may be preferred by chance."
            if pairing not in SINGLE
            else f"{so_many}, any share of answers may be due to chance."
        )
    if pairing in SINGLE:
        what = "answers that are correct" if pairing == "expert" else "what its answers say (ACC)"
        return (
            f"{so_many}, {what} are known to about ± {margin:.0f} points for each system. Smaller "
            "differences will look like chance."
        )
    return (
        f"{so_many}, one answer has to be preferred in about {50 + margin:.0f} of 100 comparisons "
        "before you can say that its system is better. Smaller differences will look like chance."
    )


def _count_needed(points: float, *, systems: int, pairing: str, raters: int) -> int | None:
    """Return from how many questions on the margin is never above this many points."""

    def is_enough(questions: int) -> bool:
        margin = find_margin(questions, systems, pairing=pairing, raters=raters)
        return margin is not None and margin <= points

    if not is_enough(MOST_QUESTIONS):
        return None
    low, high = 0, MOST_QUESTIONS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
