"""What the page of gold items tells its staff."""

import datetime as dt
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from annotation.core.models.audit import OF_GOLDS, AuditEntry
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Split
from annotation.core.models.work import Assignment
from annotation.figures import counts as stored_counts
from annotation.figures.counts import GOLDS
from annotation.golds.models import GoldItem, GoldPlan, GoldVerdict
from annotation.golds.queries import COUNTS, GoldPerformance, share_and_interval
from annotation.log import queries as log_queries
from annotation.people.standing import PAUSED
from annotation.stages import registry as stages
from annotation.stages.gold_items import FINISHED

FIRST_ITEMS, MOST_ITEMS, MOST_ENTRIES, MOST_MISSED = 10, 200, 20, 50
USUAL_RATE = 5
"""The share that the page proposes where there are no gold items, in per cent."""
DOUBTED_FROM = 3
"""From this number of people on, an item that most of them missed may itself be wrong."""


# --- what is mixed in -----------------------------------------------------------------------------


def _count_work(project: Project, now: dt.datetime) -> dict[str, list[list[Any]]]:
    """Return by stage and split what was submitted, ordinary and gold, and the free seats."""
    done = (
        Assignment.objects.filter(project=project, state=Assignment.State.SUBMITTED)
        .order_by()
        .values_list("stage", "policy__split")
        .annotate(
            plain=Count("pk", filter=Q(gold=False)),
            gold=Count("pk", filter=Q(gold=True)),
        )
    )
    counts: dict[tuple[str, str], list[int]] = {
        (stage, split): [plain, gold, 0] for stage, split, plain, gold in done
    }
    free = StagePolicy.objects.filter(project=project).annotate(
        free=Coalesce(Sum("tasks__seats", filter=Q(tasks__gold=False)), 0)
    )
    for stage, split, seats in free.values_list("stage", "split", "free"):
        counts.setdefault((stage, split), [0, 0, 0])[2] = seats
    by_stage: dict[str, list[list[Any]]] = {}
    for (stage, split), numbers in sorted(counts.items()):
        by_stage.setdefault(stage, []).append([split, *numbers])
    return by_stage


def _count_candidates(project: Project, now: dt.datetime) -> dict[str, int]:
    """Return by stage how many finished items can still become gold items."""
    return {
        stage.key: _candidates_of(project, stage)
        for stage in stages.of_protocol(project.protocol)
        if stage.golds is not None and FINISHED in stage.golds.sources
    }


def _candidates_of(project: Project, stage: stages.Stage) -> int:
    assert stage.golds is not None
    rows = GoldItem.objects.filter(
        plan__project=project, plan__stage=stage.key, kind=GoldItem.Kind.FINISHED
    )
    had = set(rows.values_list("task__question_id", "unit"))
    return sum(
        (gold.question, gold.unit) not in had
        for split in Split.values
        for gold in stage.golds.list_finished_items(project.pk, split)
    )


stored_counts.register_part(GOLDS, "work", _count_work)
stored_counts.register_part(GOLDS, "candidates", _count_candidates)


@dataclass(frozen=True)
class MixedIn:
    """What was mixed into the work of a stage, and what could be.

    plain, gold: submissions so far; to_do: free seats of ordinary tasks; candidates: finished items
    that are no gold items yet, None where the stage takes none; prices: what one submission of each
    split pays, with its free seats; None where it is paid by the hour.
    """

    rate: int
    plain: int
    gold: int
    to_do: int
    candidates: int | None
    prices: Sequence[tuple[int, Decimal | None, str]]

    @property
    def submitted(self) -> int:
        """All submissions."""
        return self.plain + self.gold

    @property
    def share(self) -> float | None:
        """The share of gold items in what was submitted so far, in per cent."""
        return 100 * self.gold / self.submitted if self.submitted else None

    @property
    def lasts_for(self) -> int | None:
        """For about how many ordinary tasks the candidates are enough, at the present rate."""
        if self.candidates is None or not self.rate:
            return None
        return round(self.candidates * (100 - self.rate) / self.rate)

    @property
    def usual_cost(self) -> str:
        """What the usual rate would cost until the work is done: 39 more submissions, 23 USD."""
        ratio = Decimal(USUAL_RATE) / (100 - USUAL_RATE)
        words = [f"{math.ceil(self.to_do * ratio):,} more submissions"]
        sums: dict[str, Decimal] = {}
        for seats, price, currency in self.prices:
            if price is None:
                return words[0]
            sums[currency] = sums.get(currency, Decimal(0)) + seats * ratio * price
        for currency, amount in sums.items():
            if amount:
                words.append(f"{amount.quantize(Decimal(1), ROUND_HALF_UP):,} {currency}")
        return ", ".join(words)


