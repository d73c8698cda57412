"""Reads around qualifications: what an item asks, where somebody stands, who is qualified."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum

from accounts.models import User
from annotation.checks import Context, Report, run_checks
from annotation.models import (
    Membership,
    Project,
    Qualification,
    QualificationAnswer,
    QualificationAttempt,
    QualificationItem,
    Qualified,
)
from annotation.policies import qualification as policies
from annotation.policies.base import Conflict
from annotation.qualifying import (
    Grade,
    Item,
    grade_response,
    grade_verdicts,
    reading_from,
    seeded_from,
)
from annotation.queries.home import newest_guideline_version
from annotation.responses import Response, from_json, settled

State = QualificationAttempt.State
JUDGING = Qualification.Kind.VALIDATION
VERDICTS = {"correct": True, "incorrect": False}
ATTEMPTS_SHOWN = 200


# --- items and answers ---------------------------------------------------------------------------


def item_of(row: QualificationItem) -> Item:
    """Return the stored item as a value."""
    return Item(
        prompt=row.prompt,
        accepted=tuple(reading_from(each, "accepted") for each in row.accepted),
        seeded=tuple(seeded_from(each, "seeded") for each in row.seeded),
        threshold=row.threshold,
        hint=row.hint,
        hint_seconds=row.hint_seconds,
        explanation=row.explanation,
        pages=tuple(row.pages),
    )


def report_on(qualification: Qualification, prompt: str, response: Response) -> Report:
    """Run the rules of the qualification, with the project's settings, on a response.

    Rules that look at what was read are satisfied beforehand: an exam keeps no such log.
    """
    context = Context(
        prompt=prompt,
        reference_date=qualification.project.reference_date,
        pages_opened=1_000,
        minimum_seconds=0,
        settings=qualification.project.rule_settings,
    )
    report = run_checks(response, context)
    wanted = {*qualification.rules}
    return Report(
        findings=tuple(each for each in report.findings if each.rule in wanted),
        blocking=tuple(each for each in report.blocking if each.rule in wanted),
        checklist=(),
    )


def verdicts_of(draft: Mapping[str, Any]) -> list[bool | None]:
    """Return the verdicts in a draft, None where there is none."""
    said = draft.get("verdicts", [])
    return [VERDICTS.get(each) if isinstance(each, str) else None for each in said]


def graded(row: QualificationItem, qualification: Qualification, draft: Mapping[str, Any]) -> Grade:
    """Return what an answer is worth now."""
    if qualification.kind == JUDGING:
        return grade_verdicts(item_of(row), verdicts_of(draft))
    response = settled(from_json(draft))
    report = report_on(qualification, row.prompt, response)
    return grade_response(
        item_of(row), response, unanswered=[finding.summary for finding in report.blocking]
    )


def is_answered(draft: Mapping[str, Any]) -> bool:
    """Whether something of the chosen kind is in the draft."""
    if "verdicts" in draft:
        return any(each is not None for each in verdicts_of(draft))
    kind = draft.get("kind")
    if kind == "none":
        return bool(draft.get("none_reason"))
    if kind == "single":
        return bool(draft.get("single"))
    return any(pair.get("answers") for pair in draft.get("pairs", []))


def hint_wait(answer: QualificationAnswer, now: dt.datetime) -> int:
    """Return in how many seconds the hint may be opened, 0 when it may be now."""
    if answer.opened_at is None:
        return answer.item.hint_seconds
    since = int((now - answer.opened_at).total_seconds())
    return max(0, answer.item.hint_seconds - since)


def answer_of(user: User, attempt_id: int, number: int) -> QualificationAnswer | None:
    """Return the person's answer to one item, with everything its page looks at. One query."""
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


# --- where somebody stands -----------------------------------------------------------------------


def attempts_of(user: User, qualification: Qualification) -> QuerySet[QualificationAttempt]:
    """Return the person's attempts, oldest first."""
    mine = QualificationAttempt.objects.filter(user=user, qualification=qualification)
    return mine.order_by("number")


