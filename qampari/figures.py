"""QAMPARI's table 2 and figure 3 as panels, from plain values (Q29, Q30). No row is read here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from annotation.figures.panel import Cell, Chart, Column, Panel, share_with_interval
from annotation.sheets.rules import format_count
from evaluation.reports.papers.values import average_with_interval, keep_filled
from metrics.qampari import QampariAnswer
from metrics.retrieval import TitledPassage

# In the order of the paper's columns; a kind of another name comes after them.
KINDS: Mapping[str, str] = {
    "wikidata_simple": "Simple, Wikidata",
    "wikitables_simple": "Simple, tables",
    "wikidata_intersection": "Intersection, Wikidata",
    "wikidata_comp": "Composition, Wikidata",
    "wikitables_composition": "Composition, tables",
}
PARTS: Mapping[str, Sequence[str]] = {"train": ("train",), "dev + test": ("dev", "test")}
# The paper names the shares from 8, over 15 and over 50, so its bins end there.
BINS: Sequence[tuple[str, int, float]] = (
    ("below 5", 0, 4),
    ("5 to 7", 5, 7),
    ("8 to 15", 8, 15),
    ("16 to 25", 16, 25),
    ("26 to 50", 26, 50),
    ("over 50", 51, float("inf")),
)
_NEEDS = "1 question that is in the release"


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with its gold answers, as a release has it.

    generated: the synthetic question, where `text` is a paraphrase of it. added: the answers that
    people added to it for the extended set, None where it is not in that; suggested: whether one of
    them was shown suggestions of a model.
    """

    id: str
    kind: str
    split: str
    text: str
    answers: tuple[QampariAnswer, ...]
    generated: str = ""
    added: tuple[QampariAnswer, ...] | None = None
    evidence: tuple[tuple[TitledPassage, ...], ...] = ()
    suggested: bool = False


def build_counts_panel(questions: Sequence[GoldQuestion]) -> Panel:
    """Return table 2: questions, answers and words, by part of the data and by kind."""
    rows: list[Sequence[Cell]] = []
    for part, splits in PARTS.items():
        of_part = [row for row in questions if row.split in splits]
        if not of_part:
            continue
        kinds = by_kind(of_part)
        rows.append(_counted(part, "All", of_part))
        rows += [_counted(part, label, some) for label, some in kinds.items() if len(kinds) > 1]
    columns, cells = keep_filled(
        (
            Column("part", "Part"),
            Column("kind", "Kind"),
            Column("questions", "Questions", "count"),
            Column("answers", "Answers, mean", "mean"),
            Column("median", "Answers, median", "mean"),
            Column("words", "Words", "mean"),
            Column("generated", "Words before the paraphrase", "mean"),
        ),
        rows,
    )
    return Panel(
        columns=columns,
        rows=cells,
        n=len(questions),
        definition=(
            "Questions of the release with their distinct answers, and the words of the question. "
            "Where a paraphrase is accepted, it is the question; the words of the synthetic "
            "question it replaced are those before."
        ),
        needs=_NEEDS,
        summary=_counts_summary(questions),
    )


def by_kind(questions: Iterable[GoldQuestion]) -> dict[str, list[GoldQuestion]]:
    """Return questions by the label of their kind, in the order of the paper."""
    found: dict[str, list[GoldQuestion]] = {}
    for row in questions:
        found.setdefault(row.kind, []).append(row)
    known = [kind for kind in KINDS if kind in found]
    other = sorted(kind for kind in found if kind not in KINDS)
    return {KINDS.get(kind, kind or "Unknown"): found[kind] for kind in (*known, *other)}


def _counted(part: str, label: str, questions: Sequence[GoldQuestion]) -> Sequence[Cell]:
    numbers = [len(row.answers) for row in questions]
    before = [row for row in questions if row.generated]
    return [
        part,
        label,
        len(questions),
        average_with_interval([float(number) for number in numbers], "mean"),
        float(median(numbers)),
        average_with_interval([_words(row.text) for row in questions], "mean"),
        average_with_interval([_words(row.generated) for row in before], "mean"),
    ]


def _words(text: str) -> float:
    return float(len(text.split()))


def _counts_summary(questions: Sequence[GoldQuestion]) -> str:
    if not questions:
        return ""
    numbers = [len(row.answers) for row in questions]
    return (
        f"A question has {sum(numbers) / len(numbers):.1f} answers on average, "
        f"{median(numbers):g} in the median."
    )


def build_bins_panel(questions: Sequence[GoldQuestion]) -> Panel:
    """Return figure 3a: questions by how many answers they have; those of dev and test."""
    numbers = [len(row.answers) for row in questions if row.split in PARTS["dev + test"]]
    rows = [
        (label, share_with_interval(sum(low <= number <= high for number in numbers), len(numbers)))
        for label, low, high in BINS
        if numbers and (low or any(number <= high for number in numbers))
    ]
    return Panel(
        columns=(Column("answers", "Answers"), Column("questions", "Questions", "share")),
        rows=rows,
        n=len(numbers),
        definition="Questions of dev and test by the number of their distinct answers.",
        needs="1 question of dev or test that is in the release",
        summary=_binned_summary(numbers),
        chart=Chart("histogram", x="answers", y="questions"),
    )


def _binned_summary(numbers: Sequence[int]) -> str:
    if not numbers:
        return ""
    eight, many = (
        100 * sum(number >= least for number in numbers) / len(numbers) for least in (8, 16)
    )
    return f"{eight:.0f} % have 8 or more answers, {many:.0f} % more than 15."


def build_added_panel(questions: Sequence[GoldQuestion]) -> Panel:
    """Return figure 3b: questions of the extended set by how many answers were added to them.

    What people found beside suggestions of a model is told apart.
    """
    of_set = [row for row in questions if row.added is not None]
    numbers = [len(row.added or ()) for row in of_set if not row.suggested]
    helped = [len(row.added or ()) for row in of_set if row.suggested]
    rows = [
        (str(number), share_with_interval(numbers.count(number), len(numbers)))
        for number in (range(max(numbers) + 1) if numbers else ())
    ]
    return Panel(
        columns=(Column("added", "Added answers"), Column("questions", "Questions", "share")),
        rows=rows,
        n=len(numbers),
        definition=(
            "Questions of the extended set by the number of gold answers that people added. An "
            "answer that the question had already, in any of its forms, is not counted."
            + (
                f" Left out: {format_count(len(helped), 'question')} whose people were shown "
                f"suggestions of a model; {fmean(helped):.2f} were added to these on average."
                if helped
                else ""
            )
        ),
        needs="1 question to which answers were added within the time",
        summary=(
            f"Added to a question: {median(numbers):g} in the median, "
            f"{sum(numbers) / len(numbers):.2f} on average, {max(numbers)} at most; "
            f"none to {100 * numbers.count(0) / len(numbers):.0f} %."
            if numbers
            else ""
        ),
        chart=Chart("histogram", x="added", y="questions"),
    )
