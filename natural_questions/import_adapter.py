"""Questions need a page to be answered on; the page is kept beside them."""

from collections.abc import Callable, Sequence

from annotation.core.refusals import Conflict
from annotation.imports.adapters import ImportAdapter
from annotation.imports.formats import Format, QuestionRecord
from annotation.models import Project, Question
from natural_questions import pages
from natural_questions.format import KEY


class PageImportAdapter(ImportAdapter):
    """Takes records of Natural Questions."""

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
