"""Open the tasks that are ready, and change how many people a policy asks for."""

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from django.db import connection, transaction

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import states
from annotation.core.models.people import Role
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Question
from annotation.core.models.work import PRIORITY_STEP, Task
from annotation.core.refusals import Conflict
from annotation.stages import registry as stages
from annotation.work import seats
from annotation.work.statements import INSERT_TASKS, LOCK_TASKS_OF_QUESTIONS, SET_TERMS

_BATCH = 5_000


@transaction.atomic
def open_tasks(*, question_ids: Iterable[int], now: dt.datetime) -> int:
    """Make the tasks that are ready for these questions; return how many are new.

    Idempotent: existing tasks stay as they are. A stage that takes every question makes its tasks
    in one statement per 5,000 questions; any other is asked about each question.
    """
    made = 0
    ids = sorted(set(question_ids))
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        protocols = set(
            Question.objects.filter(pk__in=batch)
            .order_by()
            .values_list("project__protocol", flat=True)
            .distinct()
        )
        for protocol in protocols:
            made += _open_batch(protocol, batch, now)
    return made


def _open_batch(protocol: str, ids: Sequence[int], now: dt.datetime) -> int:
    made = 0
    asked = [stage for stage in stages.of_protocol(protocol) if not stage.every_question]
    for stage in stages.of_protocol(protocol):
        if stage.every_question:
            made += _insert(stage.key, protocol, ids, [""] * len(ids), now)
    if asked:
        questions = list(Question.objects.filter(pk__in=ids, project__protocol=protocol))
        for stage in asked:
            made += _open_units(stage, protocol, questions, now)
    return made


def _open_units(
    stage: stages.Stage, protocol: str, questions: Iterable[Question], now: dt.datetime
) -> int:
    wanted = [(question.pk, unit) for question in questions for unit in stage.tasks_for(question)]
    if not wanted:
        return 0
    return _insert(stage.key, protocol, [q for q, _ in wanted], [u for _, u in wanted], now)


def open_units(
    *, stage: str, project: Project, units: Sequence[tuple[int, str]], now: dt.datetime
) -> int:
    """Make the tasks that a stage asks for, (question id, unit); return how many are new."""
    ids, names = [question for question, _ in units], [unit for _, unit in units]
    return _insert(stage, project.protocol, ids, names, now)


def open_next(*, question: Question, protocol: str, done: str, now: dt.datetime) -> int:
    """Ask the stages that open in the question's state, but not the one that was `done`.

    Returns how many tasks are new.
    """
    return sum(
        _open_units(stage, protocol, [question], now)
        for stage in stages.of_protocol(protocol)
        if stage.opens_in == question.state and stage.key != done
    )


def open_following(
    *, changed: Mapping[int, tuple[str, str]], protocol: str, now: dt.datetime
) -> int:
    """Make the tasks of stages that begin with the states these questions came into.

    `changed` is as `seats.settle_questions` returns it. For changes that are not due to a
    submission; `handover` deals with those.
    """
    begins = {stage.opens_in for stage in stages.of_protocol(protocol) if stage.opens_in}
    return open_tasks(
        question_ids=[question for question, (_, new) in changed.items() if new in begins], now=now
    )


@dataclass(frozen=True)
class SpecialTask:
    """A task with terms of its own.

    place: where it comes among the tasks of its policy, from 0, whatever the order of questions;
    people: how many it asks for; barred: people who never get it; after: the unit of the same
    question that a person must have submitted first.
    """

    question: int
    unit: str
    place: int
    people: int
    barred: tuple[int, ...] = ()
    after: str = ""


def open_special(
    *, stage: str, project: Project, units: Sequence[SpecialTask], now: dt.datetime
) -> int:
    """Make tasks with terms of their own; return how many are new. Existing ones get the terms."""
    made = 0
    for start in range(0, len(units), _BATCH):
        batch = units[start : start + _BATCH]
        named = [(unit.question, unit.unit) for unit in batch]
        made += open_units(stage=stage, project=project, units=named, now=now)
    with connection.cursor() as cursor:
        cursor.execute(
            SET_TERMS,
            {
                "units": json.dumps([asdict(unit) for unit in units]),
                "project": project.pk,
                "stage": stage,
            },
        )
        changed = [task for (task,) in cursor.fetchall()]
    seats.recount_open_seats(changed)
    return made


