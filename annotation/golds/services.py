"""Gold items: draw them into a stage's work, judge what people submit, pause who misses many.

A gold item is a task like any other, so the engine hands it out, keeps its draft and pays for it
without knowing more. Its submissions are never data: assignments of such tasks are not `used`, by a
constraint of the database.
"""

import datetime as dt
import hashlib
import secrets
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.golds.drawing import draw_items, drop_surplus, keep_up, retire_items
from annotation.golds.models import GoldFlag, GoldItem, GoldPlan, GoldVerdict
from annotation.golds.policies import check_settings
from annotation.golds.queries import COUNTS, rule_of
from annotation.people import services as people_services
from annotation.sheets.known_items import KnownItem
from annotation.stages import registry as stages
from annotation.stages.gold_items import sources_of

__all__ = [
    "draw_items",
    "judge_check",
    "judge_submission",
    "keep_up",
    "pause_person",
    "plan_of",
    "resume_person",
    "retire_items",
    "save_plan",
]
REASON = "the team looks at your recent work"


def new_seed() -> int:
    """Return a seed for drawing."""
    return secrets.randbits(62)


def plan_of(*, project: Project, stage: str, pauses: bool = False) -> GoldPlan:
    """Return the plan of a stage, made with the default settings if there is none.

    One that no one has saved flags people, and pauses no one.
    """
    return GoldPlan.objects.get_or_create(
        project=project,
        stage=stage,
        defaults={"seed": new_seed(), "pauses": pauses, "source": first_source(stage)},
    )[0]


def start_plans(project: Project) -> None:
    """Begin a new project with the gold items that its stages have from the start (Q3).

    As with every plan that no one has saved, people are flagged, and no one is paused.
    """
    for stage in stages.of_protocol(project.protocol):
        if stage.golds is not None and stage.golds.first_rate:
            plan = plan_of(project=project, stage=stage.key)
            GoldPlan.objects.filter(pk=plan.pk).update(rate=stage.golds.first_rate)


def copy_plans(source: Project, made: Project) -> None:
    """Give a new project the settings of gold items of another, each with a seed of its own."""
    GoldPlan.objects.filter(project=made).delete()
    plans = list(source.gold_plans.all())
    for plan in plans:
        plan.pk, plan.project, plan.seed, plan.drawn_until = None, made, new_seed(), 0
    GoldPlan.objects.bulk_create(plans)


def first_source(stage: str) -> str:
    """Return where the items of a stage come from unless staff choose."""
    return next(iter(sources_of(stages.get_stage(stage).golds)), GoldPlan.Source.COPIES.value)


# --- settings -------------------------------------------------------------------------------------

_SETTINGS = ("rate", "source", "seed", "enough", "missed", "share", "both", "pauses")


@transaction.atomic
def save_plan(
    *, project: Project, stage: str, by: User | None, now: dt.datetime, **settings: Any
) -> GoldPlan:
    """Store the settings of a stage and apply them: draw what is missing, retire what is too much.

    Items that people have had stay as they are. Staff only (`by=None`: the system).
    """
    if by is not None:
        check_can_manage(by, project)
    plan = plan_of(project=project, stage=stage, pauses=True)
    plan = GoldPlan.objects.select_for_update(no_key=True).get(pk=plan.pk)
    before = {name: getattr(plan, name) for name in _SETTINGS}
    after = before | settings
    check_settings(stages.get_stage(stage), **after)
    for name, value in after.items():
        setattr(plan, name, value)
    plan.drawn_until = 0
    plan.save()
    if before != after:
        audit.record_action(
            "gold_settings",
            plan,
            by=by,
            now=now,
            project=project,
            stage=stage,
            before=before,
            after=after,
        )
    drop_surplus(plan, redrawn=before["seed"] != after["seed"])
    draw_items(plan=plan, by=by, now=now)
    return plan


# --- judging --------------------------------------------------------------------------------------


def judge_submission(assignment: Assignment, response: Any, /, *, now: dt.datetime) -> None:
    """Judge a submission if it is of a gold item. Ordinary ones cost nothing, others four
    statements: people would notice if they took much longer.

    A submission that was taken back and is made again is judged again.
    """
    if not assignment.gold:
        return
    item = GoldItem.objects.select_related("plan").get(task=assignment.task_id)
    stage, right = stages.get_stage(assignment.stage), None
    if stage.golds is not None:
        settled = stage.sheet.submitted_part(response)
        right = stage.sheet.grade_response(settled, KnownItem(expected=item.expected)).passed
    verdict = GoldVerdict(
        item=item,
        user_id=assignment.user_id,
        plan=item.plan,
        assignment=assignment,
        missed=None if right is None else not right,
        at=now,
    )
    GoldVerdict.objects.bulk_create(
        [verdict],
        update_conflicts=True,
        unique_fields=["item", "user"],
        update_fields=["plan", "assignment", "missed", "at"],
    )
    _flag(item.plan, verdict, now=now)


