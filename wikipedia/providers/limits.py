"""How many requests a wiki gets from us at once, and when it wants none, for all processes.

Both live in PostgreSQL rather than in the cache. A turn is an advisory lock, which a killed worker
gives back by dying; a key in a cache would have to expire. A pause is a row. Both use a connection
of their own, because the caller may be in a transaction: what a wiki told us must be known to the
others at once, and must survive a rollback. Moments are the database's, so that the clocks of
several machines need not agree.
"""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from typing import Final

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

AT_ONCE: Final = 3
PICTURES_AT_ONCE: Final = 2  # so that pictures never keep a search or an article waiting
_FIRST_PAUSE: Final = 1.0
_LONGEST_OWN_PAUSE: Final = 60.0
_LONGEST_PAUSE: Final = 24 * 3600.0
_NAMESPACE: Final = 0x77696B69  # "wiki": keeps our advisory locks apart from all others
_POLL: Final = 0.05

_gates: dict[tuple[str, int], BoundedSemaphore] = {}
_gates_lock = Lock()


class Paused(Exception):
    """The wiki wants no request for `seconds`, which is longer than the caller would wait."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"paused for {seconds:.0f} s")
        self.seconds = seconds


class Crowded(Exception):
    """All turns stayed taken for as long as the caller would wait."""


@dataclass
class Turn:
    """What came of a request: set by the caller, told to all processes when the turn ends."""

    failed: bool = False
    retry_after: float | None = None

    def fail(self, retry_after: float | None = None) -> None:
        """The wiki could not answer; `retry_after` is in seconds where it said so."""
        self.failed, self.retry_after = True, retry_after


@contextmanager
def turn(host: str, *, most: int = AT_ONCE, patience: float) -> Iterator[Turn]:
    """One of `most` turns to ask `host`, waiting up to `patience` seconds for it.

    Raises `Paused` at once when the wiki asked for a longer pause, `Crowded` when no turn came.
    """
    deadline = time.monotonic() + patience
    gate = _gate(host, most)  # in front of the database: waiting threads need no connection
    if not gate.acquire(timeout=max(patience, 0.001)):
        raise Crowded
    try:
        connection = connections["default"].copy()
        try:
            failures = _take(connection, host, most, deadline)
            outcome = Turn()
            yield outcome
            _tell(connection, host, outcome, failures)
            # The pause is seen by the next process before the turn is free: same commit.
            connection.commit()
        finally:
            connection.close()
    finally:
        gate.release()


def _take(connection: BaseDatabaseWrapper, host: str, most: int, deadline: float) -> int:
    """Wait for the end of a pause and for a free turn; returns the failures in a row so far."""
    connection.ensure_connection()
    connection.set_autocommit(False)
    while True:
        left = deadline - time.monotonic()
        pause, failures = _pause(connection, host)
        if pause > 0:
            connection.rollback()
            if pause > left:
                raise Paused(pause)
            sleep(pause)
        elif any(_lock(connection, host, number) for number in reversed(range(most))):
            return failures
        else:
            connection.rollback()
            if left <= 0:
                raise Crowded
            sleep(_POLL * (0.5 + random.random()))  # noqa: S311  # spreads waiters, no secret


def _pause(connection: BaseDatabaseWrapper, host: str) -> tuple[float, int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM paused_until - clock_timestamp())::float8, failures"
            " FROM wikipedia_wikihost WHERE host = %s",
            [host],
        )
        row = cursor.fetchone()
    return (float(row[0]), int(row[1])) if row else (0.0, 0)


def _lock(connection: BaseDatabaseWrapper, host: str, number: int) -> bool:
    """Whether this turn is ours now, until the end of the transaction."""
    key = zlib.crc32(f"{host}#{number}".encode()) - 2**31
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [_NAMESPACE, key])
        return bool(cursor.fetchone()[0])


def _tell(connection: BaseDatabaseWrapper, host: str, outcome: Turn, failures: int) -> None:
    with connection.cursor() as cursor:
        if not outcome.failed:
            if failures:
                cursor.execute("UPDATE wikipedia_wikihost SET failures = 0 WHERE host = %s", [host])
            return
        own = min(_FIRST_PAUSE * 2.0 ** min(failures, 10), _LONGEST_OWN_PAUSE)
        seconds = min(max(own, outcome.retry_after or 0.0), _LONGEST_PAUSE)
        # Requests that were under way together and failed together count as one failure.
        cursor.execute(
            "INSERT INTO wikipedia_wikihost AS known (host, paused_until, failures)"
            " VALUES (%s, clock_timestamp() + %s * interval '1 second', %s)"
            " ON CONFLICT (host) DO UPDATE SET"
            " paused_until = greatest(known.paused_until, excluded.paused_until),"
            " failures = greatest(known.failures, excluded.failures)",
            [host, seconds, min(failures + 1, 100)],
        )


def _gate(host: str, most: int) -> BoundedSemaphore:
    with _gates_lock:
        return _gates.setdefault((host, most), BoundedSemaphore(most))


def sleep(seconds: float) -> None:
    """The one place where this module waits."""
    time.sleep(seconds)
