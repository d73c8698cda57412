"""The inputs of a writer of long answers, and the pages they have read."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts import prepared
from annotation.contexts.models import ContextParagraph
from annotation.core.models.projects import StagePolicy
from annotation.core.models.work import Assignment
from annotation.long_answers.inputs import Disambiguation, Inputs, Paragraph, inputs_of
from annotation.long_answers.models import LongAnswer
from annotation.reading.articles import page_address
from annotation.reading.queries import History, opened_pages
from wikipedia import quotes as quoting
from wikipedia.models import ShownPage


def inputs_for(assignment: Assignment) -> Inputs:
    """Return the inputs that the writer was given. At most one query."""
    question = assignment.task.question
    if assignment.inputs == StagePolicy.Inputs.QUESTION:
        return Inputs(prompt=question.prompt).question_only()
    ((context, paragraphs),) = prepared.fetch(_CONTEXT, {"question": question.pk})
    shown = {position: Paragraph(*texts) for position, *texts in json.loads(paragraphs or "[]")}
    return inputs_of(question.prompt, json.loads(context), shown)


_CONTEXT = """
    SELECT q.context, (
        SELECT jsonb_agg(jsonb_build_array(c.position, c.text, c.title, c.path))
        FROM annotation_contextparagraph c WHERE c.question_id = q.id AND c.shown)
    FROM annotation_question q WHERE q.id = %(question)s
"""


def shown_contexts(question_ids: Sequence[int]) -> dict[int, dict[int, Paragraph]]:
    """Return the paragraphs that writers are shown, by question and position. One query."""
    found: dict[int, dict[int, Paragraph]] = {pk: {} for pk in question_ids}
    rows = ContextParagraph.objects.filter(question__in=question_ids, shown=True)
    for row in rows:
        found[row.question_id][row.position] = Paragraph(row.text, row.title, row.path)
    return found


def pages_reader(assignment: Assignment) -> Callable[[str, str], bool | None]:
    """Return a function that says whether words are on an opened page of a title.

    Each line is checked alone, as a piece may be put together from several places on a page. It
    returns None if no page of that title was opened. It reads the pages once, on the first call.
    """
    loaded: list[list[ShownPage]] = []

    def stands(title: str, text: str) -> bool | None:
        if not loaded:
            loaded.append(opened_pages(assignment))
        wanted = title.strip().casefold()
        pages = [page for page in loaded[0] if page.title.casefold() == wanted]
        if not pages:
            return None
        return all(
            any(quoting.find_on_page(page.text, line) is not None for page in pages)
            for line in text.splitlines()
            if any(map(str.isalnum, line))
        )

    return stands


@dataclass(frozen=True)
class DisambiguationShown:
    """One disambiguation with its context, and the address of its page in the assignment."""

    disambiguation: Disambiguation
    title: str
    url: str


@dataclass(frozen=True)
class PageShown:
    """A page with more, and whether the writer has read it in this assignment."""

    title: str
    url: str
    read: bool


def inputs_shown(assignment: Assignment, inputs: Inputs, history: History) -> dict[str, Any]:
    """Return the left column; empty where the writer is given only the prompt."""
    if not inputs.full:
        return {"disambiguations": [], "pages": []}
    paths = {
        paragraph.title: paragraph.path
        for each in inputs.disambiguations
        if (paragraph := each.context) is not None and paragraph.path
    }

    def address(title: str) -> str:
        path = paths.get(title) or "_".join(title.replace("_", " ").split())
        return f"{page_address(assignment.pk, path)}?via=title" if path else ""

    read = {page.title.casefold() for page in history.pages} | {*history.by_path}
    return {
        "disambiguations": [
            DisambiguationShown(each, title, address(title))
            for each in inputs.disambiguations
            for title in [each.context.title if each.context else ""]
        ],
        "pages": [
            PageShown(page.title, address(page.title), _was_read(page.title, paths, read))
            for page in {each.title: each for each in inputs.pages}.values()
        ],
    }


def _was_read(title: str, paths: Mapping[str, str], read: Collection[str]) -> bool:
    return title.casefold() in read or paths.get(title) in read


def submitted(assignment: Assignment) -> dict[str, Any] | None:
    """Return the submitted long answer for display; None before that. At most three queries."""
    answer = (
        LongAnswer.objects.filter(assignment=assignment)
        .prefetch_related("knowledge", "overrides")
        .first()
    )
    if answer is None:
        return None
    return {
        "text": answer.text,
        "pieces": [(each.content or "", each.page or "") for each in answer.knowledge.all()],
        "said": [(each.disambiguation + 1, each.words) for each in answer.overrides.all()],
    }
