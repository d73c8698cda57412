"""Outcomes of submissions, asked of the floor above that decides on them."""

import datetime as dt
from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from accounts.models import User

# Assignment -> its label, and its tone ("success", "warning", "error" or "").
Told = Mapping[int, tuple[str, str]]
_tell: list[Callable[[User, Collection[int]], Told]] = []


class Tally(Protocol):
    """Counts a person's submissions since a time: with a result, and accepted."""

    def __call__(self, user: User, *, since: dt.datetime) -> tuple[int, int]: ...


_tallies: list[Tally] = []


def register(tell: Callable[[User, Collection[int]], Told], tally: Tally) -> None:
    """Register a source of outcomes: `tell(user, assignments)` returns those with a result."""
    _tell.append(tell)
    _tallies.append(tally)


def accepted_since(user: User, since: dt.datetime) -> tuple[int, int]:
    """Return how many submissions since then have a result, and how many of these are accepted."""
    counts = [tally(user, since=since) for tally in _tallies]
    return sum(decided for decided, _ in counts), sum(accepted for _, accepted in counts)


def outcomes(user: User, assignments: Collection[int]) -> dict[int, tuple[str, str]]:
    """Return the outcome of a person's own submissions, for those whose stage has results."""
    told: dict[int, tuple[str, str]] = {}
    for tell in _tell:
        told |= tell(user, assignments)
    return told
