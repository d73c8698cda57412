"""Queries about qualifications: attempts, a person's status, who is qualified."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum

from accounts.models import User
from annotation.core.models.people import Membership
from annotation.core.models.projects import Guideline, Project
from annotation.core.models.qualifications import Qualification
from annotation.core.refusals import Conflict, Denied
from annotation.extensions import hooks
from annotation.qualifications import policies
from annotation.qualifications import training_queries as training
from annotation.qualifications.models import (
    Part,
    QualificationAnswer,
    QualificationAttempt,
    Qualified,
    WalkThrough,
)
from annotation.qualifications.statements import UNMET_DEMANDS
from annotation.qualifications.training import TrainingFacts

State = QualificationAttempt.State
ATTEMPTS_SHOWN = 200


# --- answers -------------------------------------------------------------------------------------


def hint_wait(answer: QualificationAnswer, now: dt.datetime) -> int:
    """Return the seconds until the hint may be shown, 0 if it may be now."""
    if answer.opened_at is None:
        return answer.item.hint_seconds
    since = int((now - answer.opened_at).total_seconds())
    return max(0, answer.item.hint_seconds - since)


def answer_of(user: User, attempt_id: int, number: int) -> QualificationAnswer | None:
    """Return the person's answer to one item, with all that its page needs. One query."""
    return (
        QualificationAnswer.objects.select_related(
            "item", "attempt__user", "attempt__qualification__project__snapshot"
        )
        .filter(attempt_id=attempt_id, attempt__user=user, number=number)
        .first()
    )


def attempt_of(user: User, attempt_id: int) -> QualificationAttempt | None:
    """Return the person's attempt with its answers. Two queries."""
    return (
        QualificationAttempt.objects.select_related("qualification__project__snapshot", "user")
        .prefetch_related(_answers())
        .filter(pk=attempt_id, user=user)
        .first()
    )


def attempt_for_staff(qualification: Qualification, attempt_id: int) -> QualificationAttempt | None:
    """Return an attempt at this qualification with its answers. Two queries."""
    return (
        QualificationAttempt.objects.select_related("qualification__project", "user", "decided_by")
        .prefetch_related(_answers())
        .filter(pk=attempt_id, qualification=qualification)
        .first()
    )


def _answers() -> "Prefetch[Any]":
    return Prefetch("answers", QualificationAnswer.objects.select_related("item"))


def lock_qualification(qualification: Qualification) -> Qualification:
    """Lock the qualification, so that changing, opening and starting it wait for each other."""
    return (
        Qualification.objects.select_for_update(no_key=True, of=("self",))
        .select_related("project")
        .get(pk=qualification.pk)
    )


# --- where somebody stands -----------------------------------------------------------------------


@dataclass(frozen=True)
class QualificationStatus:
    """Where one person stands with a qualification.

    `everything`: all their attempts, oldest first, `attempts` those at the exam. `refusal` is why
    no exam can begin now, "" if one can; `left` is the number of attempts left, None where there is
    no limit. `closed` is why self-study cannot begin, "" if it can.
    """

    qualified: Qualified | None
    facts: TrainingFacts
    everything: Sequence[QualificationAttempt]
    attempts: Sequence[QualificationAttempt]
    going: QualificationAttempt | None
    refusal: str
    left: int | None
    study: QualificationAttempt | None = None
    closed: str = ""
    walk: WalkThrough | None = None


def get_standing(user: User, qualification: Qualification, now: dt.datetime) -> QualificationStatus:
    """Return where the person stands. Four queries, five if a walk-through is required."""
    everything = list(
        QualificationAttempt.objects.filter(user=user, qualification=qualification)
        .select_related("qualification")
        .order_by("number")
    )
    mine = [attempt for attempt in everything if attempt.part == Part.EXAM]
    studies = [e for e in everything if e.part == Part.STUDY and e.state != State.ENDED]
    counted = [attempt for attempt in mine if attempt.state != State.ENDED]
    held = Qualified.objects.filter(user=user, qualification=qualification).order_by("-id").first()
    facts = training.facts_for(user, qualification)
    newest = Guideline.newest_version_of(qualification.project_id)
    most = qualification.max_attempts
    return QualificationStatus(
        qualified=held,
        facts=facts,
        everything=everything,
        attempts=mine,
        going=next((attempt for attempt in mine if attempt.state == State.IN_PROGRESS), None),
        refusal=_refusal(
            policies.check_can_start,
            qualification=qualification,
            newest_guideline=newest,
            training=facts,
            last=counted[-1] if counted else None,
            used=len(counted),
            now=now,
        ),
        left=max(0, most - len(counted)) if most else None,
        study=studies[-1] if studies else None,
        closed=_refusal(
            policies.check_can_study,
            qualification=qualification,
            newest_guideline=newest,
            training=facts,
        ),
        walk=training.walk_through_of(user, qualification) if qualification.walk_through else None,
    )


