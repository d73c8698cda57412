"""Reads about people for administrators."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from knox.models import AuthToken

from accounts import issuer
from accounts.models import Session, User
from annotation.access.projects import STAFF
from annotation.core.models.audit import AuditEntry
from annotation.core.models.people import Invitation, Membership, Role
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.core.states import HELD
from annotation.log import queries as log_queries

PAGE = 25
EVENTS_SHOWN = 12
STATES = [
    ("", "All"),
    ("active", "Active"),
    ("deactivated", "Deactivated"),
    ("erased", "Erased"),
]
KEY, APP, CODES = (
    Authenticator.Type.WEBAUTHN,
    Authenticator.Type.TOTP,
    Authenticator.Type.RECOVERY_CODES,
)


@dataclass(frozen=True)
class PeopleFilter:
    """What the list of people is narrowed down to; "" and None leave all in.

    factor: "with", "without", or "lacking" for those who have to have one and do not.
    """

    text: str = ""
    project: Project | None = None
    factor: str = ""
    state: str = ""


@dataclass
class ProjectRoles:
    """A person's roles in one project. submitted: how much they submitted there, if counted."""

    project: Project
    memberships: list[Membership] = field(default_factory=list)
    submitted: int | None = None

    @property
    def labels(self) -> str:
        """The roles in words."""
        return ", ".join(str(Role(each.role).label).lower() for each in self.memberships)

    @property
    def since(self) -> dt.datetime:
        """When the first role was given."""
        return min(each.created_at for each in self.memberships)


@dataclass(frozen=True)
class PersonRow:
    """A person in the list. factors: kinds that they have; lacking: one is required of them."""

    user: User
    roles: Sequence[ProjectRoles]
    factors: frozenset[str]
    lacking: bool

    @property
    def seen_at(self) -> dt.datetime | None:
        """When they last signed in or opened home, whichever was later."""
        times = [time for time in (self.user.last_login, self.user.news_read_at) if time]
        return max(times, default=None)

    @property
    def paused(self) -> int:
        """In how many projects they get no new work."""
        return sum(any(each.paused_at for each in row.memberships) for row in self.roles)

    @property
    def factor(self) -> str:
        """The strongest second factor, in words; "" for none."""
        if KEY in self.factors:
            return "Security key"
        return "App" if APP in self.factors else ""


@dataclass(frozen=True)
class PersonFacts:
    """What stands beside a person. codes: recovery codes that are left; ways: how they sign in."""

    invited_by: Invitation | None
    factors: Sequence[Authenticator]
    codes: int
    sessions: int
    tokens: int
    held: int
    ways: str


def asks_for_factor() -> bool:
    """Whether staff need a second factor on this installation."""
    return bool(settings.STAFF_SIGN_IN == "second-factor")


def find_people(chosen: PeopleFilter) -> QuerySet[User]:
    """Return people with accounts by name, narrowed down."""
    people = _matching(chosen)
    conditions = {
        "active": Q(is_active=True),
        "deactivated": Q(is_active=False, erased_at__isnull=True),
        "erased": Q(erased_at__isnull=False),
    }
    if chosen.state in conditions:
        people = people.filter(conditions[chosen.state])
    return people.order_by("name", "pk")


def count_people(chosen: PeopleFilter) -> dict[str, int]:
    """Return how many people each state has among those that the other filters leave. One query."""
    counts = _matching(chosen).aggregate(
        all=Count("pk"),
        active=Count("pk", filter=Q(is_active=True)),
        deactivated=Count("pk", filter=Q(is_active=False, erased_at__isnull=True)),
        erased=Count("pk", filter=Q(erased_at__isnull=False)),
    )
    return {"" if key == "all" else key: number for key, number in counts.items()}


def _matching(chosen: PeopleFilter) -> QuerySet[User]:
    people = User.objects.filter(is_participant=False)
    if chosen.text:
        people = people.filter(Q(name__icontains=chosen.text) | Q(email__icontains=chosen.text))
    roles = Membership.objects.filter(user=OuterRef("pk"))
    if chosen.project:
        people = people.filter(Exists(roles.filter(project=chosen.project)))
    factors = Exists(Authenticator.objects.filter(user=OuterRef("pk"), type__in=(KEY, APP)))
    if chosen.factor == "with":
        people = people.filter(factors)
    elif chosen.factor in ("without", "lacking"):
        people = people.exclude(factors)
    if chosen.factor == "lacking":
        staff = Exists(roles.filter(role__in=STAFF)) | Q(is_staff=True) | Q(is_superuser=True)
        people = people.filter(staff, is_active=True)
    return people


