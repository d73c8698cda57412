"""Who can judge the items of a study."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, Value

from annotation.access.projects import STAFF
from annotation.models import Membership, Project, Qualified, Role, StagePolicy
from annotation.stages import registry as stages


@dataclass(frozen=True)
class Rater:
    """A person with the role that judges. staff: they also run the project."""

    user_id: int
    name: str
    paused: bool
    qualified: bool
    staff: bool

    @property
    def able(self) -> bool:
        """Whether they get work of the study."""
        return self.qualified and not self.paused


@dataclass(frozen=True)
class Raters:
    """Everyone with the role, by name, and what the role is called."""

    role: str
    people: tuple[Rater, ...]

    @property
    def able(self) -> int:
        """How many of them get work."""
        return sum(person.able for person in self.people)

    @property
    def waiting(self) -> list[Rater]:
        """Those of them who get none now."""
        return [person for person in self.people if not person.able]

    @property
    def staff(self) -> list[str]:
        """The names of those who can see who wrote what."""
        return [person.name for person in self.people if person.staff]


def policy_of(project: Project, stage: str, split: str) -> StagePolicy | None:
    """Return the policy of a stage on a split, with its qualification; None if there is none."""
    policies = StagePolicy.objects.select_related("qualification")
    return policies.filter(project=project, stage=stage, split=split).first()


def raters_of(project: Project, stage: str, policy: StagePolicy | None) -> Raters:
    """Return who has the role of a stage, and who of them may work under its policy. One query."""
    role = stages.get_stage(stage).role
    own = {"user": OuterRef("user"), "project": OuterRef("project")}
    held = Qualified.objects.filter(
        user=OuterRef("user"),
        qualification=policy.qualification_id if policy else None,
        revoked_at=None,
    )
    demands = policy is not None and policy.qualification_id is not None
    rows = (
        Membership.objects.filter(Q(user__is_active=True), project=project, role=role)
        .annotate(
            qualified=Exists(held) if demands else Value(True),
            staff=Exists(Membership.objects.filter(role__in=STAFF, **own)),
        )
        .order_by("user__name", "user_id")
    )
    return Raters(
        role=str(Role(role).label).lower(),
        people=tuple(
            Rater(user, name, paused is not None, qualified, staff)
            for user, name, paused, qualified, staff in rows.values_list(
                "user_id", "user__name", "paused_at", "qualified", "staff"
            )
        ),
    )
