"""Take items back whose known answer is in doubt, so that they count for no one."""

import datetime as dt

from django.db import transaction
from django.db.models.functions import Coalesce

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.models.work import Task
from annotation.golds.models import GoldItem
from annotation.work import seats


@transaction.atomic
def retire_item(*, item: GoldItem, by: User, now: dt.datetime) -> None:
    """Hand an item out no more, and let what people did with it count for no one. Whoever has it
    keeps it; pay for acceptance that was missed follows. Again changes nothing. Staff only.
    """
    _change(item, "gold_item_retired", void_at=now, by=by, now=now)


@transaction.atomic
def restore_item(*, item: GoldItem, by: User, now: dt.datetime) -> None:
    """Let what people did with an item count again; it is handed out to no one new. Staff only."""
    _change(item, "gold_item_restored", void_at=None, by=by, now=now)


def _change(
    item: GoldItem, action: str, *, void_at: dt.datetime | None, by: User, now: dt.datetime
) -> None:
    project = item.plan.project
    check_can_manage(by, project)
    questions = _settled_questions(item)
    seats.lock_questions(questions)
    rows = GoldItem.objects.filter(pk=item.pk, void_at__isnull=void_at is not None)
    if not rows.update(void_at=void_at, retired_at=Coalesce("retired_at", now)):
        return
    if item.task_id is not None:
        Task.objects.filter(pk=item.task_id).update(people=0)
        seats.recount_open_seats([item.task_id])
    audit.record_action(action, item, by=by, now=now, project=project, stage=item.plan.stage)
    seats.settle_questions(questions, project.protocol, now=now)


def _settled_questions(item: GoldItem) -> list[int]:
    """Return the question whose decision settles what an item pays: of the task that it is handed
    out beside, else its own. An attention check has none.
    """
    task = item.host if item.host is not None else item.task
    return [task.question_id] if task is not None else []