def describe_people(people: Iterable[User]) -> list[PersonRow]:
    """Return people with their roles and second factors. Two queries."""
    people = list(people)
    roles = _roles_of(people)
    factors = defaultdict(set)
    for user, kind in Authenticator.objects.filter(user__in=people).values_list("user", "type"):
        factors[user].add(kind)
    rows = []
    for user in people:
        own, kinds = list(roles[user.pk].values()), frozenset(factors[user.pk])
        staff = user.is_staff or any(each.role in STAFF for row in own for each in row.memberships)
        lacking = asks_for_factor() and user.is_active and staff and not kinds & {KEY, APP}
        rows.append(PersonRow(user, own, kinds, lacking))
    return rows


def _roles_of(people: Iterable[User]) -> Mapping[int, dict[int, ProjectRoles]]:
    found: Mapping[int, dict[int, ProjectRoles]] = defaultdict(dict)
    order = list(Role.values)
    rows = Membership.objects.filter(user__in=people).select_related("project")
    for row in sorted(
        rows, key=lambda row: (row.project.title, row.project_id, order.index(row.role))
    ):
        mine = found[row.user_id]
        mine.setdefault(row.project_id, ProjectRoles(row.project)).memberships.append(row)
    return found


def count_outsiders(now: dt.datetime) -> tuple[int, int]:
    """Return how many invitations are open, and how many participants there are. Two queries."""
    invitations = Invitation.objects.filter(
        accepted_at=None, revoked_at=None, expires_at__gt=now
    ).count()
    return invitations, User.objects.filter(is_participant=True).count()


def list_roles(user: User) -> list[ProjectRoles]:
    """Return a person's roles by project, with what they submitted in each. Two queries."""
    rows = list(_roles_of([user])[user.pk].values())
    submitted = dict(
        Assignment.objects.filter(user=user, state=Assignment.State.SUBMITTED)
        .order_by()
        .values_list("project")
        .annotate(n=Count("pk"))
    )
    for row in rows:
        row.submitted = submitted.get(row.project.pk, 0)
    return rows


def find_facts(user: User, *, now: dt.datetime) -> PersonFacts:
    """Return what stands beside a person. Six queries."""
    factors = list(Authenticator.objects.filter(user=user).order_by("created_at"))
    institution = issuer.present_accounts().filter(user=user).exists()
    ways = ["password"] if user.has_usable_password() else []
    ways += ["institution"] if institution else []
    invitation = Invitation.objects.filter(accepted_by=user).select_related("invited_by")
    return PersonFacts(
        invited_by=invitation.order_by("accepted_at", "pk").first(),
        factors=[row for row in factors if row.type != CODES],
        codes=sum(len(row.wrap().get_unused_codes()) for row in factors if row.type == CODES),
        sessions=Session.objects.filter(user=user, expire_date__gt=now).count(),
        tokens=AuthToken.objects.filter(user=user).exclude(expiry__lte=now).count(),
        held=Assignment.objects.filter(user=user, state__in=HELD).count(),
        ways=" and ".join(ways),
    )


def list_events(user: User) -> list[log_queries.LogSentence]:
    """Return what was last done to an account and its roles, newest first. Five queries or so."""
    memberships = Membership.objects.filter(user=user).values_list("pk", flat=True)
    invitations = Invitation.objects.filter(accepted_by=user).values_list("pk", flat=True)
    targets = [
        f"user:{user.pk}",
        *(f"membership:{pk}" for pk in memberships),
        *(f"invitation:{pk}" for pk in invitations),
    ]
    rows = list(AuditEntry.objects.filter(target__in=targets).order_by("-pk")[:EVENTS_SHOWN])
    projects = Project.objects.in_bulk({row.project for row in rows if row.project})
    return log_queries.describe_all_entries(rows, projects)
