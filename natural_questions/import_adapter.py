"""Questions need a page to be answered on; it is kept beside them, and so are the annotations of a
file that are accepted, each on its own (N11)."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from accounts.models import User
from annotation.core.refusals import Conflict
from annotation.imports.adapters import (
    ANNOTATIONS,
    AcceptedWorkEffect,
    ImportAdapter,
    annotations_of,
    log_replaced,
)
from annotation.imports.formats import Format, QuestionRecord
from annotation.models import Project, Question
from natural_questions import pages
from natural_questions.format import KEY


class PageImportAdapter(ImportAdapter):
    """Takes records of Natural Questions, with their annotations as its records have them."""

    finished_formats = (KEY,)
    finished_keys = (ANNOTATIONS,)

    def check_format_fits(self, project: Project, format: Format) -> None:
        """Refuse every format without pages."""
        if format.key != KEY:
            raise Conflict(
                f"{format.label} has no pages, and people of this project find their answers on "
                "the page of a question. Import records of Natural Questions."
            )

    def problems_of(self, project: Project) -> Callable[[QuestionRecord, str], str]:
        """Require a page."""
        return lambda record, split: "" if record.beside else "The record has no page."

    def store_attachments(self, questions: Sequence[tuple[Question, QuestionRecord]]) -> None:
        """Keep the pages. One statement."""
        pages.keep_packed(
            (question, str(record.context["form"]), record.beside, str(record.context["kinds"]))
            for question, record in questions
        )

    def replacement_problem(self, known: Question, record: QuestionRecord) -> str:
        """Refuse to replace a page that someone works on, or whose answers would move."""
        if known.context.get("page") == record.context.get("page"):
            return ""
        return (
            f"People work on “{record.external_id}”, and the file has another page for it. "
            "It was not changed. Import the file into a project of its own."
        )

    def read_finished(self, question_ids: Sequence[int]) -> Mapping[int, Sequence[Any]]:
        """Return the annotations of earlier imports. One query."""
        return pages.annotations_of(question_ids)

    def effect_of_finished(
        self, question: Question, record: QuestionRecord, before: Any, worked: bool
    ) -> AcceptedWorkEffect:
        """Refuse where people answer here, unless the file says nothing new."""
        same = list(before or ()) == annotations_of(record)
        if same and question.text == record.text:
            return AcceptedWorkEffect()
        if worked:
            return AcceptedWorkEffect(
                f"People work on “{record.external_id}” in this project, so what they answer "
                "counts. Import the file into a project of its own."
            )
        return AcceptedWorkEffect(changed=not same)

    def write_finished(
        self,
        questions: Sequence[tuple[Question, QuestionRecord]],
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Write the annotations, in place of those of an earlier import."""
        before = pages.annotations_of(question.pk for question, _ in questions)
        pages.keep_annotations(
            {question.pk: annotations_of(record) for question, record in questions}
        )
        replaced = (question for question, _ in questions if before.get(question.pk))
        log_replaced("annotations_replaced", ((each, {}) for each in replaced), by=by, now=now)
