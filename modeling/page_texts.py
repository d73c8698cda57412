"""The words of a page that stand in boxes, with their places: what models of pages read. Pure."""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from metrics.nq import NqSpan
from modeling.base import QuestionPage


class PageBox(NamedTuple):
    """A box of a page that can be a long answer, as `modeling.base.PageCandidate` has it."""

    kind: str
    top_level: bool
    span: NqSpan


@dataclass(frozen=True, slots=True)
class PageText:
    """The words of a page that stand in boxes, and the boxes, both in the order of the page.

    tokens: the place of each word among the tokens of the page; starts, ends: its first byte and
    the one behind it, -1 where they are not known. These are `pack_numbers`: a page has thousands.
    """

    words: tuple[str, ...]
    tokens: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]
    boxes: tuple[PageBox, ...]

    def find_words(self, span: NqSpan) -> range:
        """Return the places of the words of a stretch, known by its tokens or else by its bytes."""
        if span.start_token >= 0:
            known, start, end = self.tokens, span.start_token, span.end_token
        elif span.start_byte >= 0 and self.starts and self.starts[0] >= 0:
            known, start, end = self.starts, span.start_byte, span.end_byte
        else:
            return range(0)
        return range(bisect_left(known, start), bisect_left(known, end))

    def span_of(self, words: range) -> NqSpan:
        """Return where words stand that follow each other, at least one."""
        first, last = words[0], words[-1]
        return NqSpan(
            self.starts[first], self.ends[last], self.tokens[first], self.tokens[last] + 1
        )


def pack_numbers(numbers: Iterable[int]) -> Sequence[int]:
    """Return places on a page in four bytes each; in a tuple each takes 36."""
    return array("i", list(numbers))  # of a list, so that no room is left over


def read_page_text(page: QuestionPage) -> PageText:
    """Return the words of a page that stand in its boxes. Words of nested boxes come once."""
    boxes = tuple(PageBox(box.kind, box.top_level, box.span) for box in page.candidates)
    words, places = list[str](), list[NqSpan]()
    for box in boxes:
        if box.top_level:
            for text, span in page.list_words(box.span):
                if not places or span.start_token > places[-1].start_token:
                    words.append(sys.intern(text))
                    places.append(span)
    return PageText(
        tuple(words),
        pack_numbers(span.start_token for span in places),
        pack_numbers(span.start_byte for span in places),
        pack_numbers(span.end_byte for span in places),
        boxes,
    )


def list_outermost(page: PageText, most: int) -> Sequence[tuple[PageBox, range]]:
    """Return the first boxes with words that no other box is around, with the places of these."""
    found = ((box, page.find_words(box.span)) for box in page.boxes if box.top_level)
    return [(box, words) for box, words in found if words][:most]
