"""Give and take roles, and lift a pause."""

import datetime as dt

from django.db import transaction

from accounts.models import User
from annotation.access.people import check_can_remove_role, check_roles_go_together
from annotation.access.projects import check_can_manage, check_can_manage_people
from annotation.core import audit
from annotation.core.models.people import OFFERED_ROLES, Membership
from annotation.core.models.projects import Project
from annotation.core.refusals import Denied
from annotation.work.leases import end_membership

PAUSED_BY_TEAM = "the team has stopped it for now"


def check_role(role: str) -> None:
    """Refuse a role that there is not, and say which there are."""
    offered = dict(OFFERED_ROLES)
    if role not in offered:
        raise Denied(f'There is no role "{role}". Choose one of: {", ".join(offered)}.')


def give_role(project: Project, user: User, role: str, now: dt.datetime) -> tuple[Membership, bool]:
    """Give the role unless the person has it. Raises Conflict if it does not go with the others."""
    # Two roles that are given at the same moment wait here, so that the second is refused by its
    # sentence; the constraint alone could end in a deadlock.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    has = Membership.objects.filter(project=project, user=user).values_list("role", flat=True)
    check_roles_go_together(user.name, set(has), role)
    return Membership.objects.get_or_create(
        user=user, project=project, role=role, defaults={"created_at": now}
    )


@transaction.atomic
def add_role(*, project: Project, user: User, role: str, by: User, now: dt.datetime) -> Membership:
    """Give a person one more role; a role they have changes nothing."""
    check_can_manage_people(by, project)
    check_role(role)
    membership, created = give_role(project, user, role, now)
    if created:
        audit.record_action(
            "role_added", membership, by=by, now=now, project=project, user=user.pk, role=role
        )
    return membership


@transaction.atomic
def remove_role(*, membership: Membership, by: User, now: dt.datetime) -> None:
    """Take a role away from a person. Their seats in it open for others; their drafts are kept."""
    # Two admins who remove each other at the same moment wait here, so that one stays.
    Project.objects.select_for_update(no_key=True).get(pk=membership.project_id)
    check_can_remove_role(by, membership)
    end_membership(membership=membership, by=by, now=now)


@transaction.atomic
def pause_member(*, membership: Membership, by: User, now: dt.datetime) -> None:
    """Hand out no new work to a person in one role; again changes nothing. Staff only."""
    check_can_manage(by, membership.project)
    paused = Membership.objects.filter(pk=membership.pk, paused_at__isnull=True).update(
        paused_at=now, pause_reason=PAUSED_BY_TEAM
    )
    if paused:
        audit.record_action(
            "membership_paused",
            membership,
            by=by,
            now=now,
            project=membership.project,
            user=membership.user_id,
            role=membership.role,
            reason=PAUSED_BY_TEAM,
        )


@transaction.atomic
def lift_pause(*, membership: Membership, by: User, now: dt.datetime) -> None:
    """Let a paused person take work again. Staff only."""
    check_can_manage(by, membership.project)
    lifted = Membership.objects.filter(pk=membership.pk, paused_at__isnull=False).update(
        paused_at=None, pause_reason=""
    )
    if lifted:
        audit.record_action(
            "pause_lifted",
            membership,
            by=by,
            now=now,
            project=membership.project,
            user=membership.user_id,
            role=membership.role,
            reason=membership.pause_reason,
        )