def count_mixed_in(project: Project, stage: stages.Stage, rate: int, now: dt.datetime) -> MixedIn:
    """Return what was mixed into a stage. Two queries, and those of its finished items; of large
    projects, figures that the worker has counted, and one query.
    """
    work = stored_counts.find_stored_part(project, GOLDS, "work")
    rows = (_count_work(project, now) if work is None else work).get(stage.key, [])
    candidates: int | None = None
    if stage.golds is not None and FINISHED in stage.golds.sources:
        stored = stored_counts.find_stored_part(project, GOLDS, "candidates")
        candidates = _candidates_of(project, stage) if stored is None else stored.get(stage.key, 0)
    seats = {split: free for split, _, _, free in rows}
    policies = StagePolicy.objects.filter(project=project, stage=stage.key)
    by_unit = StagePolicy.PayBasis.UNIT
    return MixedIn(
        rate=rate,
        plain=sum(row[1] for row in rows),
        gold=sum(row[2] for row in rows),
        to_do=sum(seats.values()),
        candidates=candidates,
        prices=[
            (
                seats.get(policy.split, 0),
                policy.pay_full if policy.pay_basis == by_unit else None,
                policy.currency,
            )
            for policy in policies
            if seats.get(policy.split)
        ],
    )


# --- what was missed ------------------------------------------------------------------------------


@dataclass(frozen=True)
class MissedSum:
    """How all people together did: `undecided` could not be judged."""

    seen: int
    missed: int
    undecided: int
    people: int
    flagged: int
    paused: Sequence[GoldPerformance]

    @property
    def share(self) -> float | None:
        """The share missed, in per cent."""
        found = share_and_interval(self.missed, self.seen)
        return found and found[0]

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95 % interval, in per cent; None where items are too few."""
        found = share_and_interval(self.missed, self.seen)
        return found and found[1]


def sum_performances(people: Collection[GoldPerformance]) -> MissedSum:
    """Return how people did together. No query."""
    return MissedSum(
        seen=sum(each.seen for each in people),
        missed=sum(each.missed for each in people),
        undecided=sum(each.undecided for each in people),
        people=len(people),
        flagged=sum(bool(each.flags) for each in people),
        paused=[each for each in people if each.standing.kind == PAUSED],
    )


def list_missed(plan: GoldPlan, user_id: int) -> list[GoldVerdict]:
    """Return what a person missed and what counts against them, newest first. One query."""
    rows = GoldVerdict.objects.filter(COUNTS, plan=plan, user=user_id, missed=True)
    return list(rows.select_related("item__task__question").order_by("-pk")[:MOST_MISSED])


def list_items(plan: GoldPlan, *, every: bool) -> list[GoldItem]:
    """Return the items that people miss most, each with `seen`, `missed` and, where it is a
    finished question, `answered`: how many people said what is known. One query.
    """
    rows = _counted_items(plan).filter(void_at=None)
    return list(rows[: MOST_ITEMS if every else FIRST_ITEMS])


def list_retired_items(plan: GoldPlan) -> list[GoldItem]:
    """Return the items that were taken back lately, with the same. One query."""
    return list(
        _counted_items(plan).filter(void_at__isnull=False).order_by("-void_at")[:FIRST_ITEMS]
    )


def _counted_items(plan: GoldPlan) -> QuerySet[GoldItem]:
    answered = (
        Assignment.objects.filter(
            task__question=OuterRef("task__question"),
            stage=plan.stage,
            state=Assignment.State.SUBMITTED,
            used=True,
        )
        .order_by()
        .values("task__question")
        .annotate(n=Count("user", distinct=True))
    )
    rows = plan.items.select_related("task__question", "origin").annotate(
        seen=Count("verdicts", filter=Q(verdicts__missed__isnull=False)),
        missed=Count("verdicts", filter=Q(verdicts__missed=True)),
        answered=Subquery(answered.values("n")),
    )
    return rows.order_by("-missed", "-seen", "-pk")


def count_items(plan: GoldPlan) -> tuple[int, int]:
    """Return the number of items in use, and how many are attention checks. One query."""
    checks = Count("pk", filter=Q(kind=GoldItem.Kind.CHECK))
    counts = plan.items.filter(void_at=None).aggregate(every=Count("pk"), checks=checks)
    return counts["every"], counts["checks"]


def is_doubtful(item: GoldItem) -> bool:
    """Whether most of those who had an item of `list_items` missed it, so that it may be wrong."""
    seen, missed = item.seen, item.missed  # type: ignore[attr-defined]
    return bool(seen >= DOUBTED_FROM and 2 * missed > seen)


def list_log_entries(project: Project) -> list[log_queries.LogSentence]:
    """Return what the log says of gold items and pauses, newest first."""
    rows = AuditEntry.objects.filter(project=project.pk, action__in=OF_GOLDS)
    return log_queries.describe_entries(project, list(rows.order_by("-pk")[:MOST_ENTRIES]))
