"""Quotes: find selected or pasted words in an article, and say where they are.

The browser sends the selected words with some characters before and after them; their place in the
article is decided here, in code points of `Article.text`. `anchoring` decides whether a
stored quote is still there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from wikipedia.articles.article import Article, Headers
from wikipedia.quotes.anchoring import CONTEXT_CHARACTERS, Search, Selector
from wikipedia.text.folding import (
    FoldedText,
    find_whole_words,
    fold_text,
    fold_without_spaces,
    fold_words,
    lower_keeping_length,
)

MAX_EXACT_CHARACTERS: Final = 20_000
# With 100 KB each, about 20 MB at most.
_KEPT_PAGES: Final = 32


@dataclass(frozen=True)
class Position:
    """Code points `start` to `end` of an article's canonical text."""

    start: int
    end: int


@dataclass(frozen=True)
class QuotePlace:
    """A quote with its surroundings, as it is stored."""

    start: int
    end: int
    exact: str
    prefix: str
    suffix: str
    section: tuple[str, ...]
    anchor: str
    block_kind: str
    headers: Headers = field(default_factory=Headers)


def locate_selection(
    article: Article, exact: str, prefix: str = "", suffix: str = "", start: int | None = None
) -> Position | None:
    """Return the place of the selected words in the article, or None if they are not in it.

    White space, Unicode form, kinds of dashes and quotation marks, invisible characters and
    footnote marks may differ, other characters not. `start` is where the browser saw the
    selection, in any unit near code points: only a hint.
    """
    if len(exact) > MAX_EXACT_CHARACTERS:
        return None
    page = fold_text(article.text)
    quote = Selector(exact, prefix[-200:], suffix[:200], start)
    for marks in (True, False):
        search = Search(page, quote, marks=marks)
        best = search.best_place(search.exact_places())
        if best is not None:
            return Position(*page.original_span(best[1].start, best[1].end))
    wanted, dense = (
        fold_words(exact, marks=False).replace(" ", ""),
        fold_without_spaces(article.text),
    )
    at = dense.text.find(wanted) if wanted else -1
    return Position(*dense.original_span(at, at + len(wanted))) if at >= 0 else None


def find_on_page(article_text: str, pasted_text: str) -> Position | None:
    """Return the first place of pasted words in an article's canonical text, or None.

    Only whole words count ("art" is not found in "party"). White space and footnote marks may
    differ, dashes and quotation marks may be a keyboard's, and case counts only if some place
    matches it.
    """
    if len(pasted_text) > MAX_EXACT_CHARACTERS:
        return None
    page, small = _folded(article_text)
    for marks in (True, False):
        words = fold_words(pasted_text, marks=marks)
        for text, wanted in ((page.text, words), (small, lower_keeping_length(words))):
            at = find_whole_words(text, wanted)
            if at is not None:
                return Position(*page.original_span(at, at + len(wanted)))
    return None


def describe_place(article: Article, start: int, end: int) -> QuotePlace:
    """Section, kind of block, headers of its row and column, and 32 characters before and after.

    Raises ValueError if the position is empty or outside the text.
    """
    if not 0 <= start < end <= len(article.text):
        raise ValueError(f"no text at {start} to {end} of {len(article.text)} characters")
    # It loads the parser of HTML, without which commands start.
    from wikipedia.articles.cells import headers_at

    block = article.block_at(start)
    return QuotePlace(
        start=start,
        end=end,
        exact=article.text[start:end],
        prefix=article.text[max(0, start - CONTEXT_CHARACTERS) : start],
        suffix=article.text[end : end + CONTEXT_CHARACTERS],
        section=block.section if block else (),
        anchor=block.anchor if block else "",
        block_kind=block.kind if block else "paragraph",
        headers=headers_at(article, start),
    )


@lru_cache(maxsize=_KEPT_PAGES)
def _folded(text: str) -> tuple[FoldedText, str]:
    """Return a page folded, and the same in lower case; cached, as every paste needs the pages."""
    page = fold_text(text)
    return page, lower_keeping_length(page.text)