def is_qualified(user: User, qualification: Qualification) -> bool:
    """Whether the person is qualified now."""
    return Qualified.objects.filter(
        user=user, qualification=qualification, revoked_at=None
    ).exists()


@dataclass(frozen=True)
class Standing:
    """Where one person stands with a qualification, for its first page.

    `refusal` is why no attempt can begin now, "" when one can; `left` counts the attempts that
    are left, None where there is no limit.
    """

    qualified: Qualified | None
    attempts: Sequence[QualificationAttempt]
    going: QualificationAttempt | None
    refusal: str
    left: int | None


def standing(user: User, qualification: Qualification, now: dt.datetime) -> Standing:
    """Return where the person stands. Three queries."""
    mine = list(attempts_of(user, qualification).select_related("qualification"))
    counted = [each for each in mine if each.state != State.ENDED]
    held = Qualified.objects.filter(user=user, qualification=qualification).order_by("-id").first()
    refusal = ""
    try:
        policies.check_can_start(
            qualification=qualification,
            newest_guideline=newest_guideline_version(qualification.project_id),
            qualified=held is not None and held.revoked_at is None,
            last=counted[-1] if counted else None,
            used=len(counted),
            now=now,
        )
    except Conflict as conflict:
        refusal = str(conflict)
    most = qualification.max_attempts
    return Standing(
        qualified=held,
        attempts=mine,
        going=next((each for each in mine if each.state == State.IN_PROGRESS), None),
        refusal=refusal,
        left=max(0, most - len(counted)) if most else None,
    )


# --- for staff -----------------------------------------------------------------------------------


def of_project(project: Project, user: User, *, drafts: bool) -> QuerySet[Qualification]:
    """Return the project's qualifications: items, attempts to read, whether the person has it."""
    now_qualified = Qualified.objects.filter(qualification=OuterRef("pk"), revoked_at=None)
    rows = Qualification.objects.filter(project=project).annotate(
        item_count=Count("items", distinct=True),
        waiting=Count("attempts", filter=Q(attempts__state=State.IN_REVIEW), distinct=True),
        people=Count("qualified", filter=Q(qualified__revoked_at=None), distinct=True),
        demanded=Count("policies", distinct=True),
        mine=Exists(now_qualified.filter(user=user)),
    )
    return rows if drafts else rows.exclude(state=Qualification.State.DRAFT)


def attempts_at(qualification: Qualification) -> list[QualificationAttempt]:
    """Return the latest attempts, those that wait for the team first. One query."""
    rows = QualificationAttempt.objects.filter(qualification=qualification).select_related("user")
    rows = rows.annotate(
        checks=Subquery(
            QualificationAnswer.objects.filter(attempt=OuterRef("pk"))
            .values("attempt")
            .annotate(sum=Sum("checks"))
            .values("sum")
        )
    )
    found = list(rows.order_by("-id")[:ATTEMPTS_SHOWN])
    return sorted(found, key=lambda each: each.state != State.IN_REVIEW)


@dataclass
class Person:
    """A member of the project and whether they are qualified."""

    user: User
    roles: list[str] = field(default_factory=list)
    held: Qualified | None = None


def people(qualification: Qualification) -> list[Person]:
    """Return everybody of the project with where they stand, by name. Two queries."""
    held = {
        row.user_id: row
        for row in Qualified.objects.filter(qualification=qualification)
        .select_related("given_by", "revoked_by")
        .order_by("id")
    }
    found: dict[int, Person] = {}
    rows = Membership.objects.filter(project=qualification.project_id).select_related("user")
    for row in rows.order_by("user__name", "user_id", "role"):
        person = found.setdefault(row.user_id, Person(row.user, held=held.get(row.user_id)))
        person.roles.append(row.get_role_display())
    return list(found.values())


def qualified_in(project: Project) -> dict[int, list[Qualified]]:
    """Return what each member is qualified for now, by id of the person. One query."""
    found: dict[int, list[Qualified]] = {}
    rows = Qualified.objects.filter(qualification__project=project, revoked_at=None)
    for row in rows.select_related("qualification").order_by("qualification_id"):
        found.setdefault(row.user_id, []).append(row)
    return found
