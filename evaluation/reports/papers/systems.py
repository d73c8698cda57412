"""ASQA's table 3: systems by automatic metrics, next to people (S46)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from annotation.figures.panel import Cell, Column, Panel, Value, of_score, of_shown
from annotation.figures.registry import Request
from annotation.models import Project, Question
from evaluation.reports.papers import reading
from evaluation.reports.papers.families import name_family
from evaluation.reports.papers.values import (
    average_with_interval,
    figure_with_interval,
    keep_filled,
)
from evaluation.scores.disambiguations import geometric_mean
from evaluation.scores.measuring import score_systems
from evaluation.scores.reading import answers_by_output
from evaluation.scores.references import pairs_of
from evaluation.scores.values import answers_by_split
from evaluation.systems.models import Output, System
from metrics import asqa
from metrics.score import SCORE, Evaluation, Figure
from validation.agreement import long_answer_figures as figures
from validation.agreement.long_answer_figures import WrittenAnswers
from validation.agreement.reporting import Unit, label_figures

METRICS: Mapping[str, tuple[str, Unit]] = {
    "length": ("Length", "mean"),
    "rouge_l": ("ROUGE-L", "score"),
    "str_em": ("STR-EM", "score"),
    "qa_f1": ("Disambig-F1", "score"),
    "dr": ("DR", "score"),
}
QUESTION, PEOPLE = "QUESTION (eight times)", "People, against each other"
_PASSAGES = ("passages", "top")  # options of baselines that say how many passages they read


PeopleRead = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Row:
    """What was scored on a split, with the number of questions it answered and its figures.

    passages: how many it read for each, None where that is not known.
    """

    name: str
    split: str
    answers: int
    figures: Mapping[str, Value]
    family: str = ""
    passages: int | None = None


def build_systems_panel(request: Request) -> Panel:
    """Return table 3."""
    return tabulate_rows(request.once(read_rows))


def read_rows(request: Request) -> list[Row]:
    """Return what was scored on the chosen split, or on all."""
    written = request.once(reading.read_long_answers)
    split = reading.chosen_split(request)
    people = read_people(request.project, split)
    return [*measure_bounds(written, people), *read_scored(request.project, split)]


def read_people(project: Project, split: str | None) -> PeopleRead:
    """Return Disambig-F1, 0 to 1, of long answers by question and text: of those that a reader has
    read, which are answers of human references. Three queries.
    """
    outputs = Output.objects.filter(
        system__project=project, system__kind=System.Kind.HUMAN, reader_answers__isnull=False
    ).defer("details")
    if split:
        outputs = outputs.filter(question__split=split)
    rows = list(outputs.order_by("pk"))
    questions = Question.objects.in_bulk({row.question_id for row in rows})
    _, answers = answers_by_output(rows, questions)
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        question = questions[row.question_id]
        pairs = list(pairs_of(question).values())
        if pairs and row.pk in answers:
            value = asqa.disambig_f1(pairs, answers[row.pk]) / 100
            found.setdefault(question.external_id, {})[row.text] = value
    return found


def measure_bounds(
    written: Sequence[WrittenAnswers], people_read: PeopleRead | None = None
) -> Iterator[Row]:
    """Give the rows of every split that need no system: the question itself, and people.

    people_read: what `read_people` gives; without it people have no Disambig-F1 and no DR.
    """
    for split in figures.SPLITS:
        rows = [row for row in written if row.split == split and row.scored.pairs]
        if not rows:
            continue
        yield Row(QUESTION, split, len(rows), _of_question(rows))
        answers = sum(len(row.scored.annotations) for row in rows)
        people = figures.measure_long_answers(rows)
        close = figures.score_writers(rows)
        yield Row(
            PEOPLE,
            split,
            answers,
            {
                "length": figure_with_interval(people, "mean", "words"),
                "rouge_l": figure_with_interval(close, "score", "rouge_lsum"),
                "str_em": figure_with_interval(people, "score", "found"),
                **_of_people_read(rows, people_read or {}, close),
            },
        )


def _of_people_read(
    rows: Sequence[WrittenAnswers], people_read: PeopleRead, close: Evaluation | None
) -> dict[str, Value]:
    """Return Disambig-F1 and DR of people, each as the mean over the answers to a question.

    DR is over the questions that have both, with ROUGE-L of the writers against each other, as for
    systems.
    """
    read: dict[str, float] = {}
    for row in rows:
        by_text = people_read.get(row.question, {})
        values = [
            by_text[annotation.long_answer]
            for annotation in row.scored.annotations
            if annotation.long_answer in by_text
        ]
        if values:
            read[row.question] = fmean(values)
    if not read:
        return {}
    found = {"qa_f1": average_with_interval(list(read.values()), "score")}
    rouge = dict(zip(close.ids, close.columns["rouge_lsum"], strict=True)) if close else {}
    both = [name for name in read if name in rouge]
    if both:
        columns = {"qa_f1": [read[name] for name in both], "rouge": [rouge[name] for name in both]}
        figure = Figure("dr", ("qa_f1", "rouge"), geometric_mean, scale=SCORE)
        found["dr"] = figure_with_interval(
            Evaluation("people", both, columns, [figure]), "score", "dr"
        )
    return found


def score_repeated_question(written: Sequence[WrittenAnswers]) -> Evaluation | None:
    """Return the scores of ASQA's QUESTION, in percent; None without an accepted question."""
    rows = {row.question: row for row in written if row.scored.pairs}
    if not rows:
        return None
    return asqa.score_predictions(
        {name: row.scored for name, row in rows.items()},
        {name: asqa.repeat_question(row.prompt) for name, row in rows.items()},
    )


