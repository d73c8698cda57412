"""AmbigNQ's table 2: how many pairs of question and answer there are for a question (A71, A76)."""

from collections.abc import Mapping, Sequence

from annotation.figures.panel import Cell, Column, Panel, share_with_interval
from annotation.figures.registry import Request
from evaluation.reports.papers import reading
from evaluation.reports.papers.values import SPLITS, average_with_interval
from validation.decisions.accepted_answers import DecidedQuestion

_FOUR = 4  # and more


def build_table_2(request: Request) -> Panel:
    """Return table 2."""
    return tabulate_pairs(request.once(reading.read_accepted_pairs))


def pairs_by_split(rows: Sequence[DecidedQuestion]) -> dict[str, list[int]]:
    """Return the pairs of each question's smallest accepted set, for the splits that have any."""
    counts: dict[str, list[int]] = {}
    for row in rows:
        counts.setdefault(row.split, []).append(min(len(answers.pairs) for answers in row.sets))
    return {split: counts[split] for split in SPLITS if split in counts}


def share_by_size(rows: Sequence[DecidedQuestion]) -> dict[str, list[float]]:
    """Return the percentages of questions with 1, 2, 3, and 4 or more pairs, by split."""
    return {
        split: [100 * sum(map(of_size, counts)) / len(counts) for of_size in _SIZES.values()]
        for split, counts in pairs_by_split(rows).items()
    }


def tabulate_pairs(rows: Sequence[DecidedQuestion]) -> Panel:
    """Return the table: a row for each split, and one for all where there are several."""
    by_split = pairs_by_split(rows)
    parts: Mapping[str, list[int]] = by_split
    if len(by_split) > 1:
        parts = by_split | {"all": [n for counts in by_split.values() for n in counts]}
    return Panel(
        columns=(
            Column("split", "Split"),
            Column("questions", "Questions", "count"),
            *(Column(key, label, "share") for key, label in _LABELS.items()),
            Column("several", "Several answers", "share"),
            Column("answers", "Answers", "mean"),
        ),
        rows=[_row(split, counts) for split, counts in parts.items()],
        n=len(rows),
        definition=(
            "Accepted questions by the number of their pairs. Where several sets are accepted, "
            "the one with the fewest pairs counts."
        ),
        needs="1 accepted question",
        summary=_summary(by_split),
    )


_SIZES = {
    "pairs_1": lambda n: n == 1,
    "pairs_2": lambda n: n == 2,
    "pairs_3": lambda n: n == 3,
    "pairs_4_or_more": lambda n: n >= _FOUR,
}
_LABELS = {
    "pairs_1": "1 pair",
    "pairs_2": "2 pairs",
    "pairs_3": "3 pairs",
    "pairs_4_or_more": "4 or more",
}


def _row(split: str, counts: Sequence[int]) -> list[Cell]:
    return [
        split,
        len(counts),
        *(
            share_with_interval(sum(map(of_size, counts)), len(counts))
            for of_size in _SIZES.values()
        ),
        share_with_interval(sum(n > 1 for n in counts), len(counts)),
        average_with_interval([float(n) for n in counts], "mean"),
    ]


def _summary(by_split: Mapping[str, Sequence[int]]) -> str:
    counts = [n for of_split in by_split.values() for n in of_split]
    if not counts:
        return ""
    several = 100 * sum(n > 1 for n in counts) / len(counts)
    return (
        f"{several:.0f} % of the questions have several answers; "
        f"a question has {sum(counts) / len(counts):.1f} on average."
    )
