"""What a search finds, as values: articles in order, each with a snippet of plain text."""

from __future__ import annotations

from dataclasses import dataclass

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
