"""Long answers of ASQA's files, as annotation.imports.asqa has checked them, and their rows."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.core.models.questions import Question
from annotation.imports.adapters import annotations_of
from annotation.imports.formats import QuestionRecord
from annotation.long_answers.models import Knowledge, LongAnswer


@dataclass(frozen=True, slots=True)
class FinishedLongAnswer:
    """A long answer as a file has it, with (content, page) of each piece of knowledge."""

    text: str
    knowledge: tuple[tuple[str | None, str | None], ...]


def answers_in(record: QuestionRecord) -> tuple[FinishedLongAnswer, ...]:
    """Return the long answers of a record."""
    return tuple(
        FinishedLongAnswer(
            each["long_answer"],
            tuple(
                (piece.get("content"), piece.get("wikipage")) for piece in each.get("knowledge", [])
            ),
        )
        for each in annotations_of(record)
    )


def read_imported(question_ids: Sequence[int]) -> dict[int, tuple[FinishedLongAnswer, ...]]:
    """Return the long answers imported for each question, as its file had them. Two queries."""
    found: dict[int, list[FinishedLongAnswer]] = {}
    for row in _imported_rows(question_ids).order_by("pk").prefetch_related("knowledge"):
        knowledge = tuple((piece.content, piece.page) for piece in row.knowledge.all())
        found.setdefault(row.question_id, []).append(FinishedLongAnswer(row.text, knowledge))
    return {question: tuple(answers) for question, answers in found.items()}


def write_answers(
    questions: Sequence[tuple[Question, QuestionRecord]], *, now: dt.datetime
) -> set[int]:
    """Write the long answers of records; return the ids of questions that had imported ones."""
    imported = _imported_rows([question.pk for question, _ in questions])
    before = set(imported.order_by().values_list("question", flat=True))
    if before:
        imported.delete()
    written = [
        (LongAnswer(question=question, text=each.text, created_at=now), each)
        for question, record in questions
        for each in answers_in(record)
    ]
    LongAnswer.objects.bulk_create(row for row, _ in written)
    Knowledge.objects.bulk_create(
        Knowledge(long_answer=row, position=position, content=content, page=page)
        for row, each in written
        for position, (content, page) in enumerate(each.knowledge)
    )
    return before


def _imported_rows(question_ids: Sequence[int]) -> Any:
    return LongAnswer.objects.filter(question__in=question_ids, assignment__isnull=True)
