"""Import the annotations of a file as accepted work: those of a question are kept apart (N11)."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from accounts.models import User
from annotation.imports.finished import AcceptedWorkEffect
from annotation.imports.formats import QuestionRecord
from annotation.models import Assignment, AuditEntry, Question
from natural_questions import pages
from natural_questions.format import ANNOTATIONS, KEY

MOST = 1_000


class FinishedAnnotations:
    """The annotations of records, as natural_questions.records has checked them."""

    formats: Sequence[str] = (KEY,)
    in_rows: Sequence[str] = (ANNOTATIONS,)

    def find_problem(self, record: QuestionRecord) -> str:
        """Return why the record cannot be imported as finished work, "" where it can."""
        given = _given(record)
        if not given:
            return (
                "It has no annotations, so there is nothing to accept. "
                "Import it without “finished” to have it answered here."
            )
        if len(given) > MOST:
            return f"It has {len(given):,} annotations. The maximum is {MOST:,}."
        return ""

    def compare_with_finished(
        self, known: Sequence[tuple[Question, QuestionRecord]]
    ) -> Mapping[int, AcceptedWorkEffect]:
        """Compare the records with earlier imports and work done here. Two queries."""
        ids = [question.pk for question, _ in known]
        last = pages.annotations_of(ids)
        worked = set(
            Assignment.objects.filter(task__question__in=ids).values_list(
                "task__question", flat=True
            )
        )
        return {
            question.pk: _meets(question, record, last.get(question.pk, []), worked)
            for question, record in known
        }

    def write_accepted_work(
        self,
        questions: Sequence[tuple[Question, QuestionRecord]],
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Write the annotations, in place of those of an earlier import."""
        before = pages.annotations_of(question.pk for question, _ in questions)
        pages.keep_annotations({question.pk: _given(record) for question, record in questions})
        AuditEntry.objects.bulk_create(
            AuditEntry(
                at=now,
                actor=by.pk if by else None,
                project=question.project_id,
                action="annotations_replaced",
                target=f"question:{question.pk}",
                data={"source": "import"},
            )
            for question, _ in questions
            if before.get(question.pk)
        )


def _meets(
    question: Question, record: QuestionRecord, last: Sequence[Any], worked: set[int]
) -> AcceptedWorkEffect:
    if list(last) == _given(record) and question.text == record.text:
        return AcceptedWorkEffect()
    if question.pk in worked:
        return AcceptedWorkEffect(
            f"People work on “{record.external_id}” in this project, so what they answer counts. "
            "Import the file into a project of its own."
        )
    return AcceptedWorkEffect(changed=list(last) != _given(record))


def _given(record: QuestionRecord) -> list[Any]:
    found = record.context.get(ANNOTATIONS)
    return found if isinstance(found, list) else []
