"""Import the annotations of ASQA's files as accepted long answers, which have no author here."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from annotation.core.models.audit import AuditEntry
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.imports.finished import AcceptedWorkEffect
from annotation.imports.formats import QuestionRecord
from annotation.long_answers.concerns.models import Concern
from annotation.long_answers.models import Knowledge, LongAnswer

MOST = 1_000
_ANNOTATIONS = "annotations"


@dataclass(frozen=True, slots=True)
class _FinishedLongAnswer:
    """A long answer as a file has it, with (content, page) of each piece of knowledge."""

    text: str
    knowledge: tuple[tuple[str | None, str | None], ...]


class FinishedLongAnswers:
    """The annotations of ASQA records, as annotation.imports.asqa has checked them."""

    formats: Sequence[str] = ("asqa",)
    in_rows: Sequence[str] = (_ANNOTATIONS,)

    def find_problem(self, record: QuestionRecord) -> str:
        """Return why the record cannot be imported as finished work, "" where it can."""
        annotations = _annotations(record)
        if not annotations:
            return (
                "It has no annotations, so there is nothing to accept. "
                "Import it without “finished” to have it answered here."
            )
        if len(annotations) > MOST:
            return f"It has {len(annotations):,} annotations. The maximum is {MOST:,}."
        for number, annotation in enumerate(annotations, start=1):
            if not annotation["long_answer"]:
                return f"Annotation {number} has an empty long answer. Write it, or remove it."
            if len(annotation.get("knowledge", [])) > MOST:
                return f"Annotation {number} has more than {MOST:,} pieces of knowledge."
        return ""

    def compare_with_finished(
        self, known: Sequence[tuple[Question, QuestionRecord]]
    ) -> Mapping[int, AcceptedWorkEffect]:
        """Compare the records with earlier imports and work done here. Four queries."""
        ids = [question.pk for question, _ in known]
        last = _imported(ids)
        worked = set(
            Assignment.objects.filter(task__question__in=ids).values_list(
                "task__question", flat=True
            )
        )
        doubted = set(
            Concern.objects.filter(
                question__in=ids, state__in=[Concern.State.OPEN, Concern.State.UPHELD]
            ).values_list("question", flat=True)
        )
        return {
            question.pk: _meets(
                question, record, last.get(question.pk), question.pk in worked, doubted
            )
            for question, record in known
        }

    def write_accepted_work(
        self,
        questions: Sequence[tuple[Question, QuestionRecord]],
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Write long answers with their knowledge, replacing those of an earlier import."""
        ids = [question.pk for question, _ in questions]
        replaced = _imported_rows(ids).order_by().values_list("question", "question__project")
        before = sorted(set(replaced))
        if before:
            _imported_rows(ids).delete()
        written = [
            (LongAnswer(question=question, text=each.text, created_at=now), each)
            for question, record in questions
            for each in _finished(record)
        ]
        LongAnswer.objects.bulk_create(row for row, _ in written)
        Knowledge.objects.bulk_create(
            Knowledge(long_answer=row, position=position, content=content, page=page)
            for row, each in written
            for position, (content, page) in enumerate(each.knowledge)
        )
        AuditEntry.objects.bulk_create(
            AuditEntry(
                at=now,
                actor=by.pk if by else None,
                project=project,
                action="long_answers_replaced",
                target=f"question:{question}",
                data={"source": "import"},
            )
            for question, project in before
        )


def _meets(
    question: Question,
    record: QuestionRecord,
    last: tuple[_FinishedLongAnswer, ...] | None,
    worked: bool,
    doubted: set[int],
) -> AcceptedWorkEffect:
    """Return how the record relates to existing work. `last` is its content when last imported."""
    same = last is not None and last == _finished(record)
    if same and question.text == record.text:
        return AcceptedWorkEffect()  # nothing new, so what happened here since then is kept
    if question.pk in doubted:
        return AcceptedWorkEffect(
            f"A concern was raised about “{record.external_id}” in this project and has not been "
            "dismissed. Decide on the concern first, or import the file into a project of its "
            "own."
        )
    if worked:
        return AcceptedWorkEffect(
            f"People work on “{record.external_id}” in this project, so what they answer counts. "
            "Import the file into a project of its own."
        )
    return AcceptedWorkEffect(changed=not same)


def _imported_rows(question_ids: Sequence[int]) -> Any:
    return LongAnswer.objects.filter(question__in=question_ids, assignment__isnull=True)


def _imported(question_ids: Sequence[int]) -> dict[int, tuple[_FinishedLongAnswer, ...]]:
    """Return the finished work imported for each question, as its file had it. Two queries."""
    found: dict[int, list[_FinishedLongAnswer]] = {}
    for row in _imported_rows(question_ids).order_by("pk").prefetch_related("knowledge"):
        knowledge = tuple((piece.content, piece.page) for piece in row.knowledge.all())
        found.setdefault(row.question_id, []).append(_FinishedLongAnswer(row.text, knowledge))
    return {question: tuple(answers) for question, answers in found.items()}


def _finished(record: QuestionRecord) -> tuple[_FinishedLongAnswer, ...]:
    return tuple(
        _FinishedLongAnswer(
            each["long_answer"],
            tuple(
                (piece.get("content"), piece.get("wikipage")) for piece in each.get("knowledge", [])
            ),
        )
        for each in _annotations(record)
    )


def _annotations(record: QuestionRecord) -> list[Any]:
    found = record.context.get(_ANNOTATIONS)
    return found if isinstance(found, list) else []
