"""Questions need a page to be answered on; it is kept beside them, and so are the annotations of a
file that are accepted, each on its own (N11). For questions without one a page is searched (N2)."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from accounts.models import User
from annotation.imports.adapters import (
    ANNOTATIONS,
    AcceptedWorkEffect,
    ImportAdapter,
    annotations_of,
    log_replaced,
)
from annotation.imports.formats import LeftOut, QuestionRecord
from annotation.models import Project, Question
from natural_questions import pages
from natural_questions.format import KEY
from natural_questions.found_pages import NO_PAGE, RESULTS, find_page
from wikipedia.models import Snapshot

_WITHOUT_PAGES = ("nq-open", "jsonl", "table")


class PageImportAdapter(ImportAdapter):
    """Takes records of Natural Questions, with their annotations as its records have them.

    Questions of other files are taken with a page that a search finds.
    """

    reasons: Mapping[str, str] = {
        NO_PAGE: f"without an article among the top {RESULTS} of the search"
    }
    finished_formats = (KEY,)
    finished_keys = (ANNOTATIONS,)
    most_at_once = 20

    def formats_for(self, project: Project) -> tuple[str, ...]:
        """Take files without pages, too, where the project's Wikipedia can be searched."""
        # Most commands search nothing, and these load the search.
        from wikipedia.providers.zim import index_dir
        from wikipedia.search.index import read_info

        snapshot = project.snapshot
        searchable = snapshot.kind == Snapshot.Kind.LIVE or read_info(index_dir(snapshot.name))
        return self.formats + (_WITHOUT_PAGES if searchable else ())

    def zero_counts(self, format: str) -> dict[str, int]:
        """Count what the search does not find."""
        return {} if format == KEY else {NO_PAGE: 0}

    def describe_completion(self, format: str) -> str:
        """Say that a page is searched for records without one."""
        if format == KEY:
            return ""
        return (
            "While the file is imported, a page is searched for each question: the first article "
            f"among the top {RESULTS} that can be read. Questions without one are left out."
        )

    def complete_record(self, project: Project, record: QuestionRecord) -> QuestionRecord | LeftOut:
        """Search a page for a question that has none."""
        return find_page(project, record)

    def store_attachments(self, questions: Sequence[tuple[Question, QuestionRecord]]) -> None:
        """Keep the pages. One statement."""
        pages.keep_packed(
            (question, str(record.context["form"]), record.beside, str(record.context["kinds"]))
            for question, record in questions
            if record.beside
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
