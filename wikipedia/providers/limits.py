"""Limit our requests to a wiki: how many at once, how many a minute, and when none at all.

All of it holds for all processes, and lives in PostgreSQL rather than in Django's cache. A turn is
an advisory lock, which is released when a worker is killed; a key in a cache would have to expire.
A pause and the buckets are a row, changed in one statement each; Django's caches can count up, but
not take a token and tell the time in one step. A connection of our own is used, because the
caller may be in a transaction: what a wiki told us must be known to the others at once, and must
survive a rollback. Moments are the database's, so that the clocks of several machines need not
agree.

What runs inside `behind_people()` is background work: it asks only while no person asks or waits,
leaves half of the bucket to people, and takes one turn at a time.
"""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from typing import Final

from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from wikipedia.providers.statements import (
    FORGET_FAILURES,
    KEEP_FAILURE,
    READ_PAUSE,
    RESERVE_TURN,
    TRY_LOCK,
)

AT_ONCE: Final = 3
PICTURES_AT_ONCE: Final = 2  # so that pictures never keep a search or an article waiting
# Threads of a process that may be busy with pictures: one waits while two are under way. All other
# requests are told to come back, because a web process has few threads and pages need them.
PICTURE_THREADS: Final = 3
_BURST_SECONDS: Final = 60.0  # a full bucket holds as many tokens as flow into it in this time
_PICTURES_PER_REQUEST: Final = 5  # an article has many, and each is cheap to give
_FIRST_PAUSE: Final = 1.0
_LONGEST_OWN_PAUSE: Final = 60.0
_LONGEST_PAUSE: Final = 24 * 3600.0
_NAMESPACE: Final = 0x77696B69  # "wiki": keeps our advisory locks apart from all others
_POLL: Final = 0.05
_BACKGROUND_POLL: Final = 0.5
_QUIET_LOOKS: Final = 2

_background: ContextVar[bool] = ContextVar("wiki_behind_people", default=False)
_short: ContextVar[bool] = ContextVar("wiki_short_of_time", default=False)
_gates: dict[tuple[str, int], BoundedSemaphore] = {}
_gates_lock = Lock()
_picture_threads = BoundedSemaphore(PICTURE_THREADS)


