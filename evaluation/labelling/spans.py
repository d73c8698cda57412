"""Words of a text that a labeller highlighted: read, checked, and shown again.

Places count characters (code points) of the text as it is shown, the first from 0 and the end
exclusive. Spans may overlap.
"""

import itertools
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

MOST_SPANS = 200
_LONGEST = 100_000  # characters of a form field that holds spans


class BadSpans(ValueError):
    """A sentence about spans that cannot be read or do not fit their text."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A highlighted stretch of a text with its category. quote: the words between its places."""

    start: int
    end: int
    category: str
    quote: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a text with the categories that are highlighted in all of it."""

    text: str
    categories: tuple[str, ...]


def show_text(text: str) -> str:
    """Return a text as it is shown and counted: with one character for each end of a line."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_spans(posted: str, text: str, categories: Collection[str]) -> list[Span]:
    """Read spans from a form: a JSON list of objects with `start`, `end` and `category`.

    Each is given once, in the order of the text. Raises BadSpans.
    """
    if not posted.strip():
        return []
    try:
        rows = json.loads(posted) if len(posted) <= _LONGEST else None
    except (ValueError, RecursionError):
        rows = None
    if not isinstance(rows, list) or len(rows) > MOST_SPANS:
        raise BadSpans(f"Highlights cannot be read. There can be up to {MOST_SPANS}.")
    return sorted({_read_span(row, text, categories) for row in rows})


def _read_span(row: Any, text: str, categories: Collection[str]) -> Span:
    if not isinstance(row, dict):
        raise BadSpans("A highlight cannot be read.")
    start, end, category = (row.get(name) for name in ("start", "end", "category"))
    # True is an int, and no place.
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        raise BadSpans("A highlight is not within the text.")
    if not isinstance(category, str) or category not in categories:
        raise BadSpans("A highlight has no category of this scheme.")
    return Span(start, end, category, text[start:end])


def find_passage(passage: str, text: str, category: str, taken: Collection[Span]) -> Span:
    """Return the first place of these words that is not highlighted in the category yet.

    Raises BadSpans where there is none.
    """
    words = show_text(passage).strip()
    begun = {span.start for span in taken if span.category == category}
    start = text.find(words) if words else -1
    while start in begun:
        start = text.find(words, start + 1)
    if start < 0:
        raise BadSpans("These words are not in the answer. Copy them as they are there.")
    return Span(start, start + len(words), category, words)


def encode_spans(spans: Sequence[Span]) -> list[dict[str, Any]]:
    """Return spans as they are stored and exported."""
    return [asdict(span) for span in spans]


def decode_spans(stored: Sequence[Mapping[str, Any]]) -> list[Span]:
    """Return stored spans."""
    return [Span(row["start"], row["end"], row["category"], row["quote"]) for row in stored]


def cut_segments(text: str, spans: Sequence[Span]) -> list[Segment]:
    """Return the text cut where a highlight begins or ends. Spans beyond its end are cut off."""
    marks = sorted(spans)
    edges = sorted({0, len(text), *(min(p, len(text)) for s in marks for p in (s.start, s.end))})
    return [
        Segment(
            text[start:end],
            tuple(dict.fromkeys(s.category for s in marks if s.start <= start and end <= s.end)),
        )
        for start, end in itertools.pairwise(edges)
    ]
