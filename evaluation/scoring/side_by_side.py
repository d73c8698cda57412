"""The answers of several systems beside the reference, with the scores of each question (A80).

Scores are read as the last scoring job measured them; none is measured here.
"""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models.functions import Substr

from annotation.models import Project, Question, StoredFigures
from evaluation.scores.registry import ReferenceLine, Scoring
from evaluation.scores.values import Kind, Kinds, SystemMeasures
from evaluation.systems.models import Output, System
from evaluation.systems.stored_scores import place_of

PAGE = 10  # questions
MOST_SYSTEMS = 4
LONGEST = 3_000  # characters of an answer; all of it is on the page of its question
IMPORTED, WORST, DIFFERING = "imported", "worst", "differing"
RANKED = "ranked"  # by the figure by which the leaderboard is ordered


class ShownAnswer(NamedTuple):
    """What a system answered, "" for nothing. cut: whether there is more of it."""

    system: str
    text: str
    cut: bool


class ScoreLine(NamedTuple):
    """A measure of a question: its value for each system, None where there is none."""

    label: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """A question with what is right, what each system answered, and how good that is."""

    question: Question
    references: Sequence[ReferenceLine]
    answers: Sequence[ShownAnswer]
    scores: Sequence[ScoreLine]


class StoredMeasures(NamedTuple):
    """What was last measured of systems on a split, by their ids, and when the oldest of it was."""

    by_system: Mapping[int, SystemMeasures]
    oldest: dt.datetime | None


def list_item_kinds(scoring: Scoring) -> Kinds:
    """Return the figures that a single question can have, by name."""
    return {
        name: kind
        for name, kind in scoring.kinds.items()
        if not (kind.fixed or kind.among or kind.within)
    }


def read_measures(project: Project, split: str, systems: Sequence[System]) -> StoredMeasures:
    """Return what was last measured of some systems. One query for each of them."""
    found, times = {}, []
    for system in systems:
        system.project_id = project.pk
        row = StoredFigures.objects.filter(**place_of(system, split)).first()
        if row is not None:
            found[system.pk] = SystemMeasures(**row.figures)
            times.append(row.counted_at)
    return StoredMeasures(found, min(times, default=None))


def measure_item(measures: SystemMeasures | None, kind: Kind, question: str) -> float | None:
    """Return a figure for one question, by its external id; None where it has none."""
    columns = [measures.columns.get(name, {}) for name in kind.columns] if measures else []
    if not columns or not all(question in column for column in columns):
        return None
    return float(kind.combine(*(column[question] for column in columns)))


def find_measured_kind(measures: StoredMeasures, kinds: Kinds, names: Sequence[str]) -> Kind | None:
    """Return the first of these figures that was measured of one of the systems."""
    measured = [set(row.columns) for row in measures.by_system.values()]
    for name in names:
        if name in kinds and any(every.issuperset(kinds[name].columns) for every in measured):
            return kinds[name]
    return None


def order_questions(
    project: Project,
    split: str,
    systems: Sequence[System],
    measures: StoredMeasures,
    kind: Kind | None,
    order: str,
) -> list[int]:
    """Return the ids of the questions that one of the systems answered, in an order. One query.

    By a figure the worst come first, by the mean of the systems, or those on which the systems
    differ most; questions that cannot be compared come last, as they were imported.
    """
    rows = Question.objects.filter(project=project, split=split, outputs__system__in=systems)
    rows = rows.exclude(state=Question.State.EXCLUDED).order_by("pk").distinct()
    names = dict(rows.values_list("pk", "external_id"))
    if kind is None or order == IMPORTED:
        return list(names)
    rank = _RANKS[order]

    def place(pk: int) -> tuple[bool, float, int]:
        every = (measure_item(row, kind, names[pk]) for row in measures.by_system.values())
        ranked = rank([value for value in every if value is not None])
        return ranked is None, ranked or 0.0, pk

    return sorted(names, key=place)


def _rank_worst(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _rank_differing(values: Sequence[float]) -> float | None:
    return min(values) - max(values) if len(values) > 1 else None


_RANKS: Mapping[str, Callable[[Sequence[float]], float | None]] = {
    WORST: _rank_worst,
    DIFFERING: _rank_differing,
}


def read_questions(
    ids: Sequence[int], systems: Sequence[System], measures: StoredMeasures, scoring: Scoring
) -> list[ComparedQuestion]:
    """Return a few questions in this order. Two queries, and those of their references."""
    questions = Question.objects.in_bulk(ids)
    outputs = Output.objects.filter(system__in=systems, question__in=ids)
    texts = {
        (system, question): text
        for system, question, text in outputs.values_list(
            "system_id", "question_id", Substr("text", 1, LONGEST + 1)
        )
    }
    references = scoring.list_references([questions[pk] for pk in ids if pk in questions])
    return [
        ComparedQuestion(
            questions[pk],
            references.get(pk, ()),
            [_show_answer(row, texts.get((row.pk, pk), "")) for row in systems],
            list(_score_lines(questions[pk], systems, measures, scoring)),
        )
        for pk in ids
        if pk in questions
    ]


def _show_answer(system: System, text: str) -> ShownAnswer:
    return ShownAnswer(str(system), text[:LONGEST], len(text) > LONGEST)


def _score_lines(
    question: Question, systems: Sequence[System], measures: StoredMeasures, scoring: Scoring
) -> Sequence[ScoreLine]:
    lines = [
        ScoreLine(
            kind.label,
            tuple(
                measure_item(measures.by_system.get(row.pk), kind, question.external_id)
                for row in systems
            ),
        )
        for kind in list_item_kinds(scoring).values()
    ]
    return [line for line in lines if any(value is not None for value in line.values)]
