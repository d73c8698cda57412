"""The records of a file in batches, as an import writes them: each complete."""

from collections.abc import Callable, Iterator
from typing import BinaryIO

from annotation.imports import formats
from annotation.imports.formats import Format, QuestionRecord, ReadRecord
from annotation.imports.query_filters import filter_query
from annotation.imports.sorting import Target

BATCH_BYTES = 32_000_000  # of what records have beside them


def read_batches(
    target: Target,
    file: BinaryIO,
    kind: Format,
    on_step: Callable[[], None],
    most: int,
    *,
    after: int | None = None,
) -> Iterator[list[ReadRecord]]:
    """Yield the records, at most `most` at once.

    Those `after` a number are completed; with None, as a check needs them, none is.
    """
    most = most if after is None else min(most, target.adapter.most_at_once)
    batch: list[ReadRecord] = []
    size = 0
    reads = formats.read_records(file, kind, on_step)
    for each in target.adapter.adapt_records(target.project, kind.key, reads):
        read = each if after is None else _complete(target, each, after, on_step)
        batch.append(read)
        size += len(read.found.beside) if isinstance(read.found, QuestionRecord) else 0
        if len(batch) == most or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _complete(
    target: Target, read: ReadRecord, after: int, on_step: Callable[[], None]
) -> ReadRecord:
    """Return a record completed, unless it was imported before or the filters leave it out."""
    record = read.found
    if not isinstance(record, QuestionRecord) or read.number <= after:
        return read
    if filter_query(record.text, target.rules.filters).reason:
        return read
    on_step()
    return read._replace(found=target.adapter.complete_record(target.project, record))
