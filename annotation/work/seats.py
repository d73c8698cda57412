"""The seats of tasks and the states of questions, computed from their rows under their locks.

Order of locks, the same everywhere to avoid deadlocks: policy, question, assignment, task (each
kind by id). Code that changes an assignment so that its seat may become free calls
`recount_open_seats` afterwards: it waits for the task's row and then counts in a fresh statement,
so that two people who leave at once are both counted.
"""

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection

from accounts import prepared_statements
from accounts.models import User
from annotation.core import states
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment, Task
from annotation.extensions import hooks
from annotation.extensions.parts import SettledQuestion
from annotation.stages import registry as stages
from annotation.work.statements import (
    HAS_ROOM,
    LOCK_ASSIGNMENT,
    LOCK_TASK,
    LOCK_TASKS,
    OPEN_SEATS,
    QUESTION_FACTS,
    RECOUNT_OPEN_SEATS,
    STORE_STATES,
    UNTOUCHED_FACTS,
    WRITE_AUDIT_ROWS,
)


def seats_sql(and_: str = "") -> str:
    """Return OPEN_SEATS with what features say of tasks of their own."""
    return OPEN_SEATS.format(asks_again=hooks.asks_again_sql(), and_=and_)


def seats_values() -> dict[str, Any]:
    """Return the values that OPEN_SEATS needs, from the registered stages."""
    return {
        "opens_in": json.dumps({key: state for key, state in _opens_in().items() if state}),
        "decides": [stage.key for stage in stages.list_stages() if stage.decides],
        "closed": sorted(states.CLOSED),
    }


def _opens_in() -> dict[str, str]:
    return {stage.key: stage.opens_in for stage in stages.list_stages()}


@dataclass(frozen=True)
class LockedFacts:
    """The facts at the moment when the question and the assignment were locked."""

    question_id: int
    question_state: str
    unit: str
    assignment_state: str
    project_state: str
    protocol: str
    has_role: bool


def lock_assignment(assignment: Assignment) -> LockedFacts:
    """Lock the assignment and its question until the transaction ends. One statement.

    Raises Assignment.DoesNotExist when the assignment is gone.
    """
    stage = stages.get_stage(assignment.stage)
    rows = prepared_statements.fetch_rows(
        LOCK_ASSIGNMENT,
        {
            "roles": [stage.role, *stage.finished_by],
            "assignment": assignment.pk,
        },
    )
    if not rows:
        raise Assignment.DoesNotExist(f"Assignment {assignment.pk} is gone.")
    return LockedFacts(*rows[0])


def lock_questions(question_ids: Iterable[int]) -> None:
    """Lock questions, in id order."""
    list(
        Question.objects.select_for_update(no_key=True)
        .filter(pk__in=list(question_ids))
        .order_by("pk")
        .values_list("pk", flat=True)
    )


def recount_open_seats(task_ids: Iterable[int]) -> None:
    """Set the open seats of tasks by counting held and submitted ones. Two statements.

    Never negative: when a policy asks for fewer people than hold a task, its seats stay closed
    until enough of them leave.
    """
    ids = sorted(set(task_ids))
    if not ids:
        return
    prepared_statements.fetch_rows(
        LOCK_TASKS,
        {"tasks": ids},
    )
    prepared_statements.fetch_rows(
        RECOUNT_OPEN_SEATS.format(seats=seats_sql()),
        {**seats_values(), "tasks": ids},
    )


