"""What stages and pages read about gold items."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Q, Subquery

from accounts import prepared_statements
from accounts.models import User
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.work import Task
from annotation.golds.models import GoldFlag, GoldItem, GoldPlan
from annotation.golds.statements import CREDITED_ASSIGNMENTS
from annotation.people import standing
from annotation.stages import registry
from annotation.suggestions.queries import find_suggested
from metrics.gold_items import Rule
from metrics.intervals import TOO_FEW, find_share_interval


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


def describe_unsuggested_work(policy: StagePolicy, system: str) -> str:
    """Return how much would be told apart by having no suggestion of a system: "2 gold items", or
    "" if nothing would. Gold items that are handed out, or in hand; of copies with suggestions of
    their own, what else is shown under the same questions, too. At most three queries.
    """
    shown = Q(task__seats__gt=0) | Q(task__assignments__state__in=("active", "parked"))
    items = GoldItem.objects.filter(
        shown, task__policy=policy, kind=GoldItem.Kind.FINISHED, retired_at=None
    )
    questions = list(items.values_list("task__question", flat=True))
    stage = registry.get_stage(policy.stage)
    if missing := len(set(questions) - find_suggested(questions, system, stage.suggested)):
        return f"{missing:,} gold item{'' if missing == 1 else 's'}"
    missing = count_unsuggested_copies(policy, system)
    return f"{missing:,} answer{'' if missing == 1 else 's'} or gold items" if missing else ""


def count_unsuggested_copies(policy: StagePolicy, system: str) -> int:
    """Return how many things to judge hide the suggestions on all the others: see
    `Golds.count_unsuggested`. At most one query.
    """
    golds = registry.get_stage(policy.stage).golds
    return golds.count_unsuggested(policy.project_id, policy.split, system) if golds else 0


# --- the rule and how people did ------------------------------------------------------------------


def plan_of(project: Project, stage: str) -> GoldPlan | None:
    """Return the plan of a stage, if there is one. One query."""
    return project.gold_plans.filter(stage=stage).first()


def rule_of(plan: GoldPlan) -> Rule:
    """Return the rule that flags people."""
    share = plan.share / 100 if plan.share else None
    return Rule(plan.enough, plan.missed, share, plan.both)


def share_and_interval(missed: int, seen: int) -> tuple[float, tuple[float, float] | None] | None:
    """Return a share with its 95 % interval, in per cent; None without items.

    The interval is None where the items are too few to tell.
    """
    if not seen:
        return None
    bounds = find_share_interval(missed, seen)
    return 100 * missed / seen, bounds and (100 * bounds[0], 100 * bounds[1])


@dataclass(frozen=True)
class GoldPerformance:
    """How one person did on gold items, and where they stand in the work now.

    flagged_at: when the rule flagged them last.
    """

    user: User
    seen: int
    missed: int
    undecided: int
    flags: int
    flagged_at: dt.datetime | None
    standing: standing.Standing

    @property
    def share(self) -> float | None:
        """The share missed, in per cent."""
        return 100 * self.missed / self.seen if self.seen else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the share, in per cent; None where `note` says why."""
        found = share_and_interval(self.missed, self.seen)
        return found and found[1]

    @property
    def note(self) -> str:
        """Why the share has no interval."""
        return TOO_FEW if self.seen and self.interval is None else ""


# What counts for and against people: what can be judged, on items whose answer is not in doubt.
COUNTS = Q(missed__isnull=False, item__void_at__isnull=True)


def list_people(plan: GoldPlan) -> list[GoldPerformance]:
    """Return everyone who has submitted a gold item, by name. At most three queries."""
    mine = Q(gold_verdicts__plan=plan)
    counts = mine & Q(gold_verdicts__item__void_at__isnull=True)
    flags = GoldFlag.objects.filter(plan=plan, user=OuterRef("pk")).order_by().values("user")
    newest = GoldFlag.objects.filter(plan=plan, user=OuterRef("pk")).order_by("-pk")
    rows = list(
        User.objects.filter(mine)
        .annotate(
            seen=Count("gold_verdicts", filter=counts & Q(gold_verdicts__missed__isnull=False)),
            missed=Count("gold_verdicts", filter=counts & Q(gold_verdicts__missed=True)),
            undecided=Count("gold_verdicts", filter=counts & Q(gold_verdicts__missed__isnull=True)),
            flags=Subquery(flags.annotate(n=Count("pk")).values("n")),
            flagged_at=Subquery(newest.values("at")[:1]),
        )
        .order_by("name", "pk")
    )
    stands = standing.find_standings(plan.project, [plan.stage], [row.pk for row in rows])
    return [
        GoldPerformance(
            *(row, row.seen, row.missed, row.undecided, row.flags or 0, row.flagged_at),
            stands[row.pk],
        )
        for row in rows
    ]
