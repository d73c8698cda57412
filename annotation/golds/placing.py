"""Put gold items among the work so that their place says nothing."""

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from annotation.core.models.work import Assignment, Task
from annotation.golds.models import GoldItem, GoldPlan
from annotation.stages.gold_items import Gold
from annotation.work import seats

# Before and after all other tasks of a position.
FIRST, LAST = 0, 2**62


@dataclass(frozen=True)
class GoldPlacement:
    """A gold item for a host task; beside: the task whose place in the order of work it shares."""

    kind: str
    gold: Gold
    host: int
    beside: int


def place_items(plan: GoldPlan, drawn: Sequence[GoldPlacement], *, now: dt.datetime) -> int:
    """Make the tasks and items; return how many."""
    if not drawn:
        return 0
    beside = Task.objects.in_bulk({each.beside for each in drawn})
    slots = _slots(plan, drawn, beside)
    barred = _barred(drawn, beside)
    tasks = Task.objects.bulk_create(
        Task(
            policy_id=beside[each.beside].policy_id,
            question_id=each.gold.question,
            unit=hashlib.sha256(f"{plan.seed}:{plan.pk}:{each.host}".encode()).hexdigest()[:24],
            seats=0,
            position=beside[each.beside].position,
            slot=slots[each.host],
            barred=sorted(barred[each.host]),
            gold=True,
            created_at=now,
        )
        for each in drawn
    )
    GoldItem.objects.bulk_create(
        GoldItem(
            plan=plan,
            kind=each.kind,
            task=task,
            host_id=each.host,
            unit=each.gold.unit,
            content=dict(each.gold.content),
            expected=dict(each.gold.expected),
            origin_id=each.gold.origin,
            origin_unit=each.gold.origin_unit,
            created_at=now,
        )
        for task, each in zip(tasks, drawn, strict=True)
    )
    seats.recount_open_seats(task.pk for task in tasks)
    return len(tasks)


def _slots(
    plan: GoldPlan, drawn: Sequence[GoldPlacement], beside: Mapping[int, Task]
) -> Mapping[int, int]:
    """Return the slot of each item, by its host: any place among the tasks of its own question is
    as likely as any other; an item of another question comes before all or after all.
    """
    own = {each.gold.question for each in drawn if _within(each, beside)}
    orders = _orders(plan, own)
    slots = {}
    for each in drawn:
        random = Random(f"{plan.seed}:{each.beside}:place")  # noqa: S311 - to be drawn again, not to be secret
        if _within(each, beside):
            slots[each.host] = _insert(
                orders[beside[each.beside].policy_id, each.gold.question], random
            )
        else:
            slots[each.host] = random.choice((FIRST, LAST))
    return slots


def _within(each: GoldPlacement, beside: Mapping[int, Task]) -> bool:
    return each.gold.question == beside[each.beside].question_id


Order = list[tuple[int, int, bool]]


def _orders(plan: GoldPlan, questions: Iterable[int]) -> Mapping[tuple[int, int], Order]:
    """Return the open tasks of questions in their order, by policy and question: slot, id, gold."""
    rows = Task.objects.filter(
        policy__project=plan.project_id,
        policy__stage=plan.stage,
        question__in=list(questions),
        seats__gt=0,
    )
    orders: dict[tuple[int, int], Order] = {}
    for policy, question, slot, pk, gold in rows.values_list(
        "policy", "question", "slot", "pk", "gold"
    ):
        orders.setdefault((policy, question), []).append((pk if slot is None else slot, pk, gold))
    return {key: sorted(order) for key, order in orders.items()}


def _insert(order: Order, random: Random) -> int:
    """Put a gold item into an order at random; return its slot: that of the task before it."""
    at = random.randint(0, len(order))
    before = [pk for _, pk, gold in order[:at] if not gold]
    slot = before[-1] if before else min(pk for _, pk, gold in order if not gold) - 1
    order.insert(at, (slot, LAST, True))
    return slot


def _barred(drawn: Sequence[GoldPlacement], beside: Mapping[int, Task]) -> Mapping[int, set[int]]:
    """Return who never gets each item, by its host: whoever may not have the task beside it or its
    content, knows its question, or has begun with the question that it is put next to and would
    have to come back.
    """
    known = {each.gold.question for each in drawn if each.kind == GoldItem.Kind.FINISHED}
    begun = {beside[each.beside].question_id for each in drawn}
    had: dict[int, set[int]] = {}
    rows = Assignment.objects.filter(task__question__in=known | begun)
    stage = next(iter(beside.values())).policy.stage
    for question, user, at in rows.values_list("task__question", "user", "stage").distinct():
        if question in known or at == stage:
            had.setdefault(question, set()).add(user)
    return {
        each.host: {
            *beside[each.beside].barred,
            *each.gold.barred,
            *had.get(beside[each.beside].question_id, ()),
            *(had.get(each.gold.question, ()) if each.kind == GoldItem.Kind.FINISHED else ()),
        }
        for each in drawn
    }
