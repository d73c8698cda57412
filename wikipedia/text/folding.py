"""Compare words as a reader would, ignoring the changes of browsers, keyboards and editors.

Folding keeps every character in its place wherever it can, so that a place in the folded text is
a place in the text. Only invisible characters are left out; then the places are looked up.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_ALIKE: Final = (
    ("-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"),
    ("'", "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4\uff07"),
    ('"', "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02"),
    (" ", "\n\u00a0"),
)
# Soft hyphens, joiners, direction marks, byte order marks, tags: nothing visible.
_INVISIBLE: Final = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0001\U000e0020-\U000e007f]"
)
_SPACE: Final = re.compile(r"\s")
# Footnote marks as they are copied from an article: [1], [a], [note 2], [citation needed].
_MARK: Final = re.compile(
    r"\[(?:\d{1,4}|[a-z]{1,2}|(?:note|nb|n|lower-alpha) ?\d{1,3}|[a-z ]{1,20} needed"
    r"|(?:who|when|where|which|why|by whom)\?)\]"
)


@dataclass(frozen=True)
class FoldedText:
    """A folded text. `left_out` has, for each character left out, the number of kept characters
    before it."""

    text: str
    left_out: tuple[int, ...] = ()

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the text of `start` to `end` of the folded one, if not empty."""
        if not self.left_out:
            return start, end
        last = end - 1
        return (
            start + bisect_right(self.left_out, start),
            last + bisect_right(self.left_out, last) + 1,
        )

    def folded_position(self, position: int) -> int:
        """Return where a position of the text is in the folded one, or would be."""
        low, high = 0, len(self.left_out)
        while low < high:
            middle = (low + high) // 2
            if self.left_out[middle] + middle < position:
                low = middle + 1
            else:
                high = middle
        return position - low


def fold_text(text: str) -> FoldedText:
    """Fold a page's text: dashes and quotation marks alike, lines joined, invisibles left out."""
    plain = _alike(text)
    return FoldedText(plain) if text.isascii() else _without(plain, _INVISIBLE)


def fold_without_spaces(text: str) -> FoldedText:
    """Fold a page's text and remove all white space."""
    plain = fold_text(text)
    bare = _without(plain.text, _SPACE)
    if not plain.left_out:
        return bare
    kept = [plain.original_span(*bare.original_span(at, at + 1))[0] for at in range(len(bare.text))]
    gaps = pairwise([-1, *kept])
    return FoldedText(
        bare.text, tuple(at for at, (one, two) in enumerate(gaps) for _ in range(two - one - 1))
    )


def fold_words(text: str, *, marks: bool = True, trim: bool = True) -> str:
    """Fold words to look for as a page is folded; drop footnote marks if `marks` is False."""
    if not marks:
        text = _MARK.sub("", text)
    text = _alike(_INVISIBLE.sub("", unicodedata.normalize("NFC", text)))
    joined = " ".join(text.split())
    if trim or not joined:
        return joined
    return " " * text[0].isspace() + joined + " " * text[-1].isspace()


def lower_keeping_length(text: str) -> str:
    """Return the text in lower case, with each character in its place."""
    # The dotted capital I is the only letter whose lower case is longer.
    return text.replace("\u0130", "I").lower().replace("ς", "σ")


def find_whole_words(text: str, words: str, start: int = 0) -> int | None:
    """Return the first place of words in a text, neither end in the middle of a word.

    Both are folded, and in lower case where case is not to count. start: where to begin.
    """
    at = text.find(words, start) if words else -1
    while at >= 0:
        end = at + len(words)
        joined_before = words[0].isalnum() and at > 0 and _in_word(text[at - 1])
        joined_after = words[-1].isalnum() and end < len(text) and _in_word(text[end])
        if not joined_before and not joined_after:
            return at
        at = text.find(words, at + 1)
    return None


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _alike(text: str) -> str:
    # A replacement that finds nothing costs less than a look-up per character.
    for plain, others in _ALIKE:
        for other in others:
            text = text.replace(other, plain)
    return text


def _without(text: str, pattern: re.Pattern[str]) -> FoldedText:
    gone = [found.start() for found in pattern.finditer(text)]
    if not gone:
        return FoldedText(text)
    return FoldedText(pattern.sub("", text), tuple(at - count for count, at in enumerate(gone)))