def _refusal(check: Callable[..., None], **facts: Any) -> str:
    """Return the sentence of a check that refuses, "" if it passes."""
    try:
        check(**facts)
    except Conflict as conflict:
        return str(conflict)
    return ""


def find_demand(user: User, project: Project) -> Denied | None:
    """Return the refusal of what a person must do before an exam of the project, as before work.

    One query, none where nothing of this kind is demanded.
    """
    demands = [demand for demand in hooks.list_demands() if demand.before_exams]
    if not demands:
        return None
    missing = ", ".join(demand.missing.string for demand in demands)
    with connection.cursor() as cursor:
        cursor.execute(
            UNMET_DEMANDS.format(missing=missing), {"project": project.pk, "user": user.pk}
        )
        values = cursor.fetchone() or ()
    unmet = ((demand, value) for demand, value in zip(demands, values, strict=True))
    return next((demand.refusal(value) for demand, value in unmet if value is not None), None)


# --- for staff -----------------------------------------------------------------------------------


def of_project(project: Project, user: User, *, drafts: bool) -> QuerySet[Qualification]:
    """Return the project's qualifications, with items, the team's tasks and the person's status.

    `waiting` counts exams to read; `to_walk` counts people who have submitted their samples and
    wait for their walk-through.
    """
    now_qualified = Qualified.objects.filter(qualification=OuterRef("pk"), revoked_at=None)
    rows = Qualification.objects.filter(project=project).annotate(
        item_count=Count("items", filter=Q(items__part=Part.EXAM), distinct=True),
        sample_count=Count("items", filter=Q(items__part=Part.STUDY), distinct=True),
        waiting=Count("attempts", filter=Q(attempts__state=State.IN_REVIEW), distinct=True),
        people=Count("qualified", filter=Q(qualified__revoked_at=None), distinct=True),
        demanded=Count("policies", distinct=True),
        to_walk=Subquery(_to_walk().values("count")),
        mine=Exists(now_qualified.filter(user=user)),
    )
    return rows if drafts else rows.exclude(state=Qualification.State.DRAFT)


def _to_walk() -> QuerySet[Any]:
    """Return the subquery that counts people who have studied and wait for their walk-through."""
    there = {"qualification": OuterRef("qualification"), "user": OuterRef("user")}
    studied = QualificationAttempt.objects.filter(
        ~Exists(WalkThrough.objects.filter(taken_back_at=None, **there)),
        ~Exists(Qualified.objects.filter(revoked_at=None, **there)),
        qualification=OuterRef("pk"),
        qualification__walk_through=True,
        part=Part.STUDY,
        state=State.SUBMITTED,
    )
    counted = studied.order_by().values("qualification")
    return counted.annotate(count=Count("user", distinct=True))


def attempts_at(qualification: Qualification) -> list[QualificationAttempt]:
    """Return the latest attempts at the exam, those that wait for the team first. One query."""
    rows = QualificationAttempt.objects.filter(qualification=qualification, part=Part.EXAM)
    rows = rows.select_related("user")
    rows = rows.annotate(
        checks=Subquery(
            QualificationAnswer.objects.filter(attempt=OuterRef("pk"))
            .values("attempt")
            .annotate(sum=Sum("checks"))
            .values("sum")
        )
    )
    latest = list(rows.order_by("-id")[:ATTEMPTS_SHOWN])
    return sorted(latest, key=lambda attempt: attempt.state != State.IN_REVIEW)


@dataclass
class MemberQualification:
    """A member of the project and whether they are qualified."""

    user: User
    roles: list[str] = field(default_factory=list)
    held: Qualified | None = None


def list_people(qualification: Qualification) -> list[MemberQualification]:
    """Return everyone in the project with where they stand, by name. Two queries."""
    held = {
        row.user_id: row
        for row in Qualified.objects.filter(qualification=qualification)
        .select_related("given_by", "revoked_by")
        .order_by("id")
    }
    by_user: dict[int, MemberQualification] = {}
    rows = Membership.objects.filter(project=qualification.project_id).select_related("user")
    for row in rows.order_by("user__name", "user_id", "role"):
        person = by_user.setdefault(
            row.user_id, MemberQualification(row.user, held=held.get(row.user_id))
        )
        person.roles.append(row.get_role_display())
    return list(by_user.values())


def qualified_in(project: Project) -> dict[int, list[Qualified]]:
    """Return each member's current qualifications, by id of the person. One query."""
    by_user: dict[int, list[Qualified]] = {}
    rows = Qualified.objects.filter(qualification__project=project, revoked_at=None)
    for row in rows.select_related("qualification").order_by("qualification_id"):
        by_user.setdefault(row.user_id, []).append(row)
    return by_user
