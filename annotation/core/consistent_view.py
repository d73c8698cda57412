"""One unchanging view of the database for all that is read together."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Run all statements in the block on one unchanging view of the database."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        with connection.cursor() as cursor:
            if outermost:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            # Everything is read to the end, so plans with a quick start do not help; and sorting a
            # million rows should not take a dozen passes over the disk.
            cursor.execute("SET LOCAL cursor_tuple_fraction = 1")
            cursor.execute("SET LOCAL work_mem = '32MB'")
        yield
