"""Change the split and priority of imported questions."""

import datetime as dt
from collections.abc import Collection

from django.db import connection, transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.models.projects import Project
from annotation.core.models.questions import Priority, Question, Split
from annotation.core.models.work import PRIORITY_STEP, Assignment, Task
from annotation.core.refusals import Conflict
from annotation.golds.models import GoldItem
from annotation.imports.opening import is_closed
from annotation.questions.statements import LOCK_POLICIES
from annotation.stages import registry as stages
from annotation.work import seats, tasks

MOST = 5000


@transaction.atomic
def move_questions(
    *, project: Project, question_ids: Collection[int], split: str, by: User, now: dt.datetime
) -> int:
    """Move questions to another split; return how many were moved.

    All or none: raises Conflict where anyone has had one of them, because tasks and pay depend on
    the split. Locks policies, questions, tasks, in the order of `seats`.
    """
    check_can_manage(by, project)
    if split not in Split.values:
        raise Conflict("Choose the split to move them to.")
    _check_number(question_ids)
    with connection.cursor() as cursor:
        cursor.execute(LOCK_POLICIES, [project.pk])
    own = Question.objects.filter(project=project, pk__in=list(question_ids))
    locked = own.select_for_update(no_key=True).order_by("pk").values_list("pk", "split")
    before = {pk: old for pk, old in locked if old != split}
    if not before:
        raise Conflict(f"Every question you chose is in {split} already. Nothing was changed.")
    tasks.lock_tasks(before)
    _check_untouched(project, before)
    closed = Question.objects.filter(is_closed(project), pk__in=before)
    opened = before.keys() - set(closed.values_list("pk", flat=True))
    Task.objects.filter(question__in=before).delete()
    Question.objects.filter(pk__in=before).update(split=split)
    tasks.open_tasks(question_ids=opened, now=now)
    # A question that is not handed out gets tasks without seats.
    seats.recount_open_seats(Task.objects.filter(question__in=before).values_list("pk", flat=True))
    entries = [
        seats.PendingAuditRow("question_moved", f"question:{pk}", {"before": old, "after": split})
        for pk, old in before.items()
    ]
    seats.write_entries(entries, by=by, now=now, project=project.pk)
    return len(before)


@transaction.atomic
def prioritise_questions(
    *, project: Project, question_ids: Collection[int], priority: str, by: User, now: dt.datetime
) -> int:
    """Hand questions out first, last or in the order of import; return how many changed.

    `priority` is a name of Priority. It counts within a split, for tasks that are open and for
    those opened later. People who hold one of the questions keep it. Locks questions, then
    tasks; FOR UPDATE, so that `tasks.open_tasks` waits.
    """
    check_can_manage(by, project)
    if priority not in Priority.names:
        raise Conflict("Choose when to hand them out.")
    _check_number(question_ids)
    chosen = Priority[priority]
    own = Question.objects.filter(project=project, pk__in=list(question_ids))
    locked = own.select_for_update().order_by("pk").values_list("pk", "priority")
    before = {pk: Priority(old) for pk, old in locked if old != chosen}
    if not before:
        raise Conflict(
            f"The priority of every question you chose is “{chosen.label}” already. Nothing was "
            "changed."
        )
    Question.objects.filter(pk__in=before).exclude(priority=chosen).update(priority=chosen)
    tasks.lock_tasks(before)
    # Tasks with terms of their own have an order of their own; gold items go with their host.
    host = Subquery(GoldItem.objects.filter(task=OuterRef("pk")).values("host__question"))
    moved = Q(question__in=before, gold=False) | Q(gold_item__host__question__in=before)
    Task.objects.filter(moved, people__isnull=True).update(
        position=Coalesce(host, F("question_id")) + PRIORITY_STEP * chosen.value
    )
    entries = [
        seats.PendingAuditRow(
            "question_priority",
            f"question:{pk}",
            {"before": str(old.label).lower(), "after": str(chosen.label).lower()},
        )
        for pk, old in before.items()
    ]
    seats.write_entries(entries, by=by, now=now, project=project.pk)
    return len(before)


def _check_number(question_ids: Collection[int]) -> None:
    if not question_ids:
        raise Conflict("Choose at least one question.")
    if len(question_ids) > MOST:
        raise Conflict(f"Choose at most {MOST:,} questions at a time.")


def _check_untouched(project: Project, question_ids: Collection[int]) -> None:
    """Raise Conflict where someone has had a question, or another stage has tasks for it."""
    first = stages.first_of(project.protocol)
    worked = set(
        Assignment.objects.filter(task__question__in=question_ids).values_list(
            "task__question", flat=True
        )
    )
    others = Task.objects.filter(question__in=question_ids)
    worked |= set(
        others.exclude(policy__stage=first.key if first else "").values_list("question", flat=True)
    )
    if worked:
        number, rest = len(worked), "it stays in its split"
        if number > 1:
            rest = "they stay in their split"
        raise Conflict(
            f"Someone has already worked on {number} of these questions, so {rest}. Nothing was "
            "moved."
        )
