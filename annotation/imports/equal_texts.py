"""Questions with the same words as another one, in the project or earlier in the file (N25).

A temporary table, which `seen_ids` provides, has them, so that memory stays bounded.
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from django.db import connection

from annotation.imports.drawn_splits import plain_text
from annotation.imports.formats import QuestionRecord, ReadRecord
from annotation.imports.statements import FIND_TEXTS, INSERT_TEXTS


class EqualQuestion(NamedTuple):
    """The first question with some words; `line` is 0 where it was in the project before."""

    external_id: str
    split: str
    line: int


class EqualTexts:
    """The questions by their words, as far as a batch of records asks for them."""

    def __init__(self, batch: Sequence[ReadRecord]) -> None:
        found = (item.found for item in batch)
        keys = {_key_of(each.text) for each in found if isinstance(each, QuestionRecord)}
        self._known: dict[str, EqualQuestion] = {}
        self._new: dict[str, EqualQuestion] = {}
        if keys:
            with connection.cursor() as cursor:
                cursor.execute(FIND_TEXTS, [sorted(keys)])
                self._known = {row[0]: EqualQuestion(*row[1:]) for row in cursor.fetchall()}

    def find_question(self, text: str) -> EqualQuestion | None:
        """Return the first question with these words."""
        return self._known.get(_key_of(text))

    def add_question(self, text: str, question: EqualQuestion) -> None:
        """Have a new question at hand, unless there is one with the same words."""
        key = _key_of(text)
        if key not in self._known:
            self._known[key] = self._new[key] = question

    def remember_questions(self) -> None:
        """Keep the new questions for the batches that follow. One statement, even for none."""
        rows = [(key, *question) for key, question in self._new.items()]
        columns = [[row[place] for row in rows] for place in range(4)]
        with connection.cursor() as cursor:
            cursor.execute(INSERT_TEXTS, columns)


def _key_of(text: str) -> str:
    return hashlib.sha256(plain_text(text).encode()).hexdigest()