def seat_is_free(task_id: int) -> bool:
    """Lock the task; return whether one more person fits, even if its seats are closed."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_TASK, [task_id])
    return has_room(task_id)


def has_room(task_id: int) -> bool:
    """Return the same without a lock: for display, not for decisions."""
    with connection.cursor() as cursor:
        cursor.execute(
            HAS_ROOM,
            {**seats_values(), "task": task_id},
        )
        row = cursor.fetchone()
    return bool(row and row[0])


def is_held_back(task_id: int, now: dt.datetime) -> bool:
    """Whether somebody changes what the task is about, so that no one is given it."""
    return Task.objects.filter(pk=task_id, held_until__gt=now).exists()


def settle_questions(
    question_ids: Sequence[int], protocol: str, *, now: dt.datetime
) -> dict[int, tuple[str, str]]:
    """Run `question_state` on locked questions, and store changed states.

    Returns {question id: (old, new)}. Where a question closed or opened again, the seats of all
    its tasks are counted again; where it entered or left a state that stages open in, those of
    these stages. Stages that had decided are told when answering resumes. Questions without a task
    of the protocol's first stage keep their state: they were imported as finished work. Last, the
    features that follow are told, of these questions, too.
    """
    first = stages.first_of(protocol)
    if first is None or not question_ids:
        return {}
    rows = _facts(question_ids, first.key, protocol)
    after = _states_of(rows, protocol)
    changed = {
        row.question: (row.state, after[row.question])
        for row in rows
        if row.state != after[row.question]
    }
    _store(changed, protocol)
    again = [
        pk
        for pk, (old, new) in changed.items()
        if old in states.DECIDED and new in states.ANSWERING
    ]
    for stage in stages.of_protocol(protocol) if again else ():
        stage.reopen_questions(again, now=now)
    settled = [(row.question, row.state, after[row.question], row.followed) for row in rows]
    settled += _untouched(set(question_ids) - set(after))
    for at, follower in enumerate(hooks.list_followers()):
        concerned = [
            SettledQuestion(question, before, now_in, followed[at])
            for question, before, now_in, followed in settled
            if followed[at] is not None
        ]
        if concerned:
            follower.follow(concerned, protocol=protocol, now=now)
    return changed


@dataclass(frozen=True)
class _QuestionRow:
    """A question with the facts that decide its state.

    asked: the stages with a policy for its split; followed: the fact that each follower asked for.
    """

    question: int
    state: str
    facts: states.QuestionFacts
    asked: Sequence[str]
    followed: Sequence[Any]


def _facts(question_ids: Sequence[int], stage: str, protocol: str) -> list[_QuestionRow]:
    followed = "".join(f", {each.fact.string}" for each in hooks.list_followers())
    rows = prepared_statements.fetch_rows(
        QUESTION_FACTS.format(ruled=stages.ruled_sql(protocol), followed=followed),
        {"stage": stage, "questions": list(question_ids)},
    )
    return [
        _QuestionRow(
            question,
            state,
            states.QuestionFacts(
                people, submitted, skipped, then=_then(protocol, asked), ruled=ruled
            ),
            asked,
            followed,
        )
        for question, state, people, submitted, skipped, asked, ruled, *followed in rows
    ]


def _untouched(question_ids: Iterable[int]) -> list[tuple[int, str, str, Sequence[Any]]]:
    """Return questions that keep their state, with it twice and the facts asked for."""
    ids = sorted(question_ids)
    if not ids:
        return []
    facts = "".join(f", {each.fact.string}" for each in hooks.list_followers())
    rows = prepared_statements.fetch_rows(
        UNTOUCHED_FACTS.format(followed=facts),
        {"questions": ids},
    )
    return [(question, state, state, followed) for question, state, *followed in rows]


def _states_of(rows: Sequence[_QuestionRow], protocol: str) -> dict[int, str]:
    """Return the state of each question, asking the stages what they have decided."""
    # Only a question with all its answers can be decided; most submissions are not the last.
    full = [row for row in rows if row.facts.complete]
    decided: dict[int, str] = {}
    for stage in stages.of_protocol(protocol) if full else ():
        if not stage.first:
            decided.update(
                stage.decide_states({row.question: stage.key in row.asked for row in full})
            )
    return {
        row.question: states.question_state(replace(row.facts, decided=decided.get(row.question)))
        for row in rows
    }


def _then(protocol: str, asked: Sequence[str]) -> str:
    """Return the state after K of K answers: that of the first of these stages it waits for."""
    waits = (
        stage.opens_in
        for stage in stages.of_protocol(protocol)
        if stage.key in asked and stage.opens_in and stage.opens_in not in states.FINISHED
    )
    return next(waits, Question.State.ACCEPTED.value)


def _store(changed: Mapping[int, tuple[str, str]], protocol: str) -> None:
    """Store states that differ, then count the seats of the tasks that this opens or closes.

    The first statement returns these tasks: all of a question that closed or opened again, else
    those of stages that open in its old or its new state.
    """
    if not changed:
        return
    opens_in = {stage.key: stage.opens_in for stage in stages.of_protocol(protocol)}
    tasks = prepared_statements.fetch_rows(
        STORE_STATES,
        {
            "ids": list(changed),
            "old": [old for old, _ in changed.values()],
            "new": [new for _, new in changed.values()],
            "closed": sorted(states.CLOSED),
            "opens_in": json.dumps(opens_in),
        },
    )
    recount_open_seats(task for (task,) in tasks)


# --- audit rows of one transaction, written in one statement -----------------------------------


@dataclass(frozen=True)
class PendingAuditRow:
    """An audit row to be written."""

    action: str
    target: str
    data: Mapping[str, Any]


def write_entries(
    entries: Sequence[PendingAuditRow], *, by: User | None, now: dt.datetime, project: int
) -> None:
    """Write the audit rows of one decision, in one statement."""
    prepared_statements.fetch_rows(
        WRITE_AUDIT_ROWS,
        {
            "now": now,
            "by": by.pk if by else None,
            "project": project,
            "actions": [entry.action for entry in entries],
            "targets": [entry.target for entry in entries],
            "data": [json.dumps(entry.data) for entry in entries],
        },
    )


def question_entries(changed: Mapping[int, tuple[str, str]]) -> list[PendingAuditRow]:
    """Return the audit rows of `settle_questions`."""
    return [
        PendingAuditRow("question_state", f"question:{question_id}", {"before": old, "after": new})
        for question_id, (old, new) in changed.items()
    ]
