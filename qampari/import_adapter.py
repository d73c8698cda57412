"""Fit QAMPARI's records to the project, and keep their answers as rows."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from accounts.models import User
from annotation.imports.adapters import AcceptedWorkEffect, ImportAdapter
from annotation.imports.formats import QuestionRecord, ReadRecord
from annotation.imports.peer_answers import PEERS
from annotation.models import Project, Question
from qampari import reserve, rows, settings
from qampari.models import ListQuestion
from qampari.peers import list_peer_answers
from qampari.records import of_context


class ListImportAdapter(ImportAdapter):
    """Takes questions with at least one answer.

    In a file of finished work each answer counts as accepted: none is checked here.
    """

    finished_formats = ("qampari", "qampari-readers", *PEERS)

    def adapt_records(
        self, project: Project, format: str, reads: Iterator[ReadRecord]
    ) -> Iterator[ReadRecord]:
        """Turn the annotations of other tools into one list of answers with their evidence."""
        for read in reads:
            if format in PEERS and isinstance(read.found, QuestionRecord):
                read = read._replace(found=list_peer_answers(read.found))
            yield read

    def problems_of(self, project: Project) -> Callable[[QuestionRecord, str], str]:
        """Say why a record has no answers that could be checked."""
        return lambda record, split: _problem(record)

    def closing_problem(self, project: Project) -> str:
        """Refuse where the reserve decides which questions are used."""
        if any(settings.get_split_target(project, split) for split in settings.TARGETS):
            return (
                "A split of this project has a target, so the reserve opens its questions. Import "
                "them while the project is paused, or set the targets to 0 first."
            )
        return ""

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

    def unfinished_problem(self, record: QuestionRecord) -> str:
        """Return why the record has nothing to accept: never, since it has answers."""
        return ""

    def effect_of_finished(
        self, question: Question, record: QuestionRecord, before: Any, worked: bool
    ) -> AcceptedWorkEffect:
        """Refuse questions that people check here."""
        problem = (
            f"People check “{record.external_id}” in this project, so what they say counts. "
            "Import the file into a project of its own."
        )
        changed = question.state != Question.State.ACCEPTED
        return AcceptedWorkEffect(problem if worked else "", changed)

    def write_finished(
        self,
        questions: Sequence[tuple[Question, QuestionRecord]],
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Take the questions out of the reserve; their answers are in rows already."""
        own = ListQuestion.objects.filter(pk__in=[question.pk for question, _ in questions])
        own.filter(reserve=True).update(reserve=False)


def _problem(record: QuestionRecord) -> str:
    try:
        of_context(record.external_id, record.text, record.context)
    except ValueError as error:
        return str(error)
    return ""
