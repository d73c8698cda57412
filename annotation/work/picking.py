"""Put together the statements that pick a task and take a seat at it; `taking` runs them."""

from functools import cache
from typing import Any

from django.db import connection

from annotation.core.models.work import PRIORITY_STEP, Assignment
from annotation.extensions import hooks
from annotation.stages import registry as stages
from annotation.work.statements import (
    AHEAD_OF,
    BEHIND,
    CANDIDATE_TASK,
    FIND_PICKED_TASK,
    NOT_HAD,
    TAKE_PICKED_TASK,
)


def not_had_sql(*, user: str, stage: str) -> str:
    """Return NOT_HAD for this SQL of a person and a stage, with what features say of tasks."""
    return NOT_HAD.format(user=user, stage=stage, not_for=hooks.not_for_sql(user))


def had_values() -> dict[str, Any]:
    """Return the values that NOT_HAD needs, from the registered stages."""
    every = stages.list_stages()
    return {
        "once_per_question": [stage.key for stage in every if stage.once_per_question],
        "meets_others": [stage.key for stage in every if stage.meets_others],
    }


# Values of a new assignment; every other column gets the default of the model.
GIVEN = {
    "task_id": "taken.id",
    "position": "taken.position",
    "user_id": "%(user)s",
    "project_id": "%(project)s",
    "policy_id": "%(policy)s",
    "stage": "%(stage)s",
    "started_at": "%(now)s",
    "lease_ends_at": "%(until)s",
    "limit_ends_at": "%(limit)s",
    "seen_at": "%(now)s",
    "guideline_version": "%(guideline)s",
    "inputs": "%(inputs)s",
    "gold": "taken.gold",
    "used": "NOT taken.gold",
}
_FIELDS = [field for field in Assignment._meta.concrete_fields if not field.primary_key]
_COLUMNS = ", ".join(f'"{field.column}"' for field in _FIELDS)
_VALUES = ", ".join(
    f"{GIVEN.get(field.attname, f'%(new_{field.attname})s')}::{field.cast_db_type(connection)}"
    for field in _FIELDS
)
_MY_LAST = {name: f"%({name})s" for name in ("position", "slot", "task")}
# Where to look, in this order. First and last priorities have no position to continue from.
_PLACES = {
    "first": "t.position < 0",
    "ahead": f"{AHEAD_OF.format(**_MY_LAST)} AND t.position < {PRIORITY_STEP}",
    "behind": f"{BEHIND.format(**_MY_LAST)} AND t.position >= 0",
    "last": f"t.position >= {PRIORITY_STEP}",
}


def _candidate(*, only: str, where: str, lock: str) -> str:
    not_had = not_had_sql(user="%(user)s", stage="%(stage)s")
    return CANDIDATE_TASK.format(only=only, where=where, not_had=not_had, lock=lock)


def _search_everywhere(lock: str) -> str:
    parts: list[str] = []
    only = ""
    for name, where in _PLACES.items():
        parts.append(f"{name} AS ({_candidate(only=only, where=where, lock=lock)})")
        # At most one row is locked: a place is tried only when those before have nothing.
        only += f"NOT EXISTS (SELECT 1 FROM {name}) AND "  # noqa: S608 - a constant
    union = " UNION ALL ".join(f"SELECT id FROM {name}" for name in _PLACES)  # noqa: S608
    return f"{', '.join(parts)}, picked AS ({union})"


_PASSING_LOCKED = "FOR NO KEY UPDATE OF t SKIP LOCKED"
# Take the task that was found, and wait for it.
TAKE_CHOSEN_TASK = TAKE_PICKED_TASK.format(
    picked="picked AS (SELECT %(chosen)s::bigint AS id)", columns=_COLUMNS, values=_VALUES
)


@cache
def take_task_sql() -> str:
    """Return the statement that takes the next task, wherever it is."""
    picked = _search_everywhere(_PASSING_LOCKED)
    return TAKE_PICKED_TASK.format(picked=picked, columns=_COLUMNS, values=_VALUES)


@cache
def take_task_ahead_sql() -> str:
    """Return the same, ahead of the person's last task alone."""
    ahead = _candidate(only="", where=_PLACES["ahead"], lock=_PASSING_LOCKED)
    return TAKE_PICKED_TASK.format(picked=f"picked AS ({ahead})", columns=_COLUMNS, values=_VALUES)


@cache
def find_task_sql() -> str:
    """Return the statement that finds the next task, without a lock."""
    return FIND_PICKED_TASK.format(picked=_search_everywhere(""))


@cache
def column_defaults() -> dict[str, Any]:
    """Return the values of the columns that are not in GIVEN."""
    return {
        f"new_{field.attname}": field.get_db_prep_save(field.get_default(), connection)
        for field in _FIELDS
        if field.attname not in GIVEN
    }
