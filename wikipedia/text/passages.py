"""Cut running text into passages of at most 100 words, between sentences where possible.

The papers' retrievers read passages of up to 100 words with the title kept, never across articles
(AmbigQA, appendix D). Theirs are cut after exactly 100 words; ours end with a sentence, so that
fewer answers are cut in two. Only a sentence that is longer than a passage is cut itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from wikipedia.text.words import word_set

PASSAGE_WORDS: Final = 100
# Changed whenever the same text is cut differently: a build then starts again from the beginning.
RECIPE: Final = 2
_SENTENCE_END: Final = re.compile(r"[.!?…。！？।؟][\"'”’»)\]]*$")
# A full stop after these, or after a single letter, is part of the word.
_ABBREVIATIONS: Final = word_set(
    "mr mrs ms dr prof rev hon st mt ft gen col maj capt lt sgt cmdr adm gov sen rep pres jr sr"
    " no nos vol vols pp p ch fig figs ed eds al vs v etc cf ca c approx est e.g i.e u.s u.k u.n"
    " d.c a.d b.c jan feb mar apr jun jul aug sep sept oct nov dec inc ltd co corp dept univ"
)


def cut_passages(texts: Iterable[str], limit: int = PASSAGE_WORDS) -> Iterator[str]:
    """Cut consecutive texts into passages of at most `limit` words, none of them empty."""
    pending: list[str] = []
    for text in texts:
        pending.extend(text.split())
        start = 0
        while len(pending) - start > limit:
            cut = _cut(pending, start, limit)
            yield " ".join(pending[start:cut])
            start = cut
        del pending[:start]
    if pending:
        yield " ".join(pending)


def ends_sentence(word: str, following: str = "") -> bool:
    """Whether a sentence ends with this word, judged also by the word after it."""
    if not _SENTENCE_END.search(word):
        return False
    bare = word.strip("\"'“”‘’«»()[]")
    if not bare.endswith(".") or bare.endswith("..."):
        return True
    if following[:1].islower():
        return False
    stem = bare.rstrip(".").casefold()
    return stem not in _ABBREVIATIONS and not (len(stem) == 1 and stem.isalpha())


def _cut(run: Sequence[str], start: int, limit: int) -> int:
    """Return where the passage from `start` ends: after the last sentence within the limit.

    If the next sentence cannot be kept whole anyway, the passage is filled up instead.
    """
    last = min(start + limit, len(run))
    for end in range(last, start, -1):
        if _ends(run, end - 1):
            return last if _is_longer(run, end, limit) else end
    return last


def _is_longer(run: Sequence[str], start: int, limit: int) -> bool:
    """Whether the sentence from `start` on visibly has more than `limit` words."""
    if len(run) - start <= limit:
        return False
    return not any(_ends(run, place) for place in range(start, start + limit))


def _ends(run: Sequence[str], place: int) -> bool:
    return ends_sentence(run[place], run[place + 1] if place + 1 < len(run) else "")