@transaction.atomic
def judge_check(
    *,
    project: Project,
    stage: str,
    question: str,
    options: Sequence[str],
    right: str,
    given: str,
    by: User,
    now: dt.datetime,
) -> GoldVerdict:
    """Judge the answer to an attention check of a crowd; a second one changes nothing."""
    plan = plan_of(project=project, stage=stage)
    content = {"question": question, "options": list(options)}
    digest = hashlib.sha256(repr((question, tuple(options), right)).encode()).hexdigest()[:40]
    item, _ = GoldItem.objects.get_or_create(
        plan=plan,
        kind=GoldItem.Kind.CHECK,
        unit=digest,
        defaults={"content": content, "expected": {"right": right}, "created_at": now},
    )
    verdict, new = GoldVerdict.objects.get_or_create(
        item=item,
        user=by,
        defaults={"plan": plan, "given": given, "missed": given != right, "at": now},
    )
    if new:
        _flag(plan, verdict, now=now)
    return verdict


def _flag(plan: GoldPlan, verdict: GoldVerdict, *, now: dt.datetime) -> None:
    """Flag the person if the rule says so, and pause them, once.

    The rows of their roles are locked first: of two submissions judged at once, the second counts
    the first.
    """
    if verdict.missed is None or verdict.item.void_at is not None:
        return
    roles = list(
        Membership.objects.select_for_update(no_key=True)
        .filter(
            user=verdict.user_id, project=plan.project_id, role=stages.get_stage(plan.stage).role
        )
        .order_by("pk")
    )
    if not roles or any(role.paused_at for role in roles):
        return
    flags = GoldFlag.objects.filter(plan=plan, user=verdict.user_id).order_by("-verdict_id")
    last = Coalesce(Subquery(flags.values("verdict_id")[:1]), 0)
    rows = GoldVerdict.objects.filter(COUNTS, plan=plan, user=verdict.user_id)
    counted = list(rows.filter(pk__gt=last).values_list("missed", flat=True))
    if not rule_of(plan).flags(len(counted), sum(map(bool, counted))):
        return
    flag = GoldFlag.objects.create(
        plan=plan,
        user_id=verdict.user_id,
        verdict=rows.order_by("-pk")[0],
        seen=len(counted),
        missed=sum(map(bool, counted)),
        paused=plan.pauses,
        at=now,
    )
    audit.record_action(
        "gold_flagged",
        flag,
        by=None,
        now=now,
        project=plan.project_id,
        user=flag.user_id,
        stage=plan.stage,
        seen=flag.seen,
        missed=flag.missed,
    )
    if plan.pauses:
        for role in roles:
            _pause(role, by=None, now=now)


# --- pausing --------------------------------------------------------------------------------------


def _pause(membership: Membership, *, by: User | None, now: dt.datetime) -> None:
    paused = Membership.objects.filter(pk=membership.pk, paused_at__isnull=True).update(
        paused_at=now, pause_reason=REASON
    )
    if paused:
        audit.record_action(
            "membership_paused",
            membership,
            by=by,
            now=now,
            project=membership.project_id,
            user=membership.user_id,
            reason=REASON,
        )


def _membership(plan: GoldPlan, user: int) -> Membership:
    membership = (
        Membership.objects.select_related("project")
        .filter(project=plan.project_id, user=user, role=stages.get_stage(plan.stage).role)
        .first()
    )
    if membership is None:
        raise Conflict("This person no longer has the role for this work. Nothing was changed.")
    return membership


@transaction.atomic
def pause_person(*, plan: GoldPlan, user: int, by: User, now: dt.datetime) -> None:
    """Hand out no new work to a person; again changes nothing. Staff only."""
    check_can_manage(by, plan.project)
    _pause(_membership(plan, user), by=by, now=now)


def resume_person(*, plan: GoldPlan, user: int, by: User, now: dt.datetime) -> None:
    """Let a paused person work again; the rule then counts from the flag on. Staff only."""
    people_services.lift_pause(membership=_membership(plan, user), by=by, now=now)
