"""How far people are in the training of a qualification, for themselves and for the team."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, Func, OuterRef, Q, QuerySet, Subquery

from accounts.models import User
from annotation.core.models.people import Membership, Role
from annotation.core.models.qualifications import Qualification
from annotation.qualifications.models import (
    Part,
    QualificationAnswer,
    QualificationAttempt,
    QualificationItem,
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
    found = rows.annotate(**_fact_columns(OuterRef("pk"), user))
    return [(row, _facts_of(row, row)) for row in found]


def facts_for(user: User, qualification: Qualification) -> TrainingFacts:
    """Return where the person stands in one. One query."""
    return with_facts(user, Qualification.objects.filter(pk=qualification.pk))[0][1]


def _fact_columns(qualification: Any, user: Any) -> dict[str, Any]:
    """Return the facts about a qualification and a person; the one that has the columns is an
    OuterRef.
    """
    there = {"qualification": qualification, "user": user}
    mine = QualificationAttempt.objects.filter(**there)
    answers = QualificationAnswer.objects.filter(
        attempt__qualification=qualification,
        attempt__user=user,
        attempt__part=Part.STUDY,
        handed_in_at__isnull=False,
    ).exclude(attempt__state=State.ENDED)
    items = QualificationItem.objects.filter(qualification=qualification)
    held = WalkThrough.objects.filter(taken_back_at__isnull=True, **there)
    return {
        "sample_count": _count_of(items.filter(part=Part.STUDY)),
        "exam_count": _count_of(items.filter(part=Part.EXAM)),
        "handed_in": _count_of(answers),
        "study_done": Exists(mine.filter(part=Part.STUDY, state=State.SUBMITTED)),
        "held_on": Subquery(held.values("held_on")),
        "exam_state": Subquery(mine.filter(part=Part.EXAM).order_by("-pk").values("state")[:1]),
        "qualified_now": Exists(Qualified.objects.filter(revoked_at=None, **there)),
    }


def _count_of(rows: QuerySet[Any]) -> Subquery:
    return Subquery(rows.order_by().values(n=Func("pk", function="COUNT")))


def _facts_of(row: Any, qualification: Qualification) -> TrainingFacts:
    return TrainingFacts(
        samples=row.sample_count,
        items=row.exam_count,
        walk_through=qualification.walk_through,
        handed_in=row.handed_in,
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
    """Return everyone who does the work or has begun here, by step, then name. Three queries."""
    attempts = {
        (attempt.user_id, attempt.part): attempt
        for attempt in QualificationAttempt.objects.filter(qualification=qualification)
        .exclude(part=Part.STUDY, state=State.ENDED)
        .order_by("pk")
    }
    walks: dict[int, list[WalkThrough]] = defaultdict(list)
    for walk in (
        WalkThrough.objects.filter(qualification=qualification)
        .select_related("held_by", "taken_back_by")
        .order_by("pk")
    ):
        walks[walk.user_id].append(walk)
    by_step: dict[Where, list[Trainee]] = {where: [] for where in ORDER}
    for user in _people_of(qualification):
        trainee = Trainee(
            user=user,
            facts=_facts_of(user, qualification),
            study=attempts.get((user.pk, Part.STUDY)),
            walk=next((each for each in walks[user.pk] if each.taken_back_at is None), None),
            taken_back=[each for each in walks[user.pk] if each.taken_back_at is not None],
            exam=attempts.get((user.pk, Part.EXAM)),
        )
        by_step[trainee.facts.where].append(trainee)
    return by_step


def _people_of(qualification: Qualification) -> QuerySet[User]:
    """Return the members who do the work or have begun here, each with the facts, by name."""
    member = Membership.objects.filter(project=qualification.project_id, user=OuterRef("pk"))
    there = {"qualification": qualification, "user": OuterRef("pk")}
    people = User.objects.annotate(**_fact_columns(qualification, OuterRef("pk"))).filter(
        Exists(member),
        Exists(member.filter(role__in=_WORKERS))
        | Exists(QualificationAttempt.objects.filter(**there))
        | Exists(WalkThrough.objects.filter(**there))
        | Q(qualified_now=True),
    )
    return people.order_by("name", "pk")
