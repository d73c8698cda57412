"""The statements that pick a task and take a seat at it; `taking` runs them."""

from functools import cache
from typing import Any

from django.db import connection

from annotation.core.models.work import PRIORITY_STEP, Assignment
from annotation.stages import registry as stages

# People get no task twice, and no question on which they worked in another stage, unless the stage
# says that it meets others: authors of an answer do not validate it, and people who have seen the
# answers do not write one. Some stages give a person each question once, however many tasks it has.
# A task may also bar people, or be for those alone who have done another one (`Task.after`). Nobody
# gets a gold item whose content they have met where it was taken from. The lists of ready work use
# this condition, too.
NOT_HAD = """{user} <> ALL(t.barred)
    AND (t.after_id IS NULL OR EXISTS (
        SELECT 1 FROM annotation_assignment done WHERE done.task_id = t.after_id
          AND done.user_id = {user} AND done.state = 'submitted'))
    AND NOT EXISTS (
    SELECT 1 FROM annotation_task same JOIN annotation_assignment mine ON mine.task_id = same.id
    WHERE same.question_id = t.question_id AND mine.user_id = {user}
      AND (mine.task_id = t.id
           OR CASE WHEN mine.stage = {stage} THEN {stage} = ANY(%(once_per_question)s::text[])
              ELSE {stage} <> ALL(%(meets_others)s::text[]) END))
    AND NOT (t.gold AND EXISTS (
        SELECT 1 FROM annotation_golditem item
        JOIN annotation_task source
          ON source.question_id = item.origin_id AND source.unit = item.origin_unit
        JOIN annotation_assignment met ON met.task_id = source.id
        WHERE item.task_id = t.id AND met.user_id = {user}))"""
_NOT_HAD_BY_ME = NOT_HAD.format(user="%(user)s", stage="%(stage)s")


def had_values() -> dict[str, Any]:
    """Return the values that NOT_HAD needs, from the registered stages."""
    every = stages.list_stages()
    return {
        "once_per_question": [stage.key for stage in every if stage.once_per_question],
        "meets_others": [stage.key for stage in every if stage.meets_others],
    }


# The place of task `t` among those of its position, as the index task_open_by_position has it.
SLOT = "COALESCE(t.slot, t.id)"
_CANDIDATE = f"""
    SELECT t.id FROM annotation_task t
    WHERE {{only}} t.policy_id = %(policy)s AND t.seats > 0 AND {{where}}
      AND {_NOT_HAD_BY_ME}
    ORDER BY t.position, {SLOT}, t.id LIMIT 1 {{lock}}
"""  # noqa: S608 - constants of this module
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
# Pick, take the seat, begin the assignment and write the audit row: one statement, so that
# nothing can happen in between. The seat is an UPDATE that must change the row it picked.
_TAKE = """
    WITH {picked},
    taken AS (
        UPDATE annotation_task t SET seats = t.seats - 1 FROM picked
        WHERE t.id = picked.id AND t.seats > 0 RETURNING t.id, t.position, t.gold),
    made AS (
        INSERT INTO annotation_assignment ({columns}) SELECT {values} FROM taken RETURNING *),
    logged AS (
        INSERT INTO annotation_auditentry (at, actor, project, action, target, data)
        SELECT %(now)s::timestamptz, %(user)s::bigint, %(project)s::bigint, 'assignment_taken',
               'assignment:' || id, jsonb_build_object('task', task_id) FROM made)
    SELECT id, task_id, position, gold, started_at, lease_ends_at FROM made
"""


# Gold items are not given out of their order: whoever came back to them would know them by that.
AHEAD_OF = f"(t.position, {SLOT}, t.id) > ({{position}}, {{slot}}, {{task}})"
BEHIND = f"""(t.position, {SLOT}, t.id) <= ({{position}}, {{slot}}, {{task}})
    AND NOT (t.gold AND t.position BETWEEN 0 AND {PRIORITY_STEP} - 1)"""
_MINE = {name: f"%({name})s" for name in ("position", "slot", "task")}
# Where to look, in this order. First and last priorities have no position to continue from.
_PLACES = {
    "first": "t.position < 0",
    "ahead": f"{AHEAD_OF.format(**_MINE)} AND t.position < {PRIORITY_STEP}",
    "behind": f"{BEHIND.format(**_MINE)} AND t.position >= 0",
    "last": f"t.position >= {PRIORITY_STEP}",
}


def _found(lock: str) -> str:
    parts: list[str] = []
    only = ""
    for name, where in _PLACES.items():
        parts.append(f"{name} AS ({_CANDIDATE.format(only=only, where=where, lock=lock)})")
        # At most one row is locked: a place is tried only when those before have nothing.
        only += f"NOT EXISTS (SELECT 1 FROM {name}) AND "  # noqa: S608 - a constant
    union = " UNION ALL ".join(f"SELECT id FROM {name}" for name in _PLACES)  # noqa: S608
    return f"{', '.join(parts)}, picked AS ({union})"


_SKIP = "FOR NO KEY UPDATE OF t SKIP LOCKED"
SKIPPING = _TAKE.format(picked=_found(_SKIP), columns=_COLUMNS, values=_VALUES)
AHEAD = _TAKE.format(
    picked=f"picked AS ({_CANDIDATE.format(only='', where=_PLACES['ahead'], lock=_SKIP)})",
    columns=_COLUMNS,
    values=_VALUES,
)
LOOK = f"WITH {_found('')} SELECT id FROM picked"  # noqa: S608 - constants of this module
THIS_ONE = _TAKE.format(
    picked="picked AS (SELECT %(chosen)s::bigint AS id)", columns=_COLUMNS, values=_VALUES
)


@cache
def column_defaults() -> dict[str, Any]:
    """Return the values of the columns that are not in GIVEN."""
    return {
        f"new_{field.attname}": field.get_db_prep_save(field.get_default(), connection)
        for field in _FIELDS
        if field.attname not in GIVEN
    }
