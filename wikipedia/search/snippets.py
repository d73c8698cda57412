"""The part of a text that best shows why it was found."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from wikipedia.search.analysis import Language
from wikipedia.search.results import Snippet

SNIPPET_CHARACTERS: Final = 220
# A snippet begins with a sentence, as long as it then shows this share of the weight of the best
# stretch of the text. Otherwise it begins this many characters before its first match.
_ENOUGH: Final = 0.7
_BEFORE: Final = 40
# A full stop, closing quotation marks, and a new beginning; not after an initial or a short title.
_SENTENCE: Final = re.compile(
    r"(?:(?<![\s.(][A-Z])(?<!\bSt)(?<!\bMr)(?<!\bDr)(?<!\bMrs)(?<!\bNo)(?<!\bvs)[.!?…؟।]"
    r"[\"'”’)\]]*\s+(?![a-z])|[。！？][」』”]?\s*|\n\s*)"
)


@dataclass(frozen=True)
class _Match:
    start: int
    end: int
    terms: tuple[str, ...]


def build_snippet(text: str, weights: Mapping[str, float], language: Language) -> Snippet:
    """Return (text, matched) segments of the stretch with the greatest weight of terms.

    It begins with a sentence where that shows nearly as much. Without a match it is the beginning
    of the text. Nothing is marked up or escaped here.
    """
    matches = [
        _Match(start, end, terms)
        for start, end, terms in language.locate_words(text)
        if not weights.keys().isdisjoint(terms)
    ]
    start = _begin(text, matches, weights) if matches else 0
    end = _end(text, start)
    segments: list[tuple[str, bool]] = [("…", False)] if start else []
    done = start
    for match in matches:
        if match.start >= start and match.end <= end:
            segments.append((text[done : match.start], False))
            segments.append((text[max(done, match.start) : match.end], True))
            done = match.end
    segments.append((text[done:end] + ("…" if end < len(text) else ""), False))
    return _joined(segments)


def _begin(text: str, matches: list[_Match], weights: Mapping[str, float]) -> int:
    """Return where to begin: at the nearest sentence showing enough, or before the best match."""
    shown = partial(_shown, text, matches, weights)
    best = max((match.start for match in matches), key=shown)
    enough = _ENOUGH * shown(best)
    for sentence in reversed([0, *(found.end() for found in _SENTENCE.finditer(text, 0, best))]):
        if best - sentence > SNIPPET_CHARACTERS:
            break
        if shown(sentence) >= enough:
            return sentence
    near = text[max(0, best - _BEFORE) : best]
    space = near.find(" ")
    return best - len(near) + space + 1 if space >= 0 else best


def _shown(text: str, matches: list[_Match], weights: Mapping[str, float], start: int) -> float:
    """Return the weight of the distinct terms in the snippet that begins here."""
    end = _end(text, start)
    found = {term for m in matches if m.start >= start and m.end <= end for term in m.terms}
    return sum(weights.get(term, 0.0) for term in found)


def _end(text: str, start: int) -> int:
    end = start + SNIPPET_CHARACTERS
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", start + 1, end + 1)
    return space if space > end - 2 * _BEFORE else end


def _joined(segments: list[tuple[str, bool]]) -> Snippet:
    """Return the segments without empty ones, and with neighbours of the same kind joined."""
    joined: list[tuple[str, bool]] = []
    for text, matched in segments:
        if text and joined and matched == joined[-1][1]:
            joined[-1] = (joined[-1][0] + text, matched)
        elif text:
            joined.append((text, matched))
    return tuple(joined)
