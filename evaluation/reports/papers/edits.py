"""AmbigNQ's figure 2c: the words that rewritten questions add and delete (A74)."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from annotation.figures.panel import Chart, Column, Panel, share_with_interval
from annotation.figures.registry import Request
from evaluation.reports.papers import reading
from metrics.edits import word_edits
from validation.decisions.accepted_answers import DecidedQuestion
from wikipedia.text.words import word_set

ADDED, DELETED = "added", "deleted"
MOST_WORDS = 100
TAIL = (1, 10, 100, 1_000)
# Words that say nothing of what was edited: function words but not the words that ask, letters
# that contractions leave, and what the tokens of brackets become.
STOP_WORDS: Final = word_set(
    "about above after again against all also am and any are as at be because been before being"
    " below between both but by can could d did do does doing down during each few for from further"
    " had has have having he her here hers herself him himself his i if in into is it its itself"
    " just lcb ll lrb lsb m may me might more most must my myself nor not now nt o of off on once"
    " only or other our ours ourselves out over own rcb re rrb rsb s same shall she should so some"
    " such t than that their theirs them themselves then there these they this those through to too"
    " under until up upon us ve very was we were will with within without would you your yours"
    " yourself yourselves"
)

Edit = tuple[str, str]
"""A word, and whether it was ADDED or DELETED."""


def build_cloud_panel(request: Request) -> Panel:
    """Return figure 2c."""
    return draw_cloud(request.once(_counted))


def build_tail_panel(request: Request) -> Panel:
    """Return how much of all edits the most frequent ones are."""
    return draw_tail(request.once(_counted))


def _counted(request: Request) -> Counter[Edit]:
    return count_edits(request.once(reading.read_accepted_pairs))


def count_edits(rows: Sequence[DecidedQuestion]) -> Counter[Edit]:
    """Return how often each word was added or deleted, in every phrasing of accepted pairs.

    Without stop words; numbers count by their digits, each written as 0.
    """
    counts: Counter[Edit] = Counter()
    for row in rows:
        for phrasing in _phrasings(row):
            change = word_edits(row.text, phrasing)
            for kind, changed in ((ADDED, change.added), (DELETED, change.deleted)):
                for word, times in changed.items():
                    if word not in STOP_WORDS:
                        counts[_grouped(word), kind] += times
    return counts


def draw_cloud(counts: Counter[Edit]) -> Panel:
    """Return the most frequent edits."""
    total = counts.total()
    return Panel(
        columns=(
            Column("word", "Word"),
            Column("edit", "Edit"),
            Column("times", "Times", "count"),
            Column("share", "Of all edits", "share"),
        ),
        rows=[
            [word, kind, times, share_with_interval(times, total)]
            for (word, kind), times in _ordered(counts)[:MOST_WORDS]
        ],
        n=total,
        counted="edit",
        definition=(
            f"The {MOST_WORDS} words that the questions of accepted pairs most often add to their "
            "prompt or take out of it. Stop words are left out, but not who, what, when and "
            "other words that ask. A number counts by its digits: 0000 is any number of four. "
            "In the picture, deleted words are in italics."
        ),
        needs="1 accepted question with several pairs",
        summary=_most_frequent(counts),
        chart=Chart("cloud", x="word", y="times", series="edit"),
    )


def draw_tail(counts: Counter[Edit]) -> Panel:
    """Return the share of all edits that the first of them have together."""
    total = counts.total()
    times = [number for _, number in _ordered(counts)]
    sizes = [size for size in TAIL if size < len(times)] + [len(times)] * bool(times)
    return Panel(
        columns=(
            Column("most_frequent", "Most frequent"),
            Column("times", "Times", "count"),
            Column("share", "Of all edits", "share"),
        ),
        rows=[
            [
                f"all {size:,}" if size == len(times) else f"{size:,}",
                sum(times[:size]),
                share_with_interval(sum(times[:size]), total),
            ]
            for size in sizes
        ],
        n=total,
        counted="edit",
        definition=(
            "How much of all edits the most frequent ones are together. In AmbigNQ the first 100 "
            "are 36 % and the first 1,000 are 69 %; stop words and tokens differ a little here."
        ),
        needs="1 accepted question with several pairs",
        summary=_long(times),
        chart=Chart("bars", x="most_frequent", y="share"),
    )


def _phrasings(row: DecidedQuestion) -> list[str]:
    """Return the questions of accepted sets with several pairs, each text once."""
    texts = (
        text
        for answers in row.sets
        if len(answers.pairs) > 1
        for pair in answers.pairs
        for text in pair.questions
    )
    return list(dict.fromkeys(texts))


def _grouped(word: str) -> str:
    return "0" * len(word) if word.isdigit() else word


def _ordered(counts: Counter[Edit]) -> list[tuple[Edit, int]]:
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))


def _most_frequent(counts: Counter[Edit]) -> str:
    firsts = (
        next((word for (word, of_kind), _ in _ordered(counts) if of_kind == kind), "")
        for kind in (ADDED, DELETED)
    )
    parts = [
        f"“{word}” is {kind} most often"
        for word, kind in zip(firsts, (ADDED, DELETED), strict=True)
        if word
    ]
    return f"{', '.join(parts)}." if parts else ""


def _long(times: Sequence[int]) -> str:
    if len(times) <= MOST_WORDS:
        return ""
    part = 100 * sum(times[:MOST_WORDS]) / sum(times)
    return f"The {MOST_WORDS} most frequent edits are {part:.0f} % of all."
