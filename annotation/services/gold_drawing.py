"""Draw gold items next to open tasks, by a stored seed, and close what is left over."""

import datetime as dt
import hashlib
from collections.abc import Iterable, Sequence
from random import Random

from django.db import connection, transaction
from django.db.models import Max

from accounts.models import User
from annotation import stages
from annotation.golds import Gold, Golds, Host
from annotation.models import Assignment, GoldItem, GoldPlan, Project, Split, Task
from annotation.services import audit, seats

AT_ONCE = 2_000
Source = GoldPlan.Source
Kind = GoldItem.Kind
_WANTED = {
    Source.COPIES: {Kind.COPY},
    Source.FINISHED: {Kind.FINISHED},
    Source.BOTH: {Kind.COPY, Kind.FINISHED},
}


def drop_surplus(plan: GoldPlan, *, redrawn: bool) -> None:
    """Delete items that no one has had and that the present settings would not draw."""
    untouched = plan.items.filter(
        task__isnull=False, retired_at=None, task__assignments__isnull=True
    )
    rows = untouched.values_list("task_id", "host_id", "kind")
    wanted = _WANTED[Source(plan.source)]

    def stays(host: int | None, kind: str) -> bool:
        drawn = host is not None and lot(plan, host) < threshold(plan)
        return drawn and kind in wanted and not redrawn

    # Never handed out, so nothing refers to them: they go altogether, and can be drawn again.
    tasks = [task for task, host, kind in rows if not stays(host, kind)]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM annotation_task WHERE id = ANY(%s) ORDER BY id FOR UPDATE", [tasks]
        )
    Task.objects.filter(pk__in=tasks, assignments__isnull=True).delete()


def lot(plan: GoldPlan, host: int) -> float:
    """Return the lot of a task, from 0 to 1: by the seed alone, whatever else was drawn."""
    digest = hashlib.sha256(f"{plan.seed}:{host}".encode()).digest()
    return int.from_bytes(digest[:7]) / 2**56


def threshold(plan: GoldPlan) -> float:
    """Return below which lot a task gets a gold item beside it.

    With g gold items for each ordinary task, g / (1 + g) of the work is gold.
    """
    return plan.rate / (100 - plan.rate)


@transaction.atomic
def draw(*, plan: GoldPlan, by: User | None = None, now: dt.datetime) -> int:
    """Draw gold items for open tasks that were not looked at yet; return how many.

    Idempotent: a task has at most one gold item beside it, and its lot depends on the seed alone.
    """
    plan = (
        GoldPlan.objects.select_for_update(no_key=True, of=("self",))
        .select_related("project")
        .get(pk=plan.pk)
    )
    golds = stages.get(plan.stage).golds
    if golds is None or not plan.rate:
        return 0
    made, until, waiting = 0, plan.drawn_until, None
    known: Known = {}
    while hosts := _hosts(plan, after=until):
        chosen = [host for host in hosts if lot(plan, host.task) < threshold(plan)]
        drawn = _drawn(plan, golds, chosen, known)
        made += _place(plan, drawn, now=now)
        left = (host.task for host in chosen if _finished(plan, host) and host.task not in drawn)
        waiting = waiting or next(left, None)
        until = hosts[-1].task
    # Questions that finish later are for the tasks that got none now.
    plan.drawn_until = until if waiting is None else waiting - 1
    plan.save(update_fields=["drawn_until"])
    if made:
        audit.record(
            "golds_drawn",
            plan,
            by=by,
            now=now,
            project=plan.project_id,
            stage=plan.stage,
            items=made,
            rate=plan.rate,
            seed=plan.seed,
        )
    return made


def _hosts(plan: GoldPlan, *, after: int) -> list[Host]:
    rows = Task.objects.filter(
        policy__project=plan.project_id,
        policy__stage=plan.stage,
        pk__gt=after,
        gold=False,
        seats__gt=0,
        gold_beside__isnull=True,
    ).order_by("pk")
    values = rows.values_list("pk", "question_id", "unit", "policy__split")
    return [Host(*row) for row in values[:AT_ONCE]]


Drawn = dict[int, tuple[str, Gold]]
Known = dict[str, list[Gold]]


