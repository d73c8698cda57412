"""What features add to the engine, so that the engine imports none of them.

Hooks are called in the engine's transaction and under its locks, so that an exception undoes the
whole step. Facts the engine needs before it calls a hook are SQL expressions, read together with
its own facts: a hook with nothing to do costs no statement.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from annotation.core.models.projects import StagePolicy
from annotation.core.models.work import Assignment
from annotation.extensions.parts import Demand, Follower
from annotation.extensions.registry import all_extensions


def asks_again_sql() -> str:
    """Return the condition for tasks `t` that ask for people though their question is finished."""
    return " OR ".join(rule.asks_again.string for rule in all_extensions().task_rules) or "false"


def not_for_sql(user: str) -> str:
    """Return the condition for tasks `t` that a person is never given. user: SQL for their id."""
    rules = all_extensions().task_rules
    return " OR ".join(rule.not_for.string.format(user=user) for rule in rules) or "false"


def settled_on_sql() -> str:
    """Return the id of the question with which the work of a task `t` is settled."""
    rules = all_extensions().task_rules
    return f"COALESCE({', '.join([*(rule.settled_on.string for rule in rules), 't.question_id'])})"


def list_demands() -> Sequence[Demand]:
    """Return the conditions that policies may set for taking a task."""
    return all_extensions().demands


def collect_submission_columns(policy: StagePolicy, *, active_seconds: int) -> dict[str, Any]:
    """Return the columns that every feature stores with a submission."""
    columns: dict[str, Any] = {}
    for feature in all_extensions().terms:
        columns.update(feature(policy, active_seconds=active_seconds))
    return columns


def announce_submission(assignment: Assignment, response: Any, *, now: dt.datetime) -> None:
    """Tell the features of a submission. The question and the assignment are locked."""
    for hook in all_extensions().submitted:
        hook(assignment, response, now=now)


def list_followers() -> Sequence[Follower]:
    """Return the followers of settled questions in the order they are called."""
    return all_extensions().followers
