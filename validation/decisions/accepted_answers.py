"""The accepted answers, read for every question of a project in bounded memory.

A question's accepted sets are those of the decision in force. Without one, what its generators
submitted is accepted as written. The state of the question says whether it is finished.
"""

import datetime as dt
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from accounts import prepared_statements
from annotation.exports.rows import Row, fetch_chunks, fetch_rows
from annotation.generation.stage import GENERATION
from annotation.models import Project, Question
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from validation.decisions.models import AcceptedAnnotation, Decision
from validation.decisions.statements import (
    ACCEPTED_SETS,
    COUNT_WITHOUT_ANSWER,
    DECISIONS_ON_QUESTIONS,
    QUESTIONS_OF_SPLIT,
    SUBMITTED_ANNOTATIONS,
    WRITTEN_PAIRS,
)
from validation.verdicts.comparing import AnswerSet, Texts

AT_ONCE = 250
GENERATORS = "generators"
"""The source where generators alone decided; the others are values of Decision.Source."""


@dataclass(slots=True)
class DecidedQuestion:
    """A question and what is accepted for it.

    left_out: why nothing is accepted ("excluded", "skipped", "unfinished", "no_answer"), else "".
    source: GENERATORS or a Decision.Source. no_answers: the number of submissions that found no
    answer, accepted as well as `sets`. imported: its annotations were once imported as finished
    work. newest: time of the last work or decision that counts. guidelines: the versions read.
    """

    pk: int
    external_id: str
    text: str
    split: str
    left_out: str = ""
    source: str = GENERATORS
    sets: tuple[AnswerSet, ...] = ()
    no_answers: int = 0
    imported: bool = False
    newest: dt.datetime | None = None
    guidelines: frozenset[int] = field(default=frozenset())


_State = Question.State
_LEFT_OUT: Mapping[str, str] = {
    _State.EXCLUDED: "excluded",
    _State.SKIPPED: "skipped",
    _State.FLAGGED: "unfinished",
    _State.IMPORTED: "unfinished",
    _State.GENERATING: "unfinished",
    _State.VALIDATING: "unfinished",
}
LEFT_OUT = ("excluded", "skipped", "unfinished", "no_answer")


def read_question_chunks(project: Project, split: str | None) -> Generator[list[DecidedQuestion]]:
    """Give every question of the split (None: all), in the order of import, in chunks.

    Only within `snapshot`. Four queries for each chunk that holds finished questions.
    """
    for rows in fetch_chunks(QUESTIONS_OF_SPLIT, [project.pk, split, split], AT_ONCE):
        finished = [row[0] for row in rows if row[4] not in _LEFT_OUT]
        around = _DecisionRelations(finished) if finished else None
        yield [_standing(row, around) for row in rows]


class AcceptedCounts(NamedTuple):
    """How many accepted questions a release holds, and how many it leaves out.

    A question is left out where the only thing accepted is that no answer was found.
    """

    released: int
    no_answer: int


def accepted_counts(project: Project, split: str | None = None) -> AcceptedCounts:
    """Count what a release of the project (or of a split) would hold now. At most two queries."""
    questions = Question.objects.filter(project=project).exclude(state__in=list(_LEFT_OUT))
    finished = (questions.filter(split=split) if split else questions).count()
    if not protocols.protocol_of(project).has_feature(Feature.NO_ANSWER):
        return AcceptedCounts(finished, 0)
    values = {"project": project.pk, "split": split, "left_out": list(_LEFT_OUT)}
    [(no_answer,)] = fetch_rows(COUNT_WITHOUT_ANSWER, values)
    return AcceptedCounts(finished - no_answer, no_answer)


def sets_by_question(question_ids: Sequence[int]) -> dict[int, tuple[AnswerSet, ...]]:
    """Return the accepted sets of a few questions by their ids. At most four queries."""
    around = _DecisionRelations(question_ids)
    return {pk: around.accepted_sets_of(pk) for pk in question_ids}


