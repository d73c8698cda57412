"""Where Wikipedia stands beside a form, and what its search and its reader are given there."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from annotation.reading.articles import address_below, plain_title
from annotation.reading.queries import History, Search
from annotation.reading.services import MAX_QUERY
from wikipedia.html.page import PageMissing
from wikipedia.models import Snapshot

NOTHING_READ = History()


@dataclass(frozen=True)
class ReadingPlace:
    """The addresses of a page with Wikipedia beside it: its own, that of its search, and what those
    of articles begin with.
    """

    page: str
    search: str
    articles: str

    def build_context(
        self, snapshot: Snapshot, prompt: str, history: History = NOTHING_READ
    ) -> dict[str, Any]:
        """Return the context of both panels, before a search and an article."""
        return {
            "snapshot": snapshot,
            "reading_history": history,
            "history_pages": [
                {"page": page, "url": f"{self._address(page.path)}?via=history"}
                for page in history.pages
            ],
            "work_url": self.page,
            "search_url": self.search,
            "search_prompt_url": self.search_for(q=prompt[:MAX_QUERY]),
        }

    def build_search_context(
        self, search: Search | None, history: History = NOTHING_READ
    ) -> dict[str, Any]:
        """Return the context of `_search_results.html`."""
        if search is None:
            return {"shown_search": None}
        rows = []
        for result in search.results:
            source: dict[str, Any] = {"via": "search"}
            if search.event:
                source |= {"search": search.event, "rank": result.rank}
            url = f"{self._address(result.path)}?{urlencode(source)}"
            rows.append({"result": result, "url": url, "read": history.by_path.get(result.path)})

        def address(offset: int | None) -> str:
            return "" if offset is None else self.search_for(q=search.query, offset=offset)

        return {
            "shown_search": search,
            "search_rows": rows,
            "suggestion_url": self.search_for(q=search.suggestion) if search.suggestion else "",
            "next_url": address(search.next_offset),
            "previous_url": address(search.previous_offset),
        }

    def build_problem_context(self, path: str, problem: Exception, *, via: str) -> dict[str, Any]:
        """Return the context of `_reader_article.html` for an article that cannot be shown."""
        title = plain_title(path)[:200]
        return {
            "reader_problem": str(problem),
            "missing_title": title if isinstance(problem, PageMissing) else "",
            "missing_search_url": self.search_for(q=title),
            "reader_retry_url": f"{self._address(path)}?{urlencode({'via': via})}",
        }

    def _address(self, path: str) -> str:
        return address_below(self.articles, path)

    def search_for(self, **query: str | int) -> str:
        """Return the address of a search."""
        return f"{self.search}?{urlencode(query)}"