def _of_question(rows: Sequence[WrittenAnswers]) -> dict[str, Value]:
    evaluation = score_repeated_question(rows)
    assert evaluation is not None  # each row has pairs
    columns = {
        name: values if name == "length" else [value / 100 for value in values]
        for name, values in evaluation.columns.items()
    }
    evaluation = Evaluation(evaluation.task, evaluation.ids, columns, evaluation.figures)
    names = {"length": "length", "rouge_l": "rouge_lsum", "str_em": "str_em"}
    labels = {name: METRICS[metric] for metric, name in names.items()}
    values = label_figures(labels, evaluation, "")
    return {metric: of_shown(value) for metric, value in zip(names, values, strict=True)}


def read_scored(project: Project, split: str | None) -> Iterator[Row]:
    """Give the rows of every system, split by split."""
    for part in sorted(answers_by_split(project), key=figures.SPLITS.index):
        if split in (None, part):
            systems = project.systems.filter(outputs__question__split=part).distinct()
            for row in score_systems(project, part, list(systems)):
                yield Row(
                    str(row.system),
                    part,
                    row.answers,
                    {
                        name: of_score(score, scale=1 if METRICS[name][1] == "mean" else 100)
                        for name, score in row.figures.items()
                        if name in METRICS
                    },
                    name_family(row.system.name, row.system.options),
                    count_passages(row.system.options),
                )


def count_passages(options: Mapping[str, Any]) -> int | None:
    """Return how many passages a system read, as the options of its run say."""
    texts = (str(options[name]) for name in _PASSAGES if name in options)
    return next((int(text) for text in texts if re.fullmatch(r"[0-9]{1,4}", text)), None)


def tabulate_rows(rows: Sequence[Row]) -> Panel:
    """Return table 3."""
    systems = [row for row in rows if row.name not in (QUESTION, PEOPLE)]
    columns, cells = keep_filled(
        (
            Column("system", "System"),
            Column("split", "Split"),
            Column("answers", "Answers", "count"),
            *(Column(name, label, unit) for name, (label, unit) in METRICS.items()),
        ),
        map(_cells, rows),
    )
    return Panel(
        columns=columns,
        rows=cells,
        n=max((row.answers for row in rows), default=0),
        counted="answer",
        definition=(
            "Scores from 0 to 100 as ASQA’s scorer gives them; length in words. ROUGE-L takes the "
            "nearest of the long answers, and of people that of another writer. QUESTION is the "
            "question eight times. Disambig-F1 and DR need the answers of a reader; for people, to "
            "the answers of human references."
        ),
        needs="1 accepted question, or 1 answer of a system",
        summary=_summary(systems),
    )


def _cells(row: Row) -> list[Cell]:
    values = (row.figures.get(name, Value(None, 0)) for name in METRICS)
    return [row.name, row.split, row.answers, *values]


def _summary(rows: Sequence[Row]) -> str:
    values = [(row.figures["str_em"].value, row.name) for row in rows if "str_em" in row.figures]
    ranked = sorted((-value, name) for value, name in values if value is not None)
    if not ranked:
        return ""
    return f"Of the systems, {ranked[0][1]} is best by STR-EM: {-100 * ranked[0][0]:.1f}."
