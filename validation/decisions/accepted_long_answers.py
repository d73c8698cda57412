"""The accepted long answers, read for every question in bounded memory.

A question is released once it is accepted: its long answers are those imported as finished work,
and those submitted by writers whose work counts. Questions with an open concern are left out.
"""

import datetime as dt
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from annotation.exports.rows import Row, fetch_chunks, fetch_rows
from annotation.models import Project, Question
from validation.decisions.statements import (
    KNOWLEDGE_USED,
    LONG_ANSWERED_QUESTIONS,
    LONG_ANSWERS_IN_USE,
    SHOWN_PARAGRAPHS,
    UPHELD_CONCERNS,
)

AT_ONCE = 250
LEFT_OUT = ("excluded", "concern_open", "skipped", "unfinished")

_State = Question.State
_REASONS: Mapping[str, str] = {
    _State.ACCEPTED: "",
    _State.EXCLUDED: "excluded",
    _State.FLAGGED: "concern_open",
    _State.SKIPPED: "skipped",
}


@dataclass(frozen=True, slots=True)
class AcceptedLongAnswer:
    """A long answer with (content, page) of each piece of knowledge.

    overrides: the disambiguations, from 0, whose short answer it says in other words. given: the
    inputs of its writer, "full" or "question"; "" where it was imported as finished work.
    """

    text: str
    knowledge: tuple[tuple[str | None, str | None], ...]
    overrides: frozenset[int] = frozenset()
    given: str = ""


@dataclass(slots=True)
class LongAnsweredQuestion:
    """A question and its accepted long answers.

    left_out: why it is not released, one of LEFT_OUT, "" where it is. reasons: the team's notes on
    the concerns that excluded it. context: as it was imported. shown: the paragraphs its writers
    were shown, (text, title) by disambiguation. imported: its long answers were imported as
    finished work.
    """

    pk: int
    external_id: str
    text: str
    split: str
    left_out: str
    context: Mapping[str, Any] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    answers: tuple[AcceptedLongAnswer, ...] = ()
    shown: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    imported: bool = False
    newest: dt.datetime | None = None
    guidelines: frozenset[int] = frozenset()


def read_question_chunks(
    project: Project, split: str | None
) -> Generator[list[LongAnsweredQuestion]]:
    """Give every question of the split (None: all), in chunks.

    Only within `snapshot`. At most four queries for each chunk.
    """
    for rows in fetch_chunks(LONG_ANSWERED_QUESTIONS, [project.pk, split, split], AT_ONCE):
        around = _LongAnsweredRelations(rows)
        yield [_answered(row, around) for row in rows]


class _LongAnsweredRelations:
    """What belongs to the questions of one chunk."""

    def __init__(self, rows: Sequence[Row]) -> None:
        accepted = [row[0] for row in rows if row[4] == _State.ACCEPTED]
        excluded = [row[0] for row in rows if row[4] == _State.EXCLUDED]
        self.answers = _by_first(fetch_rows(LONG_ANSWERS_IN_USE, [accepted]) if accepted else [])
        ids = [row[1] for answers in self.answers.values() for row in answers]
        self.knowledge = _by_first(fetch_rows(KNOWLEDGE_USED, [ids]) if ids else [])
        # Writers who were given the question alone were not shown any paragraph.
        full = [
            pk for pk, answers in self.answers.items() if any(row[6] == "full" for row in answers)
        ]
        self.shown = _by_first(fetch_rows(SHOWN_PARAGRAPHS, [full]) if full else [])
        self.upheld = _by_first(fetch_rows(UPHELD_CONCERNS, [excluded]) if excluded else [])


def _answered(row: Row, around: _LongAnsweredRelations) -> LongAnsweredQuestion:
    pk, external_id, text, split, state, context = row
    question = LongAnsweredQuestion(pk, external_id, text, split, _REASONS.get(state, "unfinished"))
    rows = around.answers.get(pk, [])
    if not question.left_out and not rows:
        question.left_out = "unfinished"
    if question.left_out:
        question.reasons = tuple(note for _, note in around.upheld.get(pk, []))
        return question
    question.context = orjson.loads(context)
    question.answers = tuple(
        AcceptedLongAnswer(
            answer[2],
            tuple((content, page) for _, content, page in around.knowledge.get(answer[1], [])),
            frozenset(answer[7]),
            answer[6] or "",
        )
        for answer in rows
    )
    question.shown = {
        position: (text, title) for _, position, text, title in around.shown.get(pk, [])
    }
    question.imported = all(answer[3] for answer in rows)
    question.newest = max(answer[4] for answer in rows)
    question.guidelines = frozenset({answer[5] for answer in rows} - {None, 0})
    return question


def _by_first(rows: Sequence[Row]) -> dict[int, list[Row]]:
    return {key: list(group) for key, group in groupby(rows, itemgetter(0))}
