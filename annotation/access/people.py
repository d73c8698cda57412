"""Who may use an invitation, and whose role may be taken away."""

import datetime as dt
from collections.abc import Collection

from django.utils import timezone

from accounts.models import User
from annotation.access.projects import check_can_manage_people
from annotation.core.models.people import (
    SEE_ANSWERS,
    Invitation,
    Membership,
    Role,
    all_go_together,
    go_together,
    join_role_names,
)
from annotation.core.refusals import Conflict, Denied


class UnreadableLink(Denied):
    """The link is damaged, or we did not make it (404)."""

    status = 404


class InvitationOver(Denied):
    """The link used to work and no longer does (410)."""

    status = 410


def check_invitation_open(invitation: Invitation, now: dt.datetime) -> None:
    """Refuse an invitation that was used, was withdrawn, was declined or is too old."""
    check_not_ended(invitation)
    if invitation.expires_at <= now:
        ended = timezone.localtime(invitation.expires_at)
        day = f"{ended.day} {ended:%B %Y}"
        raise InvitationOver(f"This invitation ended on {day}. Ask the project for a new one.")


def end_of_invitation(invitation: Invitation) -> str:
    """Return how an invitation that no longer works ended: used, withdrawn, declined, expired."""
    if invitation.accepted_at:
        return "used"
    if invitation.revoked_at:
        return "withdrawn"
    return "declined" if invitation.declined_at else "expired"


def check_not_ended(invitation: Invitation) -> None:
    """Refuse an invitation that no renewal can bring back."""
    if invitation.accepted_at:
        raise InvitationOver("This invitation was used. Sign in with the account it made.")
    if invitation.revoked_at:
        raise InvitationOver("This invitation was withdrawn. Ask the project for a new one.")
    if invitation.declined_at:
        raise InvitationOver("This invitation was declined, and its address is no longer kept.")


def check_invitation_is_for(user: User, invitation: Invitation) -> None:
    """Refuse people signed in with an address other than the invited one."""
    if invitation.declined_at:  # it no longer says for whom it was
        check_not_ended(invitation)
    if user.email.lower() != invitation.email.lower():
        raise Denied(
            f"This invitation is for {invitation.email}, and you are signed in as {user.email}. "
            "Sign out, then open the link again."
        )


def check_roles_go_together(name: str, roles: Collection[str], role: str) -> None:
    """Refuse an expert who could see answers of the project, by whatever role comes second."""
    if go_together(roles, role):
        return
    if role != Role.EXPERT:
        raise Conflict(
            f"{name} is an expert here. Experts judge without seeing what the project's people "
            "wrote, so they cannot have this role. Remove the role expert first."
        )
    raise Conflict(
        f"{name} has a role that shows answers of this project, and experts judge without seeing "
        "them. Remove every other role first, except judge."
    )


def check_one_may_have(roles: Collection[str]) -> None:
    """Refuse roles that no one may have together."""
    if not all_go_together(roles):
        raise Conflict(
            "These roles do not go together. Experts must not see the answers of others, and "
            f"{join_role_names(set(roles) & SEE_ANSWERS)} can. Give one of the two."
        )


def check_can_remove_role(user: User, membership: Membership) -> None:
    """Refuse unless the person may change roles here and at least one admin remains."""
    check_can_manage_people(user, membership.project)
    if membership.role != Role.ADMIN:
        return
    others = Membership.objects.filter(project=membership.project, role=Role.ADMIN)
    if not others.exclude(pk=membership.pk).exists():
        raise Conflict("A project needs at least one admin. Make someone else an admin first.")
