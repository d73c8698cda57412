"""The ids and texts an import has seen, in a temporary table so that memory stays bounded."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple
from unicodedata import normalize

from django.db import connection

from annotation.core.models.projects import Project
from annotation.imports.formats import QuestionRecord, ReadRecord
from annotation.imports.statements import (
    CREATE_SEEN,
    CREATE_TEXTS,
    DROP_SEEN,
    FIND_SEEN,
    INSERT_SEEN,
    INSERT_TEXTS_OF_PROJECT,
)


class FirstOccurrence(NamedTuple):
    """The line where an id first occurred in this file, and whether the record was the same."""

    line: int
    same: bool


@contextmanager
def temporary_tables(project: Project) -> Iterator[None]:
    """Provide the tables for one pass over one file, on this connection: that of ids is empty, that
    of texts has the questions of the project.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"{DROP_SEEN}; {CREATE_SEEN}; {CREATE_TEXTS}; {INSERT_TEXTS_OF_PROJECT}", [project.pk]
        )
    yield
    with connection.cursor() as cursor:
        cursor.execute(DROP_SEEN)


def remember_records(batch: Sequence[ReadRecord]) -> dict[int, FirstOccurrence]:
    """Store the batch; return, by record number, records whose id occurred earlier in the file."""
    records = {
        item.number: (item.found, item.line, item.found.fingerprint())
        for item in batch
        if isinstance(item.found, QuestionRecord)
    }
    if not records:
        return {}
    firsts = _remember(
        {
            number: (record.external_id, line, fingerprint)
            for number, (record, line, fingerprint) in records.items()
        }
    )
    found = {}
    for number, (record, _, fingerprint) in records.items():
        first_number, first_line, first_fingerprint = firsts[record.external_id]
        if first_number != number:
            found[number] = FirstOccurrence(first_line, bytes(first_fingerprint) == fingerprint)
    return found


def remember_texts(batch: Sequence[ReadRecord]) -> dict[int, int]:
    """Store the texts of the batch; return, by record number, the line where a text was before.

    Texts are equal in Unicode's form NFC, without blanks around them.
    """
    keys = {
        item.number: (_text_key(item.found.text), item.line, b"")
        for item in batch
        if isinstance(item.found, QuestionRecord)
    }
    if not keys:
        return {}
    firsts = _remember(keys)
    found = {number: firsts[key] for number, (key, _, _) in keys.items()}
    return {number: first[1] for number, first in found.items() if first[0] != number}


def _text_key(text: str) -> str:
    # No id begins with a line feed, as none holds an invisible character.
    return "\n" + hashlib.sha256(normalize("NFC", text.strip()).encode()).hexdigest()


def _remember(keys: Mapping[int, tuple[str, int, bytes]]) -> dict[str, tuple[int, int, bytes]]:
    """Store what each record has; return number, line and fingerprint of the first with each key.

    keys: by record number, what it is known by, its line and its fingerprint.
    """
    names = [name for name, _, _ in keys.values()]
    with connection.cursor() as cursor:
        cursor.execute(
            INSERT_SEEN,
            [
                names,
                list(keys),
                [line for _, line, _ in keys.values()],
                [fingerprint for _, _, fingerprint in keys.values()],
            ],
        )
        cursor.execute(FIND_SEEN, [names])
        return {row[0]: row[1:] for row in cursor.fetchall()}
