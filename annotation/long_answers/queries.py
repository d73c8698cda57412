"""The inputs of a writer of long answers, and the pages they have read."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.contexts.inputs import Disambiguation, Inputs
from annotation.core.models.work import Assignment
from annotation.long_answers.models import LongAnswer
from annotation.reading.articles import page_address
from annotation.reading.queries import History, opened_pages
from wikipedia.models import ShownPage
from wikipedia.quotes import locating as quoting


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


def find_answer(assignment: Assignment) -> LongAnswer | None:
    """Return the submitted long answer with its knowledge and their quotes; None before that."""
    return (
        LongAnswer.objects.filter(assignment=assignment)
        .prefetch_related("knowledge__quote__page", "knowledge__more_quotes__page", "overrides")
        .first()
    )


def find_submitted_answer(assignment: Assignment) -> dict[str, Any] | None:
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
