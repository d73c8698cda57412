"""Queries for the people page."""

import datetime as dt
from dataclasses import dataclass, field

from django.db.models import Q, QuerySet

from accounts.models import User
from annotation.core.models.people import (
    INVITATION_OPEN,
    OFFERED_ROLES,
    Invitation,
    Membership,
    Role,
    go_together,
)
from annotation.core.models.projects import Project
from annotation.qualifications.models import Qualified
from annotation.qualifications.queries import qualified_in

ORDER = {role: place for place, role in enumerate(Role.values)}


@dataclass
class Member:
    """One person with all their roles in a project."""

    user: User
    memberships: list[Membership] = field(default_factory=list)
    qualified: list[Qualified] = field(default_factory=list)

    @property
    def paused(self) -> list[Membership]:
        return [each for each in self.memberships if each.paused_at]

    @property
    def since(self) -> dt.datetime:
        return min(each.created_at for each in self.memberships)

    @property
    def further_roles(self) -> list[tuple[str, str]]:
        """Roles the person does not have yet and that go with theirs, as (value, label)."""
        has = {row.role for row in self.memberships}
        return [
            (value, label)
            for value, label in OFFERED_ROLES
            if value not in has and go_together(has, value)
        ]


def list_members(project: Project) -> list[Member]:
    """Return everyone who works in the project, by name, with their qualifications.

    Participants come and go, and have a page of their own. Two queries.
    """
    by_user: dict[int, Member] = {}
    rows = Membership.objects.filter(project=project, user__is_participant=False)
    rows = rows.select_related("user")
    for row in rows.order_by("user__name", "user_id"):
        by_user.setdefault(row.user_id, Member(row.user)).memberships.append(row)
    held = qualified_in(project)
    for member in by_user.values():
        member.qualified = held.get(member.user.pk, [])
        member.memberships.sort(key=lambda row: ORDER[row.role])
    return list(by_user.values())


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
