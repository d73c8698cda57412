"""Find a stored quote again in a text that may have been edited since.

A quote is stored as the W3C annotation model's text quote selector (the words with 32 characters
before and after) and text position selector. No single one of these decides: every candidate
place gets a weighted score of how well the words, the text before, the text after and the
distance from the quote's old place agree. The best one is taken if it is good enough; otherwise
the quote is reported as lost, because a wrong place is worse than none. docs/quotes.md has the
weights, the reasons for them and how they were measured.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from wikipedia.text.distance import best_ends, edit_distance, similarity_at_start
from wikipedia.text.folding import FoldedText, fold_text, fold_words

CONTEXT_CHARACTERS: Final = 32
# Parts of the score. Parts that a quote lacks (at the edge of a page) do not count.
WORDS, BEFORE, AFTER, NEARNESS = 50, 20, 20, 10
# The minimum score of a place: short quotes are weaker evidence than long ones.
LEAST_SHORT, LEAST_LONG, LONG = 0.8, 0.55, 40
LEAST_EDITED: Final = 0.7
# Words count as edited while at least two thirds of their characters are still there.
MOST_ERRORS: Final = 1 / 3
MAX_EDITED_CHARACTERS: Final = 2_000
_SURE: Final = 0.85
_MAX_PLACES: Final = 5_000
_RANKED: Final = 24
_PIECE: Final = 6
_MAX_HITS: Final = 200


class State(StrEnum):
    """How a quote was found again."""

    EXACT = "exact"
    MOVED = "moved"
    CHANGED = "changed"
    LOST = "lost"


@dataclass(frozen=True)
class Selector:
    """The stored place of a quote. `start` is a hint, in code points of the text."""

    exact: str
    prefix: str = ""
    suffix: str = ""
    start: int | None = None


@dataclass(frozen=True)
class Anchor:
    """The place of a quote now, in code points; `score` is 0 to 1. A lost one has no place."""

    state: State
    score: float
    start: int | None = None
    end: int | None = None


class _Place(NamedTuple):
    """A candidate, in positions of the folded page; `likeness` is that of the words."""

    start: int
    end: int
    likeness: float


def anchor_quote(text: str, quote: Selector, *, edited: bool = True) -> Anchor:
    """Find a quote in the canonical text of an article.

    With `edited` its words may have changed a little too. Never raises, whatever the texts are.
    """
    if quote.start is not None and quote.start >= 0 and _unchanged(text, quote):
        return Anchor(State.EXACT, 1.0, quote.start, quote.start + len(quote.exact))
    page = fold_text(text)
    search = Search(page, quote)
    best = search.best_place(search.exact_places())
    if edited and (best is None or best[0] < _SURE):
        best = search.best_place([*([best[1]] if best else []), *search.edited_places()])
    if best is None or best[0] < search.minimum_score(best[1]):
        return Anchor(State.LOST, best[0] if best else 0.0)
    score, place = best
    start, end = page.original_span(place.start, place.end)
    state = State.EXACT if start == quote.start else State.MOVED
    return Anchor(State.CHANGED if place.likeness < 1 else state, score, start, end)


def _unchanged(text: str, quote: Selector) -> bool:
    """Whether the quote and its surroundings are exactly where they were."""
    start = quote.start or 0
    end = start + len(quote.exact)
    return (
        bool(quote.exact.strip())
        and text[start:end] == quote.exact
        and text[max(0, start - len(quote.prefix)) : start] == quote.prefix
        and text[end : end + len(quote.suffix)] == quote.suffix
    )


class Search:
    """One quote in one page: its candidate places and their scores."""

    def __init__(self, page: FoldedText, quote: Selector, *, marks: bool = True) -> None:
        self.page = page.text
        self.words = fold_words(quote.exact, marks=marks)
        self.before = fold_words(quote.prefix, marks=marks, trim=False)[-CONTEXT_CHARACTERS:]
        self.after = fold_words(quote.suffix, marks=marks, trim=False)[:CONTEXT_CHARACTERS]
        self.hint = None if quote.start is None else page.folded_position(quote.start)

    def exact_places(self) -> list[_Place]:
        """Return places of the unchanged words: all, or the most promising of many."""
        size, found, at = len(self.words), list[int](), -1
        if not size:
            return []
        while len(found) < _MAX_PLACES and (at := self.page.find(self.words, at + 1)) >= 0:
            found.append(at)
        if len(found) > _RANKED:
            by_context = sorted(found, key=lambda at: -self._same_around(at, at + size))
            near = sorted(found, key=lambda at: abs(at - (self.hint or 0)))
            found = sorted({*by_context[:_RANKED], *near[: _RANKED // 2]})
        return [_Place(at, at + size, 1.0) for at in found]

    def edited_places(self) -> list[_Place]:
        """Return places of words similar to the quote, within the bound on edits."""
        size = len(self.words)
        most = int(size * MOST_ERRORS)
        if not most or size > MAX_EDITED_CHARACTERS:
            return []
        rough = []
        likely = self._between()
        for number, guess in enumerate(dict.fromkeys([*likely, *self._guesses()])):
            low = max(0, guess - most - size // 4 - 8)
            window = self.page[low : guess + size + most + size // 4 + 8]
            errors, ends = best_ends(self.words, window)
            if errors <= most:
                rough.append((number >= len(likely), errors, low, ends))
        places = set[_Place]()
        for _, _, low, ends in sorted(rough)[: 12 if size < 200 else 3]:
            for end in {low + ends[0], low + ends[-1]}:
                places.update(self._edges(end, most))
        return [place for place in places if place.likeness >= 1 - MOST_ERRORS]

    def best_place(self, places: list[_Place]) -> tuple[float, _Place] | None:
        """Return the place with the highest score, the first of equal ones.

        The same words in the same surroundings come before all others, however far away; the score
        decides between several of them.
        """
        scored = [(self._score(place), place) for place in places]
        return max(scored, key=self._rank, default=None)

    def minimum_score(self, place: _Place) -> float:
        """The minimum score for a place to be accepted."""
        if place.likeness < 1:
            return LEAST_EDITED
        if not (self.before or self.after):
            return 0.0
        share = min(1.0, len(self.words) / LONG)
        return LEAST_SHORT - (LEAST_SHORT - LEAST_LONG) * share

    def _rank(self, found: tuple[float, _Place]) -> tuple[bool, float, int]:
        score, place = found
        low = place.start - len(self.before)
        whole = (
            place.likeness == 1
            and self.page[max(0, low) : place.start] == self.before
            and self.page.startswith(self.after, place.end)
        )
        return whole, score, -place.start

    def _score(self, place: _Place) -> float:
        parts = [(WORDS, place.likeness)]
        if self.before:
            low = max(0, place.start - len(self.before) * 5 // 4)
            back = self.page[low : place.start][::-1]
            parts.append((BEFORE, _agreement(similarity_at_start(self.before[::-1], back))))
        if self.after:
            behind = self.page[place.end : place.end + len(self.after) * 5 // 4]
            parts.append((AFTER, _agreement(similarity_at_start(self.after, behind))))
        if self.hint is not None:
            away = abs(place.start - self.hint) / max(1, len(self.page))
            parts.append((NEARNESS, max(0.0, 1 - away)))
        return sum(weight * part for weight, part in parts) / sum(weight for weight, _ in parts)

    def _same_around(self, start: int, end: int) -> int:
        """Return how many characters before and after a place are the same without a gap."""
        back = self.page[max(0, start - 32) : start][::-1]
        behind = self.page[end : end + 32]
        return _common(back, self.before[::-1]) + _common(behind, self.after)

    def _between(self) -> list[int]:
        """Return where edited words begin if the text before or after them is still there."""
        size, hint = len(self.words), self.hint or 0
        found = set[int]()
        for context, shift in ((self.before, len(self.before)), (self.after, -size)):
            at = -1
            places = list[int]()
            while len(context) > 7 and len(places) < _MAX_HITS:
                if (at := self.page.find(context, at + 1)) < 0:
                    break
                places.append(max(0, at + shift))
            found.update(sorted(places, key=lambda at: abs(at - hint))[:4])
        near = sorted(found, key=lambda at: abs(at - hint))
        return near if self.hint is None else [*near, self.hint]

    def _guesses(self) -> list[int]:
        """Return where edited words may begin; pieces of them and their surroundings vote."""
        size = len(self.words)
        width = max(2, min(_PIECE, size // 3))
        bucket = max(8, size // 8)
        pieces = [(self.words[at : at + width], at) for at in range(0, size - width + 1, width)]
        for edge in (8, 16):
            pieces.append((self.before[-edge : -edge + 8 or None], -edge))
            pieces.append((self.after[edge - 8 : edge], size + edge - 8))
        votes, exactly = Counter[int](), dict[int, int]()
        for piece, offset in pieces:
            at, hits = -1, list[int]()
            if len(piece) < width:
                continue
            while len(hits) < _MAX_HITS and (at := self.page.find(piece, at + 1)) >= 0:
                hits.append(at)
            for hit in hits:
                begin = max(0, hit - offset)
                exactly.setdefault(begin // bucket, begin)
                votes[begin // bucket] += max(1, len(piece) * 32 // (8 + len(hits)))
        joined = {key: votes[key] + max(votes[key - 1], votes[key + 1]) for key in list(votes)}
        ranked = sorted(joined, key=lambda key: -joined[key])[:_RANKED]
        return [exactly[key] for key in ranked]

    def _edges(self, end: int, most: int) -> list[_Place]:
        """Return where edited words that end about here may begin and end, without cutting words.

        If their edges were edited, the least distance says little, so places that adjoin the text
        before or after the quote are tried as well.
        """
        size = len(self.words)
        low = max(0, end - size - most)
        back = self.page[low:end][::-1]
        _, lengths = best_ends(self.words[::-1], back)
        starts = {self._whole(end - length, -1) for length in (lengths[0], lengths[-1])}
        ends = {self._whole(end, 1)}
        if len(self.before) >= 4:
            at = self.page.find(self.before[-8:], max(0, low - 8), end)
            starts |= {at + len(self.before[-8:])} if at >= 0 else set()
        if len(self.after) >= 4:
            at = self.page.find(self.after[:8], max(0, end - most), end + most + 8)
            ends |= {at} if at >= 0 else set()
        places = []
        for start in starts:
            for stop in ends:
                one, other = self._trimmed(start, stop)
                if one < other:
                    errors = edit_distance(self.words, self.page[one:other])
                    likeness = 1 - errors / max(size, other - one)
                    places.append(_Place(one, other, likeness))
        return places

    def _whole(self, position: int, step: int) -> int:
        """Return the nearby edge of the word around a position, or the position itself."""
        at = position
        for _ in range(24):
            if not 0 < at < len(self.page):
                return at
            if not (self.page[at - 1].isalnum() and self.page[at].isalnum()):
                return at
            at += step
        return position

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        while start < end and self.page[start] == " ":
            start += 1
        while start < end and self.page[end - 1] == " ":
            end -= 1
        return start, end


def _common(one: str, other: str) -> int:
    """Return the number of characters that two texts begin with in common."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _agreement(similarity: float) -> float:
    """Scale likeness: unrelated texts share over a third of their letters in order, so half the
    characters in place count as none."""
    return max(0.0, 2 * similarity - 1)