def ask_no_more(*, stage: str, project: Project, units: Iterable[str]) -> None:
    """Close the free seats of tasks with terms of their own; whoever holds one keeps it."""
    special = Task.objects.filter(
        policy__project=project, policy__stage=stage, unit__in=list(units), people__isnull=False
    )
    chosen = list(
        special.order_by("pk").select_for_update(of=["self"]).values_list("pk", flat=True)
    )
    Task.objects.filter(pk__in=chosen).update(people=0)
    seats.recount_open_seats(chosen)


def _insert(
    stage: str, protocol: str, ids: Sequence[int], units: Sequence[str], now: dt.datetime
) -> int:
    """Insert tasks with the seats their policies ask for, in question order.

    The questions are picked before anything is joined: PostgreSQL keeps no statistics of tables
    as small as those of projects and policies, and from there walks every question of a project.

    FOR SHARE on the policies makes this wait for a `change_people` under way, so that no task
    is made with the old number of people. FOR KEY SHARE on the questions makes it wait for a
    `questions.prioritise` under way, and read the new priority.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            INSERT_TASKS,
            {
                "now": now,
                "ids": list(ids),
                "units": list(units),
                "stage": stage,
                "protocol": protocol,
                "first": stages.get_stage(stage).first,
                # A finished question gets no first-stage task: it was imported with accepted
                # work. One with an open concern gets it when that is decided.
                "finished": sorted(states.FINISHED),
                "step": PRIORITY_STEP,
            },
        )
        return int(cursor.rowcount)


def lock_tasks(question_ids: Iterable[int]) -> None:
    """Lock the tasks of questions against being taken, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(
            LOCK_TASKS_OF_QUESTIONS,
            [list(question_ids)],
        )


def accept_untouched(
    *, question_ids: Iterable[int], project: Project, by: User | None, now: dt.datetime
) -> None:
    """Mark untouched questions as accepted: their tasks are deleted, so no one is given them.

    Tasks with terms of their own stay: what they ask for does not depend on the question's answers.
    The caller holds the questions' locks and `lock_tasks`, and has made sure that no one has ever
    taken them.
    """
    before = dict(Question.objects.filter(pk__in=list(question_ids)).values_list("pk", "state"))
    if not before:
        return
    Task.objects.filter(question__in=before, people__isnull=True).delete()
    after = Question.State.ACCEPTED.value
    Question.objects.filter(pk__in=before).update(state=after)
    changed = {question: (state, after) for question, state in before.items()}
    seats.write_entries(seats.question_entries(changed), by=by, now=now, project=project.pk)


def _how_many(stage: stages.Stage) -> str:
    if stage.people_max == 1:
        who = str(Role(stage.role).label).lower()
        does = "decides on" if stage.decides else "gets"
        return f"One {who} {does} a question. Ask for 1 person."
    return f"Ask for 1 to {stage.people_max} people."


@transaction.atomic
def change_people(*, policy: StagePolicy, people: int, by: User | None, now: dt.datetime) -> None:
    """Ask for more or fewer people on the tasks of a policy, from now on.

    Open seats follow at once. People who hold or have submitted a task keep it: where there are
    more of them than the policy asks for, its seats stay closed until enough of them leave.
    The states of the questions are computed again. Staff only (`by=None`: the system).
    """
    if by is not None:
        check_can_manage(by, policy.project)
    stage = stages.get_stage(policy.stage)
    if not 1 <= people <= stage.people_max:
        raise Conflict(_how_many(stage))
    before = StagePolicy.objects.select_for_update(no_key=True).get(pk=policy.pk).people
    if before == people:
        return
    StagePolicy.objects.filter(pk=policy.pk).update(people=people)
    policy.people = people
    tasks = list(Task.objects.filter(policy=policy).values_list("pk", "question_id"))
    project_id, protocol = policy.project_id, policy.project.protocol
    entries = [
        seats.PendingAuditRow(
            "people_changed",
            f"stagepolicy:{policy.pk}",
            {"before": before, "after": people, "tasks": len(tasks)},
        )
    ]
    # All questions before any task: the order of locks (see seats) holds across batches, too.
    seats.lock_questions({question for _, question in tasks})
    for start in range(0, len(tasks), _BATCH):
        batch = tasks[start : start + _BATCH]
        questions = sorted({question for _, question in batch})
        changed = seats.settle_questions(questions, protocol, now=now)
        seats.recount_open_seats(task for task, _ in batch)
        open_following(changed=changed, protocol=protocol, now=now)
        entries += seats.question_entries(changed)
    seats.write_entries(entries, by=by, now=now, project=project_id)
