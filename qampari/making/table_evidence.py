"""Sentences that may show that a page belongs to a list, or has a value there. Pure.

Source: QAMPARI, section 2.3: the page of an answer has the words of the list's title, and the
value. There they may stand anywhere on the page; here those of the title stand in one sentence of
running text, or in it and the two before it, and the value's name as whole words in a sentence. No
relation is judged, so this is as crude as words are, and each proof says that it is from `JUDGE`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from qampari.making.evidence import EvidenceWindow, ReadPage, make_window
from qampari.making.judging import NEGATIONS
from qampari.making.table_wording import list_content_stems
from wikipedia.text.folding import find_whole_words, fold_words, lower_keeping_length

JUDGE: Final = "table-words 1"
_WORD: Final = re.compile(r"[^\W\d_]+")


def find_title_window(page: ReadPage, phrase: str) -> EvidenceWindow | None:
    """Return the first sentence with all words of a title, else the first with those before it.

    Words count in any form: a page that says “bridge” has the “bridges” of the title.
    """
    wanted = list_content_stems(phrase)
    if not wanted:
        return None
    windows = list(_list_windows(page))
    for whole in (False, True):
        for window in windows:
            text = window.text if whole else window.last_sentence
            if wanted <= list_content_stems(text):
                return window
    return None


def find_value_window(
    page: ReadPage, names: Sequence[str], near: EvidenceWindow
) -> EvidenceWindow | None:
    """Return the first sentence that has one of a value's names; `near`, if that has one."""
    if has_one_of(near.text, names):
        return near
    return next(
        (each for each in _list_windows(page) if has_one_of(each.last_sentence, names)), None
    )


def _list_windows(page: ReadPage) -> Iterator[EvidenceWindow]:
    """Give each sentence that denies nothing, with those before it."""
    for place in range(len(page.sentences)):
        window = make_window(page, place, "", linked=False, of_item=True)
        if NEGATIONS.isdisjoint(_WORD.findall(window.last_sentence.lower())):
            yield window


def has_one_of(text: str, names: Iterable[str]) -> bool:
    """Return whether a text has one of some names, as whole words."""
    small = _small(text)
    return any(find_whole_words(small, _small(name)) is not None for name in names)


def _small(words: str) -> str:
    return lower_keeping_length(fold_words(words))
