"""What stages and pages read about gold items."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, Subquery

from accounts import prepared_statements
from accounts.models import User
from annotation.core.models.audit import OF_GOLDS, AuditEntry
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.models.work import Task
from annotation.golds.models import GoldFlag, GoldItem, GoldPlan, GoldVerdict
from annotation.golds.statements import CREDITED_ASSIGNMENTS
from annotation.log import queries as log_queries
from annotation.stages import registry as stages
from metrics.gold_items import Rule, count_golds_needed, flag_probabilities
from metrics.intervals import TOO_FEW, find_share_interval

MOST_ITEMS, MOST_ENTRIES = 50, 20
ERRORS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
SEEN = (5, 10, 20, 50)


@dataclass(frozen=True)
class TaskContent:
    """What the page of a task shows: the unit, and content in place of the unit's own, if any."""

    unit: str
    content: Mapping[str, Any]


def shown_of(task: Task) -> TaskContent:
    """Return what a task shows. A stage with units asks this, never `task.unit`.

    No query, so that a gold item takes as many as other work: `turns.turn_of` has read it. One for
    a gold item that came another way.
    """
    if not task.gold:
        return TaskContent(task.unit, {})
    if task.gold_shown is None:
        task.gold_shown = GoldItem.objects.values_list("unit", "content").get(task=task.pk)
    return TaskContent(*task.gold_shown)


def list_credited_assignments(question_ids: Sequence[int], stages: Sequence[str]) -> list[int]:
    """Return the assignments on these questions whose work counts in some stages: all in use, and
    those of gold items, which are paid like them. For the credit of a protocol. One query.
    """
    rows = prepared_statements.fetch_rows(
        CREDITED_ASSIGNMENTS, {"questions": list(question_ids), "stages": list(stages)}
    )
    return [pk for (pk,) in rows]


# --- the page -------------------------------------------------------------------------------------


def plan_of(project: Project, stage: str) -> GoldPlan | None:
    """Return the plan of a stage, if there is one. One query."""
    return project.gold_plans.filter(stage=stage).first()


def rule_of(plan: GoldPlan) -> Rule:
    """Return the rule that flags people."""
    return Rule(plan.enough, plan.missed, plan.share / 100 if plan.share else None)


def rule_words(plan: GoldPlan) -> str:
    """Return the rule as a clause."""
    parts = []
    if plan.missed is not None:
        parts.append(f"missed at least {plan.missed}")
    if plan.share is not None:
        parts.append(f"missed at least {plan.share} %")
    return f"have seen at least {plan.enough} and {' or '.join(parts)}"


@dataclass(frozen=True)
class Power:
    """How soon the rule flags a person who misses a given share of gold items.

    error: in per cent; chances: after each of SEEN items, in per cent; needed: how many items flag
    them with 95 %, None if over 500; work: how much work that is at the plan's rate, None if the
    rate is 0.
    """

    error: int
    chances: Sequence[float]
    needed: int | None
    work: int | None


def list_rule_power(plan: GoldPlan) -> list[Power]:
    """Return the power of the plan's rule. No query."""
    rule = rule_of(plan)
    rows = []
    for error in ERRORS:
        curve = flag_probabilities(error, rule, max(SEEN))
        items = count_golds_needed(error, rule)
        work = round(items * 100 / plan.rate) if items and plan.rate else None
        chances = [100 * curve[seen - 1] for seen in SEEN]
        rows.append(Power(round(100 * error), chances, items, work))
    return rows


@dataclass(frozen=True)
class GoldPerformance:
    """How one person does on gold items."""

    user: User
    seen: int
    missed: int
    undecided: int
    flags: int
    paused_at: dt.datetime | None
    works: bool

    @property
    def share(self) -> float | None:
        """The share missed, in per cent."""
        return 100 * self.missed / self.seen if self.seen else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the share, in per cent; None where `note` says why."""
        found = find_share_interval(self.missed, self.seen) if self.seen else None
        return found and (100 * found[0], 100 * found[1])

    @property
    def note(self) -> str:
        """Why the share has no interval."""
        return TOO_FEW if self.seen and self.interval is None else ""


def list_people(plan: GoldPlan) -> list[GoldPerformance]:
    """Return everyone who has submitted a gold item, who misses most first. One query."""
    mine = Q(gold_verdicts__plan=plan)
    role = Membership.objects.filter(
        user=OuterRef("pk"), project=plan.project_id, role=stages.get_stage(plan.stage).role
    )
    flags = GoldFlag.objects.filter(plan=plan, user=OuterRef("pk")).order_by().values("user")
    rows = (
        User.objects.filter(mine)
        .annotate(
            seen=Count("gold_verdicts", filter=mine & Q(gold_verdicts__missed__isnull=False)),
            missed=Count("gold_verdicts", filter=mine & Q(gold_verdicts__missed=True)),
            undecided=Count("gold_verdicts", filter=mine & Q(gold_verdicts__missed__isnull=True)),
            flags=Subquery(flags.annotate(n=Count("pk")).values("n")),
            paused=Subquery(role.values("paused_at")[:1]),
            works=Exists(role),
        )
        .order_by("name", "pk")
    )
    found = [
        GoldPerformance(
            row, row.seen, row.missed, row.undecided, row.flags or 0, row.paused, row.works
        )
        for row in rows
    ]
    return sorted(found, key=lambda person: -(person.share or 0))


def count_items_and_verdicts(plan: GoldPlan) -> dict[str, int]:
    """Return the number of items, and of verdicts. Two queries."""
    drawn = plan.items.aggregate(
        drawn=Count("pk"), open=Count("pk", filter=Q(retired_at=None, task__seats__gt=0))
    )
    judged = GoldVerdict.objects.filter(plan=plan).aggregate(
        seen=Count("pk", filter=Q(missed__isnull=False)), missed=Count("pk", filter=Q(missed=True))
    )
    return drawn | judged


def list_items(plan: GoldPlan) -> list[GoldItem]:
    """Return the newest items, each with `seen` and `missed`. One query."""
    rows = plan.items.select_related("task__question", "origin").annotate(
        seen=Count("verdicts", filter=Q(verdicts__missed__isnull=False)),
        missed=Count("verdicts", filter=Q(verdicts__missed=True)),
    )
    return list(rows.order_by("-pk")[:MOST_ITEMS])


def list_log_entries(project: Project) -> list[log_queries.LogSentence]:
    """Return what the log says of gold items and pauses, newest first."""
    rows = AuditEntry.objects.filter(project=project.pk, action__in=OF_GOLDS)
    return log_queries.describe_entries(project, list(rows.order_by("-pk")[:MOST_ENTRIES]))
