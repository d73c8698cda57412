"""Fit QAMPARI's records to the project, and keep their answers as rows."""

from collections.abc import Callable, Sequence

from annotation.imports.adapters import ImportAdapter
from annotation.imports.formats import QuestionRecord
from annotation.models import Project, Question
from qampari import reserve, rows
from qampari.models import ListQuestion
from qampari.records import of_context


class ListImportAdapter(ImportAdapter):
    """Takes questions with at least one answer."""

    def problems_of(self, project: Project) -> Callable[[QuestionRecord, str], str]:
        """Say why a record has no answers that could be checked."""
        return lambda record, split: _problem(record)

    def replacement_problem(self, known: Question, record: QuestionRecord) -> str:
        """Refuse to replace answers that someone is checking."""
        return rows.check_answers_unchanged(known, record.context)

    def store_attachments(self, questions: Sequence[tuple[Question, QuestionRecord]]) -> None:
        """Write the answers as rows; new questions beyond the target wait in the reserve.

        Those imported with accepted answers do not.
        """
        taken = [question for question, _ in questions]
        known = set(ListQuestion.objects.filter(pk__in=taken).values_list("pk", flat=True))
        rows.replace_answer_rows(taken)
        reserve.hold_back(
            question
            for question in taken
            if question.pk not in known and question.state == Question.State.IMPORTED
        )


def _problem(record: QuestionRecord) -> str:
    try:
        of_context(record.external_id, record.text, record.context)
    except ValueError as error:
        return str(error)
    return ""
