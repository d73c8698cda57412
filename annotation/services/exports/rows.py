"""Read rows for exports: plain tuples through a server-side cursor, in one snapshot."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

Row = tuple[Any, ...]


@contextmanager
def snapshot() -> Iterator[None]:
    """Give all statements within one unchanging view of the database."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        with connection.cursor() as cursor:
            if outermost:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            # Everything is read to the end, so plans that are quick to start are no help; and
            # sorting a million rows should not take a dozen passes over the disk.
            cursor.execute("SET LOCAL cursor_tuple_fraction = 1")
            cursor.execute("SET LOCAL work_mem = '32MB'")
        yield


def chunks(sql: str, values: list[Any], size: int) -> Iterator[list[Row]]:
    """Run the statement and give its rows `size` at a time. Only within `snapshot`."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(sql, values)
        while rows := cursor.fetchmany(size):
            yield rows


def fetch(sql: str, values: list[Any] | dict[str, Any]) -> list[Row]:
    """Run the statement and give all its rows: for what belongs to one chunk."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows: list[Row] = cursor.fetchall()
        return rows
