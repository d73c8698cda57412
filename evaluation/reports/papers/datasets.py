"""ASQA's table 2: this project next to other data sets of open-domain questions (S45)."""

from collections.abc import Sequence
from statistics import fmean

from annotation.figures.panel import Cell, Column, Panel
from annotation.figures.registry import Request
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from evaluation.reports.papers import long_answers, reading
from validation.agreement.long_answer_figures import WrittenAnswers
from validation.decisions.accepted_answers import DecidedQuestion

Size = tuple[int, float | None, float | None]
"""Questions, answers for each of them, and words of an answer."""

# As published: Stelmakh et al. 2022, table 2.
_PUBLISHED: Sequence[tuple[str, Size, str, str]] = (
    ("NQ-open", (91_000, 1.8, 2.2), "no", "yes"),
    ("AmbigQA", (14_042, 2.8, 2.4), "no", "yes"),
    ("ELI5", (272_000, 12.0, 103.0), "yes", "no"),
    ("MS-NLG", (183_000, 1.7, 14.6), "yes", "no"),
    ("ASQA", (6_316, 2.0, 64.8), "yes", "yes"),
)


def build_datasets_panel(request: Request) -> Panel:
    """Return the comparison."""
    title = request.project.title
    if protocols.protocol_of(request.project).has_feature(Feature.LONG):
        return compare_sizes(
            title, size_long_answers(request.once(reading.read_long_answers)), long=True
        )
    return compare_sizes(title, size_pairs(request.once(reading.read_accepted_pairs)), long=False)


def size_long_answers(rows: Sequence[WrittenAnswers]) -> Size:
    """Return the size of long answers."""
    if not rows:
        return 0, None, None
    answers = fmean(len(row.scored.annotations) for row in rows)
    return len(rows), answers, long_answers.human_length(rows)


def size_pairs(rows: Sequence[DecidedQuestion]) -> Size:
    """Return the size of pairs: their answers with all forms, over all accepted sets."""
    forms = [
        [form for answers in row.sets for pair in answers.pairs for form in pair.forms]
        for row in rows
    ]
    words = [float(len(form.split())) for of_question in forms for form in of_question]
    if not words:
        return len(rows), None, None
    return len(rows), len(words) / len(rows), fmean(words)


def compare_sizes(title: str, size: Size, *, long: bool) -> Panel:
    """Return a row for each published data set, and the project last."""
    questions, answers, words = size
    rows: list[list[Cell]] = [
        [name, *of_published, rouge, accuracy] for name, of_published, rouge, accuracy in _PUBLISHED
    ]
    rows.append([title, questions, answers, words, "yes" if long else "no", "yes"])
    return Panel(
        columns=(
            Column("data", "Data set"),
            Column("questions", "Questions", "count"),
            Column("answers", "Answers for each", "mean"),
            Column("words", "Words of an answer", "mean"),
            Column("rouge", "ROUGE"),
            Column("exact", "Accuracy"),
        ),
        rows=rows,
        n=questions,
        definition=(
            "This project next to published data sets, which are as in ASQA’s table 2: answers for "
            "each question of the development set, and whether answers can be scored by ROUGE and "
            "by accuracy. Of short answers every accepted form counts."
        ),
        summary=f"“{title}” has {questions:,} accepted question{'' if questions == 1 else 's'}.",
    )
