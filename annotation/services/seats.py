"""The seats of tasks and the states of questions, counted from their rows under their locks.

Order of locks, the same everywhere so that nobody waits in a circle: policy, question,
assignment, task (each kind by id). Whoever changes an assignment so that its seat may change
hands calls `recount` afterwards: it waits for the task's row and then counts in a fresh
statement, so that two who leave at once are both seen.
"""

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from accounts.models import User
from annotation import prepared, stages, states
from annotation.models import Assignment, Question
from annotation.services import pay

# While a question waits for validation no validation handed in before decides on it, so none of
# them keeps others from it.
_HELD_SQL = """(
    a.state IN ('active', 'parked')
    OR (a.state = 'submitted' AND a.used
        AND NOT (p.stage = %(validation)s AND q.state = %(validating)s)))"""
_HELD = {"validation": stages.VALIDATION, "validating": Question.State.VALIDATING.value}
# How many people task `t` of policy `p` on question `q` still asks for. `and_` narrows down whose
# turns hold a seat.
SEATS_SQL = f"""
    CASE WHEN q.state = ANY(%(closed)s)
           OR (p.stage = %(validation)s AND q.state <> %(validating)s)
         THEN 0
    ELSE GREATEST(p.people - (
        SELECT count(*) FROM annotation_assignment a
        WHERE a.task_id = t.id AND {_HELD_SQL} {{and_}}), 0) END"""  # noqa: S608 - a constant
SEATS_VALUES: Mapping[str, Any] = {**_HELD, "closed": sorted(states.CLOSED)}


@dataclass(frozen=True)
class Locked:
    """What was true when the question and the assignment were locked."""

    question_id: int
    question_state: str
    unit: str
    assignment_state: str
    project_state: str
    protocol: str
    has_role: bool


def lock(assignment: Assignment) -> Locked:
    """Lock the assignment and its question until the transaction ends. One statement.

    Raises Assignment.DoesNotExist when the assignment is gone.
    """
    role = stages.get(assignment.stage).role
    rows = prepared.fetch(
        """
            SELECT q.id, q.state, t.unit, a.state, p.state, p.protocol,
                   EXISTS (SELECT 1 FROM annotation_membership m WHERE m.user_id = a.user_id
                           AND m.project_id = a.project_id AND m.role = %(role)s)
            FROM annotation_question q
            JOIN annotation_task t ON t.question_id = q.id
            JOIN annotation_assignment a ON a.task_id = t.id
            JOIN annotation_project p ON p.id = a.project_id
            WHERE a.id = %(assignment)s
            FOR NO KEY UPDATE OF q, a
        """,
        {"role": role, "assignment": assignment.pk},
    )
    if not rows:
        raise Assignment.DoesNotExist(f"Assignment {assignment.pk} is gone.")
    return Locked(*rows[0])


def lock_questions(question_ids: Iterable[int]) -> None:
    """Lock questions, in id order."""
    list(
        Question.objects.select_for_update(no_key=True)
        .filter(pk__in=list(question_ids))
        .order_by("pk")
        .values_list("pk", flat=True)
    )


def recount(task_ids: Iterable[int]) -> None:
    """Set the open seats of tasks from who holds and has submitted them. Two statements.

    Never below 0: after a policy asks for fewer people than hold a task, its seats stay closed
    until enough of them leave.
    """
    ids = sorted(set(task_ids))
    if not ids:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM annotation_task WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE",
            [ids],
        )
        cursor.execute(
            f"""
            UPDATE annotation_task t SET seats = f.seats
            FROM (SELECT t.id, {SEATS_SQL.format(and_="")} AS seats
                  FROM annotation_task t
                  JOIN annotation_stagepolicy p ON p.id = t.policy_id
                  JOIN annotation_question q ON q.id = t.question_id
                  WHERE t.id = ANY(%(tasks)s)) f
            WHERE f.id = t.id AND t.seats <> f.seats
            """,  # noqa: S608 - a constant of this module
            {**SEATS_VALUES, "tasks": ids},
        )


