"""Draw gold items next to open tasks, by a stored seed, and close what is left over."""

import datetime as dt
import hashlib
from collections.abc import Iterator, Sequence
from random import Random

from django.db import connection, transaction
from django.db.models import Max

from accounts.models import User
from annotation.core import audit
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Split
from annotation.core.models.work import Task
from annotation.golds.models import GoldItem, GoldPlan
from annotation.golds.placing import GoldPlacement, place_items
from annotation.golds.statements import LOCK_TASKS
from annotation.stages import registry as stages
from annotation.stages.gold_items import Gold, Golds, Host
from annotation.suggestions.queries import find_suggested
from annotation.work import seats

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
        drawn = host is not None and task_lot(plan, host) < lot_threshold(plan)
        return drawn and kind in wanted and not redrawn

    # Never handed out, so nothing refers to them: they go altogether, and can be drawn again.
    tasks = [task for task, host, kind in rows if not stays(host, kind)]
    with connection.cursor() as cursor:
        cursor.execute(LOCK_TASKS, [tasks])
    Task.objects.filter(pk__in=tasks, assignments__isnull=True).delete()


def task_lot(plan: GoldPlan, host: int) -> float:
    """Return the lot of a task, from 0 to 1: by the seed alone, whatever else was drawn."""
    digest = hashlib.sha256(f"{plan.seed}:{host}".encode()).digest()
    return int.from_bytes(digest[:7]) / 2**56


def lot_threshold(plan: GoldPlan) -> float:
    """Return below which lot a task gets a gold item beside it.

    With g gold items for each ordinary task, g / (1 + g) of the work is gold.
    """
    return plan.rate / (100 - plan.rate)


@transaction.atomic
def draw_items(*, plan: GoldPlan, by: User | None = None, now: dt.datetime) -> int:
    """Draw gold items for open tasks that were not looked at yet; return how many.

    Idempotent: a task has at most one gold item beside it, and its lot depends on the seed alone.
    """
    plan = (
        GoldPlan.objects.select_for_update(no_key=True, of=("self",))
        .select_related("project")
        .get(pk=plan.pk)
    )
    golds = stages.get_stage(plan.stage).golds
    if golds is None or not plan.rate:
        return 0
    made, until, waiting = 0, plan.drawn_until, None
    known: Known = {}
    while hosts := _hosts(plan, after=until):
        chosen = [host for host in hosts if task_lot(plan, host.task) < lot_threshold(plan)]
        drawn = _drawn(plan, golds, chosen, known)
        made += place_items(plan, drawn, now=now)
        served = {each.host for each in drawn}
        waiting = waiting or next((host.task for host in chosen if host.task not in served), None)
        until = hosts[-1].task
    # What finishes or is written later is for the tasks that got none now.
    plan.drawn_until = until if waiting is None else waiting - 1
    plan.save(update_fields=["drawn_until"])
    if made:
        audit.record_action(
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


Known = dict[str, list[list[Gold]]]


def _drawn(
    plan: GoldPlan, golds: Golds, hosts: Sequence[Host], known: Known
) -> list[GoldPlacement]:
    """Return the items of hosts; a host that can have none is left out.

    `known` has the items of each split that are left; they are read when the first one is needed.
    """
    if not hosts:
        return []
    random = Random(f"{plan.seed}:{hosts[0].task}")  # noqa: S311 - to be drawn again, not to be secret
    copied = [host for host in hosts if not _finished(plan, host)]
    wrong = golds.make_wrong_copies(copied, draw=random) if copied else {}
    drawn = [GoldPlacement(Kind.COPY, gold, host, host) for host, gold in wrong.items()]
    for split in Split.values:
        waiting = [host.task for host in hosts if _finished(plan, host) and host.split == split]
        if waiting and split not in known:
            known[split] = _known(plan, golds, split)
        drawn += _whole(waiting, known.get(split, []))
    return drawn


def _finished(plan: GoldPlan, host: Host) -> bool:
    """Whether a chosen task gets a finished question beside it, and not a copy."""
    half = task_lot(plan, host.task) < lot_threshold(plan) / 2
    return plan.source == Source.FINISHED or (plan.source == Source.BOTH and half)


def _whole(hosts: Sequence[int], known: list[list[Gold]]) -> Iterator[GoldPlacement]:
    """Give hosts the items of finished questions, each question whole and in one place: an item of
    a question that has several would stand out alone. Takes from `known` what it gives.
    """
    left = list(hosts)
    for question in list(known):
        if len(question) <= len(left):
            known.remove(question)
            own, left = left[: len(question)], left[len(question) :]
            for host, gold in zip(own, question, strict=True):
                yield GoldPlacement(Kind.FINISHED, gold, host, own[0])


def _known(plan: GoldPlan, golds: Golds, split: str) -> list[list[Gold]]:
    """Return the items of each finished question of a split that are none yet, in random order."""
    had = set(plan.items.filter(kind=Kind.FINISHED).values_list("task__question_id", "unit"))
    by_question: dict[int, list[Gold]] = {}
    for gold in golds.list_finished_items(plan.project_id, split):
        if (gold.question, gold.unit) not in had:
            by_question.setdefault(gold.question, []).append(gold)
    rows = _with_suggestions(plan, split, by_question)
    Random(f"{plan.seed}:{split}").shuffle(rows)  # noqa: S311 - to be drawn again, not to be secret
    return rows


def _with_suggestions(
    plan: GoldPlan, split: str, by_question: dict[int, list[Gold]]
) -> list[list[Gold]]:
    """Return the items; where suggestions are shown, those of questions that have some: whether a
    gold item shows any then depends on the task beside it alone (`OFFERED_SUGGESTIONS`).
    """
    policy = StagePolicy.objects.filter(project=plan.project_id, stage=plan.stage, split=split)
    system = policy.values_list("suggestions", flat=True).first()
    if not system:
        return list(by_question.values())
    kinds = stages.get_stage(plan.stage).suggested
    suggested = find_suggested([*by_question], system, kinds)
    return [items for question, items in by_question.items() if question in suggested]


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
            made += draw_items(plan=plan, now=now)
        for split in Split.values:
            if not newest.filter(policy__split=split, seats__gt=0).exists():
                retire_items(plan=plan, split=split, now=now)
    return made


@transaction.atomic
def retire_items(*, plan: GoldPlan, split: str, now: dt.datetime) -> int:
    """Hand out no more gold items of a split; whoever has one keeps it. Returns how many."""
    left = plan.items.filter(retired_at=None, task__policy__split=split, task__seats__gt=0)
    tasks = list(left.order_by("task").values_list("task", flat=True))
    if not tasks:
        return 0
    plan.items.filter(task__in=tasks).update(retired_at=now)
    Task.objects.filter(pk__in=tasks).update(people=0)
    seats.recount_open_seats(tasks)
    return len(tasks)
