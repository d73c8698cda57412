"""How far people are in the training of a qualification, for themselves and for the team."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from accounts.models import User
from annotation.core.models.people import Membership, Role
from annotation.core.models.qualifications import Qualification
from annotation.qualifications.models import (
    Part,
    QualificationAnswer,
    QualificationAttempt,
    Qualified,
    WalkThrough,
)
from annotation.qualifications.training import TrainingFacts, Where

State = QualificationAttempt.State
_WORKERS = (Role.ANNOTATOR, Role.VALIDATOR, Role.JUDGE, Role.EXPERT)


def with_facts(
    user: User, rows: QuerySet[Qualification]
) -> list[tuple[Qualification, TrainingFacts]]:
    """Return qualifications with where the person stands in each. One query."""
    mine = QualificationAttempt.objects.filter(qualification=OuterRef("pk"), user=user)
    handed_in = (
        QualificationAnswer.objects.filter(
            attempt__qualification=OuterRef("pk"),
            attempt__user=user,
            attempt__part=Part.STUDY,
            handed_in_at__isnull=False,
        )
        .exclude(attempt__state=State.ENDED)
        .order_by()
        .values("attempt__user")
        .annotate(count=Count("pk"))
        .values("count")
    )
    held = WalkThrough.objects.filter(
        qualification=OuterRef("pk"), user=user, taken_back_at__isnull=True
    )
    now = Qualified.objects.filter(qualification=OuterRef("pk"), user=user, revoked_at=None)
    found = rows.annotate(
        sample_count=Count("items", filter=Q(items__part=Part.STUDY)),
        exam_count=Count("items", filter=Q(items__part=Part.EXAM)),
        handed_in=Subquery(handed_in),
        study_done=Exists(mine.filter(part=Part.STUDY, state=State.SUBMITTED)),
        held_on=Subquery(held.values("held_on")),
        exam_state=Subquery(mine.filter(part=Part.EXAM).order_by("-pk").values("state")[:1]),
        qualified_now=Exists(now),
    )
    return [(row, _facts_of(row)) for row in found]


def facts_for(user: User, qualification: Qualification) -> TrainingFacts:
    """Return where the person stands in one. One query."""
    return with_facts(user, Qualification.objects.filter(pk=qualification.pk))[0][1]


def _facts_of(row: Any) -> TrainingFacts:
    return TrainingFacts(
        samples=row.sample_count,
        items=row.exam_count,
        walk_through=row.walk_through,
        handed_in=row.handed_in or 0,
        study_done=row.study_done,
        held_on=row.held_on,
        exam=row.exam_state,
        qualified=row.qualified_now,
    )


def walk_through_of(user: User, qualification: Qualification) -> WalkThrough | None:
    """Return the current walk-through, for its person to read. One query."""
    return WalkThrough.objects.filter(
        user=user, qualification=qualification, taken_back_at__isnull=True
    ).first()


@dataclass
class Trainee:
    """A person of the project with where they stand and their work to read."""

    user: User
    facts: TrainingFacts
    study: QualificationAttempt | None = None
    walk: WalkThrough | None = None
    taken_back: list[WalkThrough] = field(default_factory=list)
    exam: QualificationAttempt | None = None

    @property
    def waits_for_team(self) -> bool:
        """Whether the next step is the team's."""
        return self.facts.where in ("walk-through", "grading")


# The steps as the team's page lists them: those that wait for the team first.
ORDER: tuple[Where, ...] = ("grading", "walk-through", "study", "exam", "accepted")


def list_trainees(qualification: Qualification) -> dict[Where, list[Trainee]]:
    """Return everyone who does the work or has begun here, by step, then name. Five queries."""
    counts = {
        row["part"]: row["count"]
        for row in qualification.items.order_by().values("part").annotate(count=Count("pk"))
    }
    attempts = list(
        QualificationAttempt.objects.filter(qualification=qualification)
        .annotate(handed_in=Count("answers", filter=Q(answers__handed_in_at__isnull=False)))
        .order_by("pk")
    )
    walks = list(
        WalkThrough.objects.filter(qualification=qualification)
        .select_related("held_by", "taken_back_by")
        .order_by("pk")
    )
    qualified = set(
        Qualified.objects.filter(qualification=qualification, revoked_at=None).values_list(
            "user_id", flat=True
        )
    )
    attempts_by: dict[int, list[QualificationAttempt]] = defaultdict(list)
    walks_by: dict[int, list[WalkThrough]] = defaultdict(list)
    for attempt in attempts:
        attempts_by[attempt.user_id].append(attempt)
    for walk in walks:
        walks_by[walk.user_id].append(walk)
    begun = {*attempts_by, *walks_by} | qualified
    members = (
        Membership.objects.filter(project=qualification.project_id)
        .filter(Q(role__in=_WORKERS) | Q(user__in=begun))
        .select_related("user")
        .order_by("user__name", "user_id")
    )
    people = {row.user_id: row.user for row in members}
    by_step: dict[Where, list[Trainee]] = {where: [] for where in ORDER}
    for user in people.values():
        trainee = _trainee(
            user,
            qualification,
            counts,
            attempts_by[user.pk],
            walks_by[user.pk],
            user.pk in qualified,
        )
        by_step[trainee.facts.where].append(trainee)
    return by_step


def _trainee(
    user: User,
    qualification: Qualification,
    counts: dict[str, int],
    attempts: Iterable[Any],
    walks: Iterable[WalkThrough],
    qualified: bool,
) -> Trainee:
    studies = [each for each in attempts if each.part == Part.STUDY and each.state != State.ENDED]
    exams = [each for each in attempts if each.part == Part.EXAM]
    held = next((each for each in walks if each.taken_back_at is None), None)
    facts = TrainingFacts(
        samples=counts.get(Part.STUDY, 0),
        items=counts.get(Part.EXAM, 0),
        walk_through=qualification.walk_through,
        handed_in=sum(each.handed_in for each in studies),
        study_done=any(each.state == State.SUBMITTED for each in studies),
        held_on=held.held_on if held else None,
        exam=exams[-1].state if exams else None,
        qualified=qualified,
    )
    return Trainee(
        user=user,
        facts=facts,
        study=studies[-1] if studies else None,
        walk=held,
        taken_back=[each for each in walks if each.taken_back_at is not None],
        exam=exams[-1] if exams else None,
    )
