"""Searches, pages and quotes of an assignment, read from its log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from accounts import prepared_statements
from annotation.core.models.work import Assignment, Event
from annotation.reading.statements import EVENTS_OF_KINDS
from wikipedia.models import Quote, ShownPage
from wikipedia.quotes import locating as quoting

K = Event.Kind
_SHOWN_KINDS = [kind.value for kind in (K.SEARCH, K.PAGE_OPEN, K.PAGE_CLOSE, K.QUOTE)]
RESULTS_PER_PAGE = 10
MAX_OFFSET = 1_000


@dataclass(frozen=True)
class SearchResult:
    """One line of a search. `snippet` is HTML: escaped text with <b> around matched words.

    `exact`: the query is the whole title, or `redirect_from`, another name of the article.
    """

    rank: int
    title: str
    path: str
    snippet: str
    redirect_from: str = ""
    exact: bool = False


@dataclass(frozen=True)
class Search:
    """The results of a search. `event` is its id in the log, None if it was not logged."""

    event: int | None
    query: str
    offset: int
    total: int
    results: tuple[SearchResult, ...]
    suggestion: str = ""

    @property
    def next_offset(self) -> int | None:
        """The offset of the next page of results, None on the last."""
        after = self.offset + RESULTS_PER_PAGE
        return after if self.results and after < min(self.total, MAX_OFFSET) else None

    @property
    def previous_offset(self) -> int | None:
        """The offset of the previous page, None on the first."""
        return max(0, self.offset - RESULTS_PER_PAGE) if self.offset else None


@dataclass
class ReadPage:
    """A page opened in the assignment: visible time over all visits, and quotes taken from it."""

    path: str
    title: str
    text_sha256: str
    event: int
    milliseconds: int = 0
    quotes: int = 0

    @property
    def read_for(self) -> str:
        """The reading time in words, in whole minutes that have passed; "" for none."""
        minutes = self.milliseconds // 60_000
        return f"{minutes} min" if minutes else "under a minute" if self.milliseconds else ""


@dataclass(frozen=True)
class History:
    """The log for the search column: each page and each query once, newest first."""

    searches: tuple[Search, ...] = ()
    pages: tuple[ReadPage, ...] = ()
    quotes: tuple[int, ...] = ()
    last_search: Search | None = None
    by_path: Mapping[str, ReadPage] = field(default_factory=dict)

    @property
    def last_page(self) -> ReadPage | None:
        """The page opened last."""
        return self.pages[0] if self.pages else None


def search_of(event: int, data: Mapping[str, Any]) -> Search:
    """Read a logged search."""
    return Search(
        event=event,
        query=data["query"],
        offset=data["offset"],
        total=data["total"],
        results=tuple(
            SearchResult(
                rank=data["offset"] + number,
                title=result["title"],
                path=result["path"],
                snippet=result["snippet"],
                redirect_from=result.get("redirect_from", ""),
                exact=result.get("exact", False),
            )
            for number, result in enumerate(data["results"], start=1)
        ),
        suggestion=data.get("suggestion", ""),
    )


def history_of(assignment: Assignment) -> History:
    """Read the log of an assignment. Two queries, whatever its length; one if there are no
    quotes."""
    events = prepared_statements.fetch_rows(
        EVENTS_OF_KINDS, {"assignment": assignment.pk, "kinds": _SHOWN_KINDS}
    )
    searches: dict[str, Search] = {}
    pages: dict[str, ReadPage] = {}
    visits: dict[int, ReadPage] = {}
    quotes: list[int] = []
    last: Search | None = None
    for event, kind, logged in events:
        data = orjson.loads(logged)
        if kind == K.SEARCH:
            last = search_of(event, data)
            searches.pop(last.query, None)
            searches[last.query] = last
        elif kind == K.PAGE_OPEN:
            page = pages.pop(data["path"], None) or ReadPage(
                data["path"], data["title"], data.get("text_sha256", ""), event
            )
            page.event = event
            pages[page.path] = visits[event] = page
        elif kind == K.PAGE_CLOSE and data["page_open"] in visits:
            visits[data["page_open"]].milliseconds += data["dwell_ms"]
        elif kind == K.QUOTE:
            quotes.append(data["quote"])
    for path in (
        Quote.objects.filter(pk__in=quotes).values_list("page__path", flat=True) if (quotes) else ()
    ):
        if path in pages:
            pages[path].quotes += 1
    return History(
        searches=tuple(reversed(searches.values())),
        pages=tuple(reversed(pages.values())),
        quotes=tuple(quotes),
        last_search=last,
        by_path=pages,
    )


def opened_pages(assignment: Assignment) -> list[ShownPage]:
    """Return the pages opened in the assignment with the text shown, last opened first.

    Without their HTML, which is large and not needed. Always two queries.
    """
    opened: dict[tuple[str, str], None] = {}
    rows = Event.objects.filter(assignment=assignment, kind=K.PAGE_OPEN).order_by("-id")
    for data in rows.values_list("data", flat=True):
        opened[data["path"], data["text_sha256"]] = None
    if not opened:
        return []
    pages = {
        (page.path, page.text_sha256): page
        for page in ShownPage.objects.defer("html").filter(
            snapshot=assignment.project.snapshot_id,
            path__in={path for path, _ in opened},
            text_sha256__in={sha for _, sha in opened},
        )
    }
    return [pages[key] for key in opened if key in pages]


def quotes_in(assignment: Assignment, ids: Iterable[int] | None = None) -> list[Quote]:
    """Return the quotes made in the assignment (of these ids), with their pages.

    Ids of another assignment, which a person may put into a form, are left out.
    """
    logged = Event.objects.filter(assignment=assignment, kind=K.QUOTE)
    made = {data["quote"] for data in logged.values_list("data", flat=True)}
    wanted = made if ids is None else made.intersection(ids)
    if not wanted:
        return []
    return list(Quote.objects.filter(pk__in=wanted).select_related("page").order_by("id"))


@dataclass(frozen=True)
class Match:
    """The place of words on an opened page: "matched in Title § Section"."""

    page: ShownPage
    start: int
    end: int

    @property
    def exact(self) -> str:
        """The words as the page has them."""
        return self.page.text[self.start : self.end]


def match_pasted(*, assignment: Assignment, text: str) -> Match | None:
    """Find words on a page opened in the assignment; the page opened last comes first.

    Case, white space, footnote marks, and the kind of dashes and quotation marks may differ.
    """
    if not any(character.isalnum() for character in text):
        return None
    for page in opened_pages(assignment):
        position = quoting.find_on_page(page.text, text)
        if position is not None:
            return Match(page, position.start, position.end)
    return None