def _drawn(plan: GoldPlan, golds: Golds, hosts: Sequence[Host], known: Known) -> Drawn:
    """Return kind and item of hosts, by the host's task; a host that can have none is left out.

    `known` has the items of each split that are left; they are read when the first one is needed.
    """
    if not hosts:
        return {}
    random = Random(f"{plan.seed}:{hosts[0].task}")  # noqa: S311 - to be drawn again, not to be secret
    copied = [host for host in hosts if not _finished(plan, host)]
    wrong = golds.wrong(copied, draw=random) if copied else {}
    drawn: Drawn = {host: (Kind.COPY, gold) for host, gold in wrong.items()}
    for host in hosts:
        if not _finished(plan, host):
            continue
        if host.split not in known:
            known[host.split] = _known(plan, golds, host.split)
        if known[host.split]:
            drawn[host.task] = (Kind.FINISHED, known[host.split].pop())
    return drawn


def _finished(plan: GoldPlan, host: Host) -> bool:
    """Whether a chosen task gets a finished question beside it, and not a copy."""
    half = lot(plan, host.task) < threshold(plan) / 2
    return plan.source == Source.FINISHED or (plan.source == Source.BOTH and half)


def _known(plan: GoldPlan, golds: Golds, split: str) -> list[Gold]:
    """Return the finished questions of a split that are not gold items yet, in random order."""
    had = set(plan.items.filter(kind=Kind.FINISHED).values_list("task__question_id", "unit"))
    known = golds.known(plan.project_id, split)
    rows = [gold for gold in known if (gold.question, gold.unit) not in had]
    Random(f"{plan.seed}:{split}").shuffle(rows)  # noqa: S311 - to be drawn again, not to be secret
    return rows


def _place(plan: GoldPlan, drawn: Drawn, *, now: dt.datetime) -> int:
    """Make the tasks and items, each at its host's place in the order of work."""
    if not drawn:
        return 0
    beside = Task.objects.in_bulk(list(drawn))
    had = _had(gold.question for kind, gold in drawn.values() if kind == Kind.FINISHED)
    tasks = Task.objects.bulk_create(
        Task(
            policy_id=beside[host].policy_id,
            question_id=gold.question,
            unit=hashlib.sha256(f"{plan.seed}:{plan.pk}:{host}".encode()).hexdigest()[:24],
            seats=0,
            position=beside[host].position,
            barred=sorted(
                {
                    *beside[host].barred,
                    *gold.barred,
                    *(had.get(gold.question, ()) if kind == Kind.FINISHED else ()),
                }
            ),
            gold=True,
            created_at=now,
        )
        for host, (kind, gold) in drawn.items()
    )
    GoldItem.objects.bulk_create(
        GoldItem(
            plan=plan,
            kind=kind,
            task=task,
            host_id=host,
            unit=gold.unit,
            content=dict(gold.content),
            expected=dict(gold.expected),
            origin_id=gold.origin,
            created_at=now,
        )
        for task, (host, (kind, gold)) in zip(tasks, drawn.items(), strict=True)
    )
    seats.recount(task.pk for task in tasks)
    return len(tasks)


def _had(question_ids: Iterable[int]) -> dict[int, list[int]]:
    """Return who has worked on each question: whoever saw it would know it again."""
    rows = Assignment.objects.filter(task__question__in=list(question_ids))
    had: dict[int, list[int]] = {}
    for question, user in rows.values_list("task__question_id", "user_id").distinct():
        had.setdefault(question, []).append(user)
    return had


def keep_up(*, now: dt.datetime) -> int:
    """Draw for new tasks of running projects, and close what is left over; return how many new.

    Where no ordinary task has a seat left, gold items would be all that people get.
    """
    made = 0
    plans = GoldPlan.objects.filter(rate__gt=0, project__state=Project.State.RUNNING)
    for plan in plans.order_by("pk"):
        newest = Task.objects.filter(
            policy__project=plan.project_id, policy__stage=plan.stage, gold=False
        )
        if (newest.aggregate(pk=Max("pk"))["pk"] or 0) > plan.drawn_until:
            made += draw(plan=plan, now=now)
        for split in Split.values:
            if not newest.filter(policy__split=split, seats__gt=0).exists():
                retire(plan=plan, split=split, now=now)
    return made


@transaction.atomic
def retire(*, plan: GoldPlan, split: str, now: dt.datetime) -> int:
    """Hand out no more gold items of a split; whoever has one keeps it. Returns how many."""
    left = plan.items.filter(retired_at=None, task__policy__split=split, task__seats__gt=0)
    tasks = list(left.order_by("task").values_list("task", flat=True))
    if not tasks:
        return 0
    plan.items.filter(task__in=tasks).update(retired_at=now)
    Task.objects.filter(pk__in=tasks).update(people=0)
    seats.recount(tasks)
    return len(tasks)
