"""What features add to the engine, so that the engine imports none of them.

A feature registers in the `ready()` of its app, and is called in the order of registration: in
the engine's transaction and under its locks, so that what it raises undoes the whole step.
What the engine has to know before it calls anybody is an SQL expression, read together with the
engine's own facts: a hook costs no statement where it has nothing to do.
"""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from annotation.models import StagePolicy
from annotation.policies.base import Denied


@dataclass(frozen=True)
class Demand:
    """Something a policy may demand of whoever takes its tasks.

    missing: SQL on policy `p` and `%(user)s`: a number where the person lacks it, else NULL;
    refusal: what somebody reads for whom there is no other work, given that number.
    """

    missing: str
    refusal: Callable[[int], Denied]


class Terms(Protocol):
    """Says what a submission made now is worth, as columns of the assignment."""

    def __call__(self, policy: StagePolicy, /, *, active_seconds: int) -> Mapping[str, Any]: ...


class Settled(NamedTuple):
    """A question whose state was worked out again, with what a follower wanted to know of it."""

    question_id: int
    before: str
    state: str
    fact: Any


class Follow(Protocol):
    """Hears of the questions whose fact is not NULL. Their locks are held."""

    def __call__(
        self, questions: Sequence[Settled], /, *, protocol: str, now: dt.datetime
    ) -> object: ...


@dataclass(frozen=True)
class Follower:
    """Acts when the state of questions is worked out again, whether it changed or not.

    fact: SQL on question `q`, NULL where the question does not concern it.
    """

    follow: Follow
    fact: str = "true"


_demands: list[Demand] = []
_terms: list[Terms] = []
_followers: list[Follower] = []


def before_taking(demand: Demand) -> None:
    """Ask this of whoever takes a task."""
    _demands.append(demand)


def on_submitting(terms: Terms) -> None:
    """Store these columns with each submission."""
    _terms.append(terms)


def on_settling(follower: Follower, *, first: bool = False) -> None:
    """Tell this follower of the questions that are settled.

    `first`: before those that are there already, where these build on what it writes.
    """
    _followers.insert(0 if first else len(_followers), follower)


def demands() -> Sequence[Demand]:
    """Return what policies may demand."""
    return _demands


def terms(policy: StagePolicy, *, active_seconds: int) -> dict[str, Any]:
    """Return the columns that every feature stores with a submission."""
    columns: dict[str, Any] = {}
    for feature in _terms:
        columns.update(feature(policy, active_seconds=active_seconds))
    return columns


def followers() -> Sequence[Follower]:
    """Return who follows the settling of questions."""
    return _followers
