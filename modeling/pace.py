"""How fast a run is: what a model has written so far, and how long the rest will take.

Engines say after each step what they have written (`report_tokens`), in the thread that asked
them. This module loads nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Thread

Listener = Callable[[int], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Tell `listener` how many tokens are written in this thread. What it raises ends the model."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report_tokens(tokens: int) -> None:
    """Say that a model has written this many tokens more."""
    if listener := _listener.get():
        listener(tokens)


class WritingPace:
    """How far a model is with the questions in hand."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin with the next questions."""
        self._tokens, self._begun = 0, time.monotonic()
        self._first = self._begun

    def add(self, tokens: int) -> None:
        """Count what is written."""
        if not self._tokens:
            self._first = time.monotonic()
        self._tokens += tokens

    def __str__(self) -> str:
        """Say it in words, such as “57 tokens of the next answer, 4 a second”."""
        now = time.monotonic()
        if not self._tokens:  # it is loaded, or reads
            return f"{now - self._begun:,.0f} s on the next answer"
        seconds = now - self._first
        speed = f", {self._tokens / seconds:,.1f} a second" if seconds >= 1 else ""
        return f"{self._tokens:,} token{'s' if self._tokens > 1 else ''} of the next answer{speed}"


@contextmanager
def call_regularly(call: Callable[[], object], every: float) -> Iterator[None]:
    """Call every few seconds, from another thread, while this one waits for a model."""
    over = Event()

    def tick() -> None:
        while not over.wait(every):
            call()

    thread = Thread(target=tick, name="pace", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def in_words(done: int, total: int, seconds: float, workers: int = 1) -> str:
    """Return the pace of a run that has answered `done` questions, and about what is left.

    seconds: what they took, those of all workers together. "" where nothing is known yet.
    """
    if not (done and seconds > 0):
        return ""
    each = seconds / done
    pace = f"{each:,.0f} s a question" if each >= 1 else f"{1 / each:,.0f} questions a second"
    left = max(total - done, 0) * each / max(workers, 1)
    return f"{pace}, about {describe_duration(left)} left"


def describe_duration(seconds: float) -> str:
    """Return a time to go in seconds, minutes or hours."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:,.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes / 60:,.1f} h"