def sets_of(decision_ids: Sequence[int]) -> dict[int, tuple[AnswerSet, ...]]:
    """Return the accepted sets by decision; decisions without any are left out. One query."""
    rows = prepared_statements.fetch_rows(ACCEPTED_SETS, {"decisions": list(decision_ids)})
    return {
        decision: tuple(_set(list(of_set)) for _, of_set in groupby(of_decision, itemgetter(1)))
        for decision, of_decision in groupby(rows, itemgetter(0))
    }


def _set(rows: Sequence[Row]) -> AnswerSet:
    _, _, kind, annotation, *_ = rows[0]
    pairs = (Texts(tuple(row[5]), tuple(row[6])) for row in rows if row[4] is not None)
    return AnswerSet(kind, tuple(pairs), annotation)


def read_annotation_sets(annotation_ids: Sequence[int]) -> dict[int, AnswerSet]:
    """Return annotations as sets, by their ids. One query."""
    rows = prepared_statements.fetch_rows(WRITTEN_PAIRS, {"annotations": list(annotation_ids)})
    return {
        annotation: _as_written(list(of_annotation))
        for annotation, of_annotation in groupby(rows, itemgetter(0))
    }


def _as_written(rows: Sequence[Row]) -> AnswerSet:
    annotation, kind, *_ = rows[0]
    single = kind == AcceptedAnnotation.Kind.SINGLE
    pairs = (
        Texts((question,) if question and not single else (), tuple(forms), pk)
        for _, _, pk, question, forms in rows
        if pk is not None
    )
    return AnswerSet(kind, tuple(pairs), annotation)


class _DecisionRelations:
    """Decisions, submissions and their texts, of the finished questions of one chunk."""

    def __init__(self, questions: Sequence[int]) -> None:
        self.submitted = _by_first(fetch_rows(SUBMITTED_ANNOTATIONS, [list(questions), GENERATION]))
        decisions = _by_first(fetch_rows(DECISIONS_ON_QUESTIONS, [list(questions)]))
        self.imported = {
            question
            for question, rows in decisions.items()
            if any(row[2] == Decision.Source.IMPORT for row in rows)
        }
        self.decisions = {
            question: row for question, rows in decisions.items() for row in rows if row[5]
        }
        self.written = read_annotation_sets(
            [
                row[1]
                for question, rows in self.submitted.items()
                if question not in self.decisions
                for row in rows
            ]
        )
        self.sets = sets_of([row[1] for row in self.decisions.values()])

    def accepted_sets_of(self, question: int) -> tuple[AnswerSet, ...]:
        """Return the accepted sets of a question."""
        if decision := self.decisions.get(question):
            return self.sets.get(decision[1], ())
        rows = self.submitted.get(question, [])
        return tuple(self.written[row[1]] for row in rows if _answers(row))


def _by_first(rows: Iterable[Row]) -> dict[int, list[Row]]:
    return {key: list(group) for key, group in groupby(rows, itemgetter(0))}


def _standing(row: Row, around: _DecisionRelations | None) -> DecidedQuestion:
    question = DecidedQuestion(row[0], row[1], row[2], row[3], left_out=_LEFT_OUT.get(row[4], ""))
    if question.left_out or around is None:
        return question
    question.imported = question.pk in around.imported
    submitted = around.submitted.get(question.pk, [])
    decision = around.decisions.get(question.pk)
    question.sets = around.accepted_sets_of(question.pk)
    if decision is None:
        question.no_answers = sum(not _answers(submission) for submission in submitted)
        times = [submission[3] for submission in submitted]
        guidelines = {submission[4] for submission in submitted}
    else:
        question.source = decision[2]
        times = [decision[3]]
        guidelines = {decision[4] or 0, *(submission[4] for submission in submitted)}
    question.newest = max(times, default=None)
    question.guidelines = frozenset(guidelines - {0})
    if not question.sets:
        question.left_out = "no_answer"
    return question


def _answers(submitted: Row) -> bool:
    return bool(submitted[2] != "none")
