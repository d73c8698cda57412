"""Quotes: finding selected or pasted words in an article, and saying where they stand.

The browser sends what was selected with some characters before and after it; where that is in the
article is decided here, in code points of `Article.text`. Ranking follows the W3C annotation
model's text quote selector: the words must be there, and among several places the one whose
surroundings (and then whose distance from where the browser thought) fit best is taken.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from wikipedia.reader import Article

CONTEXT_CHARACTERS: Final = 32
MAX_EXACT_CHARACTERS: Final = 20_000
_MAX_PLACES: Final = 5_000
_MARK: Final = re.compile(r"\[(?:\d{1,4}|[a-z]|(?:note|nb|n|lower-alpha) ?\d{1,3})\]")


@dataclass(frozen=True)
class Position:
    """Code points `start` to `end` of an article's canonical text."""

    start: int
    end: int


@dataclass(frozen=True)
class Place:
    """A quote with its surroundings, as it is stored."""

    start: int
    end: int
    exact: str
    prefix: str
    suffix: str
    section: tuple[str, ...]
    anchor: str
    block_kind: str


def locate(
    article: Article, exact: str, prefix: str = "", suffix: str = "", start: int | None = None
) -> Position | None:
    """Where the selected words stand in the article, or None when they are not in it.

    White space, Unicode form, invisible characters and footnote marks may differ. `start` is
    where the browser saw the selection, in any unit near code points: only a hint.
    """
    for drop_marks in (False, True):
        found = _locate(article.text, exact, prefix, suffix, start, drop_marks=drop_marks)
        if found is not None:
            return found
    return None


def find_on_page(article_text: str, pasted_text: str) -> Position | None:
    """The first place where pasted words stand in an article's canonical text, or None.

    Only whole words count ("art" is not found in "party"). White space may differ, dashes and
    quotation marks may be a keyboard's, and case counts only where some place has it right.
    """
    words = unicodedata.normalize("NFC", pasted_text).split()
    if not words or len(pasted_text) > MAX_EXACT_CHARACTERS:
        return None
    pattern = r"\s+".join("".join(map(_loosely, word)) for word in words)
    before = r"(?<!\w)" if words[0][0].isalnum() else ""
    after = r"(?!\w)" if words[-1][-1].isalnum() else ""
    for flags in (0, re.IGNORECASE):
        found = re.search(before + pattern + after, article_text, flags)
        if found and found.end() > found.start():
            return Position(found.start(), found.end())
    return None


def describe(article: Article, start: int, end: int) -> Place:
    """Section, kind of block, and 32 characters before and after a position of the article.

    Raises ValueError when the position is empty or outside the text.
    """
    if not 0 <= start < end <= len(article.text):
        raise ValueError(f"no text at {start} to {end} of {len(article.text)} characters")
    block = article.block_at(start)
    return Place(
        start=start,
        end=end,
        exact=article.text[start:end],
        prefix=article.text[max(0, start - CONTEXT_CHARACTERS) : start],
        suffix=article.text[end : end + CONTEXT_CHARACTERS],
        section=block.section if block else (),
        anchor=block.anchor if block else "",
        block_kind=block.kind if block else "paragraph",
    )


def _locate(
    text: str, exact: str, prefix: str, suffix: str, start: int | None, *, drop_marks: bool
) -> Position | None:
    """The best place in `text`, compared without any white space."""
    page = _Squeezed(text)
    wanted = _squeezed(exact[:MAX_EXACT_CHARACTERS], drop_marks)
    if not wanted or len(exact) > MAX_EXACT_CHARACTERS:
        return None
    before, after = _squeezed(prefix[-200:], drop_marks), _squeezed(suffix[:200], drop_marks)
    best: tuple[tuple[int, int], int] | None = None
    for at in _places(page.text, wanted):
        around = _common_end(page.text[max(0, at - len(before)) : at], before)
        around += _common_start(page.text[at + len(wanted) : at + len(wanted) + len(after)], after)
        distance = abs(page.offsets[at] - start) if start is not None else page.offsets[at]
        rank = (around, -distance)
        if best is None or rank > best[0]:
            best = (rank, at)
    if best is None:
        return None
    return page.position(best[1], best[1] + len(wanted))


class _Squeezed:
    """A text without white space and invisible characters, and where each character was."""

    def __init__(self, text: str) -> None:
        kept = [(i, c) for i, c in enumerate(text) if _counts(c)]
        self.text = "".join(c for _, c in kept)
        self.offsets = [i for i, _ in kept]

    def position(self, start: int, end: int) -> Position:
        return Position(self.offsets[start], self.offsets[end - 1] + 1)


def _squeezed(text: str, drop_marks: bool) -> str:
    if drop_marks:
        text = _MARK.sub("", text)
    return "".join(c for c in unicodedata.normalize("NFC", text) if _counts(c))


def _counts(character: str) -> bool:
    """Whether a character can be told on the page: not white space, not a format character."""
    if character.isascii():
        return not character.isspace()
    return not character.isspace() and unicodedata.category(character) != "Cf"


def _loosely(character: str) -> str:
    """A pattern for one character and those that a keyboard has instead of it."""
    for group in _ALIKE:
        if character in group:
            return f"[{re.escape(group)}]"
    return re.escape(character) if _counts(character) else ""


_ALIKE: Final = ("-‐‑‒–—−", "'‘’‚", '"“”„')


def _places(text: str, wanted: str) -> list[int]:
    places: list[int] = []
    at = text.find(wanted)
    while at >= 0 and len(places) < _MAX_PLACES:
        places.append(at)
        at = text.find(wanted, at + 1)
    return places


def _common_end(text: str, wanted: str) -> int:
    count = 0
    while count < min(len(text), len(wanted)) and text[-1 - count] == wanted[-1 - count]:
        count += 1
    return count


def _common_start(text: str, wanted: str) -> int:
    count = 0
    while count < min(len(text), len(wanted)) and text[count] == wanted[count]:
        count += 1
    return count