class WikiPaused(Exception):
    """The wiki wants no requests for `seconds`, longer than the caller is willing to wait."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"paused for {seconds:.0f} s")
        self.seconds = seconds


class NoFreeTurn(Exception):
    """No turn or no token was free for as long as the caller was willing to wait."""


@dataclass
class Turn:
    """The outcome of a request: set by the caller, shared with all processes at the end."""

    failed: bool = False
    retry_after: float | None = None

    def note_failure(self, retry_after: float | None = None) -> None:
        """Note that the wiki could not answer; `retry_after` is in seconds, if it said so."""
        self.failed, self.retry_after = True, retry_after


@contextmanager
def behind_people() -> Iterator[None]:
    """Treat requests inside as background work: they wait until no person is asking."""
    token = _background.set(True)
    try:
        yield
    finally:
        _background.reset(token)


@contextmanager
def not_waiting_long() -> Iterator[None]:
    """Give requests inside up soon: there is something else to show."""
    token = _short.set(True)
    try:
        yield
    finally:
        _short.reset(token)


def short_of_time() -> bool:
    """Whether the current request gives up soon."""
    return _short.get()


def in_background() -> bool:
    """Whether the current request is background work."""
    return _background.get()


@contextmanager
def take_turn(host: str, *, most: int = AT_ONCE, patience: float) -> Iterator[Turn]:
    """Take one of `most` turns to ask `host`, waiting up to `patience` seconds for it.

    Raises `WikiPaused` at once when the wiki asked for a longer pause, `NoFreeTurn` when no turn
    came, and for pictures at once when enough threads of this process wait for some.
    """
    deadline = time.monotonic() + patience
    background = in_background()
    pictures = most == PICTURES_AT_ONCE and not background
    with (
        _thread_for_pictures() if pictures else nullcontext(),
        _turn(host, most, deadline, background=background, pictures=pictures) as outcome,
    ):
        yield outcome


@contextmanager
def _thread_for_pictures() -> Iterator[None]:
    """Let this thread wait for a picture; raise `NoFreeTurn` if enough threads already do."""
    if not _picture_threads.acquire(blocking=False):
        raise NoFreeTurn
    try:
        yield
    finally:
        _picture_threads.release()


@contextmanager
def _turn(
    host: str, most: int, deadline: float, *, background: bool, pictures: bool
) -> Iterator[Turn]:
    # In front of the database: waiting threads need no connection.
    gate = _gate(host, 0 if background else most)
    if not gate.acquire(timeout=max(deadline - time.monotonic(), 0.001)):
        raise NoFreeTurn
    try:
        connection = connections["default"].copy()
        try:
            if background:
                failures = _take_behind(connection, host, deadline)
            else:
                failures = _take(connection, host, most, deadline, pictures=pictures)
            outcome = Turn()
            yield outcome
            _tell(connection, host, outcome, failures)
            # The next process sees the pause before the turn is free, because both are one commit.
            connection.commit()
        finally:
            connection.close()
    finally:
        gate.release()


def _take(
    connection: BaseDatabaseWrapper, host: str, most: int, deadline: float, *, pictures: bool
) -> int:
    """Wait for a token, the end of a pause and a free turn; return the failures so far."""
    connection.ensure_connection()
    connection.set_autocommit(False)
    _wait_out(connection, host, deadline)
    wait = _token(connection, host, pictures=pictures, patience=deadline - time.monotonic())
    connection.commit()  # at once: the row must not stay locked while we ask
    if wait is None:
        raise NoFreeTurn
    if wait > 0:
        sleep(wait)
    while True:
        failures = _wait_out(connection, host, deadline)
        # Held from here to the end of the turn: background work sees that a person is asking.
        _lock(connection, host, "people", shared=True)
        while not any(_lock(connection, host, str(number)) for number in reversed(range(most))):
            if deadline <= time.monotonic():
                raise NoFreeTurn
            sleep(_POLL * (0.5 + random.random()))  # noqa: S311  # spreads waiters, no secret
            if _pause(connection, host)[0] > 0:
                break
        else:
            return failures
        connection.rollback()


def _take_behind(connection: BaseDatabaseWrapper, host: str, deadline: float) -> int:
    """Take the last turn, once no person asks or waits and half of the bucket would be left."""
    connection.ensure_connection()
    connection.set_autocommit(False)
    quiet = 0
    while True:
        failures = _wait_out(connection, host, deadline)
        alone = _lock(connection, host, "people")
        connection.rollback()  # only tested: a person who comes now must not find it taken
        quiet = quiet + 1 if alone else 0
        # Twice, because there is a moment without anyone between the turns of two people.
        if quiet >= _QUIET_LOOKS:
            taken = _token(connection, host, pictures=False, patience=0.0, leave=0.5) is not None
            connection.commit()
            if taken and _lock(connection, host, "0"):
                return failures
            connection.rollback()
        if deadline <= time.monotonic():
            raise NoFreeTurn
        sleep(_BACKGROUND_POLL * (0.5 + random.random()))  # noqa: S311


def _wait_out(connection: BaseDatabaseWrapper, host: str, deadline: float) -> int:
    """Wait for the end of a pause; return the number of failures in a row so far."""
    while True:
        pause, failures = _pause(connection, host)
        if pause <= 0:
            return failures
        connection.rollback()
        if pause > deadline - time.monotonic():
            raise WikiPaused(pause)
        sleep(pause)


def _pause(connection: BaseDatabaseWrapper, host: str) -> tuple[float, int]:
    with connection.cursor() as cursor:
        cursor.execute(READ_PAUSE, [host])
        row = cursor.fetchone()
    return (float(row[0]), int(row[1])) if row else (0.0, 0)


def _token(
    connection: BaseDatabaseWrapper,
    host: str,
    *,
    pictures: bool,
    patience: float,
    leave: float = 0.0,
) -> float | None:
    """Take a token and return how many seconds to wait for it; None if that is too long.

    The bucket is stored as the moment when it is full again: each token moves it on by the time in
    which one flows in, and any time further ahead than a whole bucket is a wait. `leave` is the
    part of the bucket that must be left.
    """
    column = "pictures_full_at" if pictures else "requests_full_at"
    each = 60.0 / _per_minute(pictures=pictures)
    bucket = max(_BURST_SECONDS, each)
    holds = max(bucket * (1.0 - leave), each) + max(0.0, patience)
    with connection.cursor() as cursor:
        cursor.execute(
            RESERVE_TURN.format(column=column), {"host": host, "each": each, "holds": holds}
        )
        row = cursor.fetchone()
    return None if row is None else max(0.0, float(row[0]) - bucket)


def _per_minute(*, pictures: bool) -> float:
    rate = max(1, int(getattr(settings, "WIKI_REQUESTS_PER_MINUTE", 60)))
    return float(rate * _PICTURES_PER_REQUEST if pictures else rate)


def _lock(connection: BaseDatabaseWrapper, host: str, name: str, *, shared: bool = False) -> bool:
    """Try to take this lock until the end of the transaction; say whether it is ours."""
    key = zlib.crc32(f"{host}#{name}".encode()) - 2**31
    how = "_shared" if shared else ""
    with connection.cursor() as cursor:
        cursor.execute(TRY_LOCK.format(shared=how), [_NAMESPACE, key])
        return bool(cursor.fetchone()[0])


def _tell(connection: BaseDatabaseWrapper, host: str, outcome: Turn, failures: int) -> None:
    with connection.cursor() as cursor:
        if not outcome.failed:
            if failures:
                cursor.execute(FORGET_FAILURES, [host])
            return
        own = min(_FIRST_PAUSE * 2.0 ** min(failures, 10), _LONGEST_OWN_PAUSE)
        seconds = min(max(own, outcome.retry_after or 0.0), _LONGEST_PAUSE)
        # Requests that were under way together and failed together count as one failure.
        cursor.execute(KEEP_FAILURE, [host, seconds, min(failures + 1, 100)])


def _gate(host: str, most: int) -> BoundedSemaphore:
    """Return the gate of this process for people (2, 3) or background work (0, one at a time)."""
    with _gates_lock:
        return _gates.setdefault((host, most), BoundedSemaphore(most or 1))


def sleep(seconds: float) -> None:
    """The one place where this module waits."""
    time.sleep(seconds)
