"""ASQA's table 1: how many questions and long answers there are (S44), and what they are like."""

from collections.abc import Sequence

from annotation.figures.panel import Cell, Column, Panel
from annotation.figures.registry import Request
from evaluation.reports.papers import reading
from evaluation.reports.papers.values import SPLITS, average_with_interval, figure_with_interval
from metrics.score import Evaluation
from validation.agreement import long_answer_figures as figures
from validation.agreement.long_answer_figures import WrittenAnswers


def build_long_answers_panel(request: Request) -> Panel:
    """Return table 1."""
    return tabulate_long_answers(request.once(reading.read_long_answers))


def tabulate_long_answers(rows: Sequence[WrittenAnswers]) -> Panel:
    """Return a row for each split that has accepted questions, and one for all of several."""
    by_split = {split: [row for row in rows if row.split == split] for split in SPLITS}
    parts = {split: of_split for split, of_split in by_split.items() if of_split}
    if len(parts) > 1:
        parts["all"] = list(rows)
    answers = sum(len(row.scored.annotations) for row in rows)
    return Panel(
        columns=(
            Column("split", "Split"),
            Column("questions", "Questions", "count"),
            Column("answers", "Long answers", "count"),
            Column("per_question", "For each question", "mean"),
            Column("words", "Words", "mean"),
            Column("agreement", "ROUGE-L of two", "score"),
        ),
        rows=[_row(split, of_split) for split, of_split in parts.items()],
        n=len(rows),
        definition=(
            "Accepted questions and their long answers. Words are separated by white space; "
            "ROUGE-L compares two long answers to the same question."
        ),
        needs="1 accepted question",
        summary=(
            f"{len(rows):,} questions have {answers:,} long answers, "
            f"of {_words(rows):.1f} words on average."
            if answers
            else ""
        ),
    )


def human_length(rows: Sequence[WrittenAnswers]) -> float | None:
    """Return the mean words of long answers."""
    return _value(figures.measure_long_answers(rows), "words")


def human_str_em(rows: Sequence[WrittenAnswers]) -> float | None:
    """Return STR-EM of the long answers of people, in percent."""
    share = _value(figures.measure_long_answers(rows), "found")
    return None if share is None else 100 * share


def human_agreement(rows: Sequence[WrittenAnswers]) -> float | None:
    """Return ROUGE-L of two long answers to a question, in percent."""
    share = _value(figures.score_writers(rows), "rouge_lsum")
    return None if share is None else 100 * share


def _value(evaluation: Evaluation | None, name: str) -> float | None:
    if evaluation is None:
        return None
    return evaluation.value(next(row for row in evaluation.figures if row.name == name))


def _words(rows: Sequence[WrittenAnswers]) -> float:
    return human_length(rows) or 0.0


def _row(split: str, rows: Sequence[WrittenAnswers]) -> list[Cell]:
    answers = [len(row.scored.annotations) for row in rows]
    return [
        split,
        len(rows),
        sum(answers),
        average_with_interval([float(number) for number in answers], "mean"),
        figure_with_interval(figures.measure_long_answers(rows), "mean", "words"),
        figure_with_interval(figures.score_writers(rows), "score", "rouge_lsum"),
    ]
