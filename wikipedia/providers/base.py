"""What every source of Wikipedia pages gives: search results, pages and pictures.

Upper layers talk to a `Provider`, never to an archive or a web service. A provider hands out
*raw* HTML (`SourcePage.html` is hostile until `wikipedia.articles.reader` has been over it) and
*plain* snippets (text segments, never HTML).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from wikipedia.html.page import SourcePage
from wikipedia.search.results import SearchPage


@dataclass(frozen=True)
class Asset:
    """A file shown in an article, as the source has it."""

    content: bytes
    content_type: str


class ProviderUnavailable(Exception):
    """The source cannot answer now. The message is a sentence for the user."""


@runtime_checkable
class Provider(Protocol):
    """A source of articles. Methods raise `PageMissing` and `ProviderUnavailable` only."""

    def search(self, query: str, *, limit: int = 10, offset: int = 0) -> SearchPage: ...

    def load_page(self, path: str) -> SourcePage: ...

    def load_asset(self, path: str) -> Asset: ...


@runtime_checkable
class ListsTitles(Protocol):
    """A source that can say which articles it has."""

    def list_paths(self, start: str) -> list[str]:
        """Return the paths of the articles whose title begins so, in order, without redirects."""
        ...
