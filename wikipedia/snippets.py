"""The part of a text that shows best why it was found."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from wikipedia.analysis import Language, terms_of
from wikipedia.providers.base import Snippet

SNIPPET_CHARACTERS: Final = 220
# A snippet begins with its sentence when that begins this near before the first match, and at a
# word that is no farther away otherwise.
_BEFORE: Final = 80
_SENTENCE: Final = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+")


@dataclass(frozen=True)
class _Match:
    start: int
    end: int
    terms: tuple[str, ...]


def snippet(text: str, weights: Mapping[str, float], language: Language) -> Snippet:
    """(text, matched) segments of the stretch that holds the most of the terms by weight.

    Without a match it is the beginning of the text. Nothing is marked up or escaped here.
    """
    matches = [
        _Match(word.start(), word.end(), terms)
        for word in language.word.finditer(text)
        if (terms := terms_of(word[0], language)) and not weights.keys().isdisjoint(terms)
    ]
    start = _begin(text, _best(matches, weights)) if matches else 0
    end = _end(text, start)
    segments: list[tuple[str, bool]] = [("…", False)] if start else []
    done = start
    for match in matches:
        if match.start >= start and match.end <= end:
            segments.append((text[done : match.start], False))
            segments.append((text[match.start : match.end], True))
            done = match.end
    segments.append((text[done:end] + ("…" if end < len(text) else ""), False))
    return _joined(segments)


def _best(matches: list[_Match], weights: Mapping[str, float]) -> int:
    """Where the stretch with the heaviest distinct terms begins; the first of equals."""
    most, where = -1.0, 0
    for number, first in enumerate(matches):
        found: set[str] = set()
        for match in matches[number:]:
            if match.end - first.start > SNIPPET_CHARACTERS - _BEFORE // 2:
                break
            found.update(match.terms)
        weight = sum(weights.get(term, 0.0) for term in found)
        if weight > most:
            most, where = weight, first.start
    return where


def _begin(text: str, match: int) -> int:
    if match <= _BEFORE // 2:
        return 0
    window = text[max(0, match - _BEFORE) : match]
    sentences = [found.end() for found in _SENTENCE.finditer(window)]
    if sentences:
        return match - len(window) + sentences[-1]
    if match <= _BEFORE:
        return 0
    near = text[match - _BEFORE // 2 : match]
    space = near.find(" ")
    return match - len(near) + space + 1 if space >= 0 else match


def _end(text: str, start: int) -> int:
    end = start + SNIPPET_CHARACTERS
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", start + 1, end + 1)
    return space if space > end - _BEFORE else end


def _joined(segments: list[tuple[str, bool]]) -> Snippet:
    """Without empty segments, and with one segment where two plain ones meet."""
    joined: list[tuple[str, bool]] = []
    for text, matched in segments:
        if text and joined and not matched and not joined[-1][1]:
            joined[-1] = (joined[-1][0] + text, False)
        elif text:
            joined.append((text, matched))
    return tuple(joined)
