"""What features add to the engine, so that the engine imports none of them.

A feature registers in the `ready()` of its app, and is called in the order of registration: in
the engine's transaction and under its locks, so that an exception undoes the whole step. Facts the
engine needs before it calls a hook are SQL expressions, read together with its own facts: a hook
with nothing to do costs no statement.
"""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from annotation.core.models.projects import StagePolicy
from annotation.core.models.work import Assignment
from annotation.core.refusals import Denied


@dataclass(frozen=True)
class Demand:
    """A condition that a policy may set for the people who take its tasks.

    missing: SQL on policy `p` and `%(user)s`: a number if the person does not meet it, else NULL;
    refusal: given that number, the text for a person who has no other work.
    """

    missing: str
    refusal: Callable[[int], Denied]


class Terms(Protocol):
    """Returns columns to store on the assignment of a submission made now, such as its pay."""

    def __call__(self, policy: StagePolicy, /, *, active_seconds: int) -> Mapping[str, Any]: ...


class Submitted(Protocol):
    """Called with each submission once it is written, before its question is settled."""

    def __call__(self, assignment: Assignment, response: Any, /, *, now: dt.datetime) -> object: ...


class Settled(NamedTuple):
    """A question whose state was computed again, with the fact that a follower asked for."""

    question_id: int
    before: str
    state: str
    fact: Any


class Follow(Protocol):
    """Called with the questions whose fact is not NULL. Their locks are held."""

    def __call__(
        self, questions: Sequence[Settled], /, *, protocol: str, now: dt.datetime
    ) -> object: ...


@dataclass(frozen=True)
class Follower:
    """Acts when the state of questions is computed again, whether it changed or not.

    fact: SQL on question `q`, NULL where the question does not concern it.
    """

    follow: Follow
    fact: str = "true"


_demands: list[Demand] = []
_terms: list[Terms] = []
_submitted: list[Submitted] = []
_followers: list[Follower] = []


def before_taking(demand: Demand) -> None:
    """Register a condition for taking a task."""
    _demands.append(demand)


def on_submitting(terms: Terms) -> None:
    """Register columns to store with each submission."""
    _terms.append(terms)


def after_submitting(hook: Submitted) -> None:
    """Register what has to happen with a submission."""
    _submitted.append(hook)


def on_settling(follower: Follower, *, first: bool = False) -> None:
    """Register a follower of the questions that are settled.

    `first`: call it before those already registered, if these depend on what it writes.
    """
    _followers.insert(0 if first else len(_followers), follower)


def demands() -> Sequence[Demand]:
    """Return the registered demands."""
    return _demands


def terms(policy: StagePolicy, *, active_seconds: int) -> dict[str, Any]:
    """Return the columns that every feature stores with a submission."""
    columns: dict[str, Any] = {}
    for feature in _terms:
        columns.update(feature(policy, active_seconds=active_seconds))
    return columns


def submitted(assignment: Assignment, response: Any, *, now: dt.datetime) -> None:
    """Tell the features of a submission. The question and the assignment are locked."""
    for hook in _submitted:
        hook(assignment, response, now=now)


def followers() -> Sequence[Follower]:
    """Return the followers in the order they are called."""
    return _followers
