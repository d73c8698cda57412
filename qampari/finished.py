"""Import the answers of a file as accepted."""

import datetime as dt
from collections.abc import Mapping, Sequence

from accounts.models import User
from annotation.imports.finished import AcceptedWorkEffect
from annotation.imports.formats import QuestionRecord
from annotation.models import Assignment, Question
from qampari.models import ListQuestion


class FinishedLists:
    """Every answer of a record counts as accepted: none is checked here."""

    formats: Sequence[str] = ("qampari", "qampari-readers")
    in_rows: Sequence[str] = ()

    def find_problem(self, record: QuestionRecord) -> str:
        """Return why the record has nothing to accept: never, since it has answers."""
        return ""

    def compare_with_finished(
        self, known: Sequence[tuple[Question, QuestionRecord]]
    ) -> Mapping[int, AcceptedWorkEffect]:
        """Refuse questions that people check here. One query."""
        ids = [question.pk for question, _ in known]
        worked = set(
            Assignment.objects.filter(task__question__in=ids).values_list(
                "task__question", flat=True
            )
        )
        return {
            question.pk: AcceptedWorkEffect(
                f"People check “{record.external_id}” in this project, so what they say counts. "
                "Import the file into a project of its own."
                if question.pk in worked
                else "",
                changed=question.state != Question.State.ACCEPTED,
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
        """Take the questions out of the reserve; their answers are in rows already."""
        own = ListQuestion.objects.filter(pk__in=[question.pk for question, _ in questions])
        own.filter(reserve=True).update(reserve=False)