def seat_is_free(task_id: int) -> bool:
    """Lock the task and say whether one more person fits in, also where its seats are closed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM annotation_task WHERE id = %s FOR NO KEY UPDATE", [task_id])
    return has_room(task_id)


def has_room(task_id: int) -> bool:
    """Say the same as it looks now, without a lock: for showing, not for deciding."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT p.people > (SELECT count(*) FROM annotation_assignment a
                               WHERE a.task_id = t.id AND {_HELD_SQL})
            FROM annotation_task t
            JOIN annotation_stagepolicy p ON p.id = t.policy_id
            JOIN annotation_question q ON q.id = t.question_id
            WHERE t.id = %(task)s
            """,  # noqa: S608 - a constant of this module
            {**_HELD, "task": task_id},
        )
        row = cursor.fetchone()
    return bool(row and row[0])


def settle_questions(
    question_ids: Sequence[int], protocol: str, *, now: dt.datetime
) -> dict[int, tuple[str, str]]:
    """Run `question_state` on questions that are locked, and store what changed.

    Returns {question id: (old, new)}. Where a question closed or opened again, the seats of all
    its tasks are counted anew; where it began or ceased to wait for validation, those of that
    stage. Stages that had decided are told when answering goes on. Questions without a task of
    the protocol's first stage keep their state: they came in finished. Last, the pay ledger gets
    what all this is worth.
    """
    first = stages.first_of(protocol)
    if first is None or not question_ids:
        return {}
    facts_of = _facts(question_ids, first.key)
    # Only a question that has all its answers can be decided; most submissions are not the last.
    full = {row[0]: bool(row[5]) for row in facts_of if row[3] >= row[2]}
    decided: dict[int, str] = {}
    for stage in stages.of_protocol(protocol) if full else ():
        if not stage.first:
            decided.update(stage.decisions(full))
    ruled: dict[int, str] = {}
    for stage in stages.of_protocol(protocol):
        if isinstance(stage, stages.RulesOut):
            ruled.update(stage.ruled(question_ids))
    changed: dict[int, tuple[str, str]] = {}
    paid: list[int] = []
    credited: list[int] = []
    for question_id, old, *counts in facts_of:
        required, submitted, skipped, validates, is_paid, pays_accepted = counts
        facts = states.Facts(
            required,
            submitted,
            skipped,
            validates,
            decided.get(question_id),
            ruled.get(question_id),
        )
        new = states.question_state(facts)
        if new != old:
            changed[question_id] = (old, new)
        if is_paid:
            paid.append(question_id)
        if pays_accepted and new in states.FINISHED:
            credited.append(question_id)
    _store(changed)
    again = [
        pk
        for pk, (old, new) in changed.items()
        if old in states.DECIDED and new in states.ANSWERING
    ]
    for stage in stages.of_protocol(protocol) if again else ():
        stage.reopened(again, now=now)
    if paid:
        pay.settle(question_ids=paid, decided=credited, protocol=protocol, now=now)
    return changed


def _facts(question_ids: Sequence[int], stage: str) -> list[tuple[Any, ...]]:
    return prepared.fetch(
        """
            SELECT q.id, q.state, p.people,
                   sum(a.submitted)::int, sum(a.skipped)::int,
                   EXISTS (SELECT 1 FROM annotation_stagepolicy v
                           WHERE v.project_id = q.project_id AND v.split = q.split
                             AND v.stage = %(validation)s),
                   bool_or(m.paid), bool_or(m.pays_accepted)
            FROM annotation_question q
            JOIN annotation_task t ON t.question_id = q.id
            JOIN annotation_stagepolicy p ON p.id = t.policy_id AND p.stage = %(stage)s
            CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE state = 'submitted' AND used) AS submitted,
                       count(*) FILTER (WHERE state = 'skipped') AS skipped
                FROM annotation_assignment WHERE task_id = t.id
            ) a
            LEFT JOIN LATERAL (
                SELECT coalesce(bool_or(w.pay <> 0 OR w.pay_accepted <> 0 OR EXISTS (
                           SELECT 1 FROM annotation_payentry e WHERE e.assignment_id = w.id)),
                           false) AS paid,
                       coalesce(bool_or(w.pay_accepted <> 0), false) AS pays_accepted
                FROM annotation_task mt JOIN annotation_assignment w ON w.task_id = mt.id
                WHERE mt.question_id = q.id
            ) m ON true
            WHERE q.id = ANY(%(questions)s)
            GROUP BY q.id, p.id
        """,
        {"validation": stages.VALIDATION, "stage": stage, "questions": list(question_ids)},
    )


def _store(changed: Mapping[int, tuple[str, str]]) -> None:
    by_move: dict[tuple[str, str], list[int]] = {}
    for question_id, move in changed.items():
        by_move.setdefault(move, []).append(question_id)
    turned: list[int] = []
    validated: list[int] = []
    for (old, new), ids in by_move.items():
        prepared.fetch(
            """
            UPDATE annotation_question SET state = %(new)s
            WHERE id = ANY(%(ids)s::bigint[]) AND state = %(old)s RETURNING id
            """,
            {"new": new, "ids": ids, "old": old},
        )
        if (old in states.CLOSED) != (new in states.CLOSED):
            turned += ids
        elif Question.State.VALIDATING in (old, new):
            validated += ids
    if turned or validated:
        with connection.cursor() as cursor:
            cursor.execute(
                """
                SELECT t.id FROM annotation_task t
                JOIN annotation_stagepolicy p ON p.id = t.policy_id
                WHERE t.question_id = ANY(%s) OR (t.question_id = ANY(%s) AND p.stage = %s)
                """,
                [turned, validated, stages.VALIDATION],
            )
            tasks = [row[0] for row in cursor.fetchall()]
        recount(tasks)


# --- audit rows of one transaction, written in one statement -----------------------------------


@dataclass(frozen=True)
class Entry:
    """An audit row to be written."""

    action: str
    target: str
    data: Mapping[str, Any]


def write_entries(
    entries: Sequence[Entry], *, by: User | None, now: dt.datetime, project: int
) -> None:
    """Write the audit rows of one decision, in one statement."""
    prepared.fetch(
        """
        INSERT INTO annotation_auditentry (at, actor, project, action, target, data)
        SELECT %(now)s::timestamptz, %(by)s::bigint, %(project)s::bigint,
               e.action, e.target, e.data::jsonb
        FROM unnest(%(actions)s::text[], %(targets)s::text[], %(data)s::text[])
             AS e (action, target, data)
        RETURNING id
        """,
        {
            "now": now,
            "by": by.pk if by else None,
            "project": project,
            "actions": [each.action for each in entries],
            "targets": [each.target for each in entries],
            "data": [json.dumps(each.data) for each in entries],
        },
    )


def question_entries(changed: Mapping[int, tuple[str, str]]) -> list[Entry]:
    """Return the audit rows of `settle_questions`."""
    return [
        Entry("question_state", f"question:{question_id}", {"before": old, "after": new})
        for question_id, (old, new) in changed.items()
    ]
