"""Queries for the people page."""

import datetime as dt
import re
from dataclasses import dataclass, field

from django.db.models import Count, Q, QuerySet

from accounts.fields import one_line
from accounts.models import User
from annotation.access.projects import STAFF
from annotation.core.models.people import (
    INVITATION_OPEN,
    Invitation,
    Membership,
    Role,
)
from annotation.core.models.projects import Project
from annotation.people.work_notes import MemberFacts, WorkNote
from annotation.people.work_queries import list_work
from annotation.qualifications.models import Qualified
from annotation.qualifications.queries import qualified_in

WORKERS = [role for role in Role.values if role not in STAFF]
# What a name may not have in a line of a list of people to invite.
NOT_IN_A_NAME = re.compile(r'[<>,;"\t]+')
ORDER = {role: place for place, role in enumerate(Role.values)}


@dataclass
class Member:
    """One person with all their roles in a project, and their work or why they have none."""

    user: User
    facts: MemberFacts
    note: WorkNote
    memberships: list[Membership] = field(default_factory=list)
    qualified: list[Qualified] = field(default_factory=list)

    @property
    def paused(self) -> list[Membership]:
        return [each for each in self.memberships if each.paused_at]

    @property
    def since(self) -> dt.datetime:
        return min(each.created_at for each in self.memberships)

    def is_away(self, before: dt.datetime) -> bool:
        """Whether the person was there before that time and has not been seen since."""
        seen = self.facts.seen_at
        return self.since < before and (seen is None or seen < before)


def list_people(project: Project) -> list[User]:
    """Return everyone with a role in the project but participants, by name. One query."""
    members = Membership.objects.filter(project=project).values("user")
    return list(User.objects.filter(pk__in=members, is_participant=False).order_by("name", "pk"))


def list_members(project: Project, *, now: dt.datetime) -> list[Member]:
    """Return everyone who works in the project, by name, with their qualifications and their work.

    Participants come and go, and have a page of their own. At most eight queries.
    """
    by_user: dict[int, Member] = {}
    work = {each.facts.user: each for each in list_work([project], now=now).get(project.pk, ())}
    rows = Membership.objects.filter(project=project, user__in=list(work))
    rows = rows.select_related("user")
    for row in rows.order_by("user__name", "user_id"):
        theirs = work[row.user_id]
        member = by_user.setdefault(row.user_id, Member(row.user, theirs.facts, theirs.note))
        member.memberships.append(row)
    held = qualified_in(project)
    for member in by_user.values():
        member.qualified = held.get(member.user.pk, [])
        member.memberships.sort(key=lambda row: ORDER[row.role])
    return list(by_user.values())


# --- people of other projects --------------------------------------------------------------------


def list_other_projects(user: User, project: Project) -> list[tuple[Project, int]]:
    """Return the projects whose people this person manages, each with how many workers it has who
    are not in `project` yet; projects without any are left out. One query.
    """
    here = Membership.objects.filter(project=project).values("user")
    theirs = Q(memberships__role__in=WORKERS, memberships__user__is_active=True)
    theirs &= Q(memberships__user__is_participant=False) & ~Q(memberships__user__in=here)
    rows = _managed_by(user).exclude(pk=project.pk)
    rows = rows.annotate(people=Count("memberships__user", filter=theirs, distinct=True))
    return [(row, row.people) for row in rows.filter(people__gt=0).order_by("title", "pk")]


def _managed_by(user: User) -> QuerySet[Project]:
    if user.is_superuser:
        return Project.objects.all()
    return Project.objects.filter(
        pk__in=Membership.objects.filter(user=user, role=Role.ADMIN).values("project")
    )


def list_as_lines(user: User, project: Project, slug: str) -> str:
    """Return the workers of another project who are not in this one, as lines to invite them by;
    "" where the person does not manage the people of that project. Two queries.
    """
    source = _managed_by(user).filter(slug=slug).first()
    if source is None:
        return ""
    rows = Membership.objects.filter(
        project=source, role__in=WORKERS, user__is_active=True, user__is_participant=False
    ).exclude(user__in=Membership.objects.filter(project=project).values("user"))
    people: dict[User, list[str]] = {}
    for row in rows.select_related("user").order_by("user__name", "user", "pk"):
        people.setdefault(row.user, []).append(row.role)
    return "\n".join(
        f"{one_line(NOT_IN_A_NAME.sub(' ', person.name))} <{person.email}>, "
        f"{', '.join(sorted(roles, key=ORDER.__getitem__))}"
        for person, roles in people.items()
    )


def open_invitations(project: Project) -> QuerySet[Invitation]:
    """Return invitations that have not ended, newest first; they may have expired."""
    return (
        Invitation.objects.filter(INVITATION_OPEN, project=project)
        .select_related("invited_by")
        .order_by("-created_at", "-id")
    )


def list_answers(user: User, *, since: dt.datetime) -> list[Invitation]:
    """Return this person's invitations that were declined, or whose link is asked for, since then.

    Only those of projects whose people they still manage. One query.
    """
    rows = Invitation.objects.filter(
        Q(declined_at__gt=since) | Q(renewal_asked_at__gt=since), invited_by=user
    )
    if not user.is_superuser:
        managed = Membership.objects.filter(user=user, role=Role.ADMIN).values("project")
        rows = rows.filter(project__in=managed)
    return list(rows.select_related("project").order_by("-pk"))
