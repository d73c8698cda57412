"""The ids an import has seen, in a temporary table so that memory stays bounded."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from django.db import connection

from annotation.imports.formats import QuestionRecord, ReadRecord
from annotation.imports.statements import CREATE_SEEN, DROP_SEEN, FIND_SEEN, INSERT_SEEN


class FirstOccurrence(NamedTuple):
    """The line where an id first occurred in this file, and whether the record was the same."""

    line: int
    same: bool


@contextmanager
def temporary_table() -> Iterator[None]:
    """Provide the table for one pass over one file, on this connection."""
    with connection.cursor() as cursor:
        cursor.execute(DROP_SEEN)
        cursor.execute(CREATE_SEEN)
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
    ids = [record.external_id for record, _, _ in records.values()]
    with connection.cursor() as cursor:
        cursor.execute(
            INSERT_SEEN,
            [
                ids,
                list(records),
                [line for _, line, _ in records.values()],
                [fingerprint for _, _, fingerprint in records.values()],
            ],
        )
        cursor.execute(FIND_SEEN, [ids])
        firsts = {row[0]: row[1:] for row in cursor.fetchall()}
    found = {}
    for number, (record, _, fingerprint) in records.items():
        first_number, first_line, first_fingerprint = firsts[record.external_id]
        if first_number != number:
            found[number] = FirstOccurrence(first_line, bytes(first_fingerprint) == fingerprint)
    return found
