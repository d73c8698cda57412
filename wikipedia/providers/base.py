"""What every source of Wikipedia pages gives: search results, pages and pictures.

Upper layers talk to a `Provider`, never to an archive or a web service. A provider hands out
*raw* HTML (`SourcePage.html` is hostile until `wikipedia.articles.reader` has been over it) and
*plain* snippets (text segments, never HTML).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

Snippet = tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class SearchHit:
    """One article found. `snippet` is (text, matched) segments of plain text, in order.

    `exact` says that the query is the title of the article, or of a redirect to it.
    """

    title: str
    path: str
    snippet: Snippet
    score: float
    redirect_from: str | None = None
    exact: bool = False


@dataclass(frozen=True)
class SearchPage:
    """One page of results: `hits` are results `offset` to `offset + limit` of `total`.

    `suggestion` is the query as it was probably meant, or nothing.
    """

    query: str
    hits: tuple[SearchHit, ...]
    total: int
    offset: int
    limit: int
    suggestion: str = ""

    @property
    def has_next(self) -> bool:
        return bool(self.hits) and self.next_offset < self.total

    @property
    def next_offset(self) -> int:
        return self.offset + self.limit

    @property
    def has_previous(self) -> bool:
        return self.offset > 0

    @property
    def previous_offset(self) -> int:
        return max(0, self.offset - self.limit)


@dataclass(frozen=True)
class SourcePage:
    """One article as the source has it.

    `path` is its key in this provider after redirects, `redirect_from` the path asked for when
    that was a redirect. `url` is the address on the real Wikipedia, with `oldid` when the
    revision is known. `rev_timestamp` is when the text was last changed, None where the source
    does not say: the day of an archive is not the day of a revision. `hosts` are the host names
    that count as this wiki: absolute links to them stay in the reader and their pictures come
    through `asset` (an archive has none: it holds everything it links to). `stored_because` says
    why this is a page as it was shown earlier; its HTML is already safe then. `has_article` says
    whether an archive has an article at a path that looks like a file's, such as “Node.js”.
    """

    path: str
    title: str
    html: str
    redirect_from: str | None
    page_id: int | None
    rev_id: int | None
    rev_timestamp: datetime | None
    retrieved_at: datetime
    url: str
    hosts: tuple[str, ...] = ()
    stored_because: str = ""
    has_article: Callable[[str], bool] = field(default=lambda path: False, compare=False)


@dataclass(frozen=True)
class Asset:
    """A file shown in an article, as the source has it."""

    content: bytes
    content_type: str


class PageMissing(Exception):
    """The source has no such page or file. The message is a sentence for the user."""


class ProviderUnavailable(Exception):
    """The source cannot answer now. The message is a sentence for the user."""


@runtime_checkable
class Provider(Protocol):
    """A source of articles. Methods raise `PageMissing` and `ProviderUnavailable` only."""

    def search(self, query: str, *, limit: int = 10, offset: int = 0) -> SearchPage: ...

    def page(self, path: str) -> SourcePage: ...

    def asset(self, path: str) -> Asset: ...
