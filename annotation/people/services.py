"""Invite people into a project, give and take roles, lift a pause."""

import datetime as dt
import logging
import smtplib

from django.conf import settings
from django.core.mail import send_mail
from django.core.signing import BadSignature, Signer
from django.db import IntegrityError, transaction
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.fields import one_line
from accounts.models import User
from annotation.access.people import (
    UnreadableLink,
    check_can_remove_role,
    check_invitation_is_for,
    check_invitation_open,
    check_roles_go_together,
)
from annotation.access.projects import check_can_manage, check_can_manage_people
from annotation.core import audit
from annotation.core.models.people import OFFERED_ROLES, Invitation, Membership, Role
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict, Denied
from annotation.work.leases import end_turns

logger = logging.getLogger(__name__)
SIGNER = Signer(salt="annotation.invitation", sep=".")


def _check_role(role: str) -> None:
    offered = dict(OFFERED_ROLES)
    if role not in offered:
        raise Denied(f'There is no role "{role}". Choose one of: {", ".join(offered)}.')


@transaction.atomic
def invite_member(
    *, project: Project, email: str, role: str, by: User, now: dt.datetime
) -> Invitation:
    """Invite an address into a project in one role, for INVITATION_MAX_AGE.

    An earlier invitation of the same address and role that ran out is withdrawn by this one.
    Raises Conflict when the person has the role or an invitation to it is still open.
    """
    check_can_manage_people(by, project)
    _check_role(role)
    email = email.strip().lower()
    name = Role(role).label.lower()
    if Membership.objects.filter(project=project, role=role, user__email=email).exists():
        raise Conflict(f"{email} is already {name} in this project.")
    check_roles_go_together(email, _roles_and_invitations(project, email, now), role)
    earlier = Invitation.objects.filter(
        project=project, email__iexact=email, role=role, accepted_at=None, revoked_at=None
    )
    earlier.filter(expires_at__lte=now).update(revoked_at=now)
    try:
        with transaction.atomic():
            invitation = Invitation.objects.create(
                project=project,
                email=email,
                role=role,
                invited_by=by,
                created_at=now,
                expires_at=now + settings.INVITATION_MAX_AGE,
            )
    except IntegrityError:
        raise Conflict(
            f"{email} has an open invitation as {name}. Copy its link, or revoke it first."
        ) from None
    audit.record_action(
        "invited", invitation, by=by, now=now, project=project, email=email, role=role
    )
    return invitation


def _roles_and_invitations(project: Project, email: str, now: dt.datetime) -> set[str]:
    """Return the roles that an address has in the project, or is invited to."""
    has = Membership.objects.filter(project=project, user__email=email)
    invited = Invitation.objects.filter(
        project=project, email__iexact=email, accepted_at=None, revoked_at=None, expires_at__gt=now
    )
    return {*has.values_list("role", flat=True), *invited.values_list("role", flat=True)}


def invite_by_letter(
    *, project: Project, email: str, role: str, by: User, now: dt.datetime, site: str
) -> tuple[Invitation, bool]:
    """Invite, then send the e-mail; return whether it was sent. `site` is "https://host", no slash.

    A mail server that is down does not undo the invitation: its link can be copied.
    """
    invitation = invite_member(project=project, email=email, role=role, by=by, now=now)
    context = {
        "invitation": invitation,
        "project": project,
        "by": by,
        "link": site + invitation_link(invitation),
    }
    try:
        send_mail(
            f"Invitation to {one_line(project.title)}",
            render_to_string("annotation/people/people_letter.txt", context),
            settings.DEFAULT_FROM_EMAIL,
            [invitation.email],
        )
    except (OSError, ValueError, smtplib.SMTPException):
        logger.exception("The invitation e-mail %s could not be sent.", invitation.pk)
        return invitation, False
    return invitation, True


def _signed(invitation: Invitation) -> str:
    # The time makes old links useless where a restored backup gives the same number again.
    return SIGNER.sign(f"{invitation.pk}-{int(invitation.created_at.timestamp())}")


def invitation_link(invitation: Invitation) -> str:
    """Return the path of the page that accepts the invitation."""
    return reverse("invitation-accept", args=[_signed(invitation)])


def find_invitation(token: str, *, lock: bool = False) -> Invitation:
    """Return the invitation of a link, whatever its state. Raises UnreadableLink for others."""
    problem = UnreadableLink(
        "This link is incomplete or damaged. Copy the whole link from the e-mail."
    )
    try:
        key = int(SIGNER.unsign(token).split("-")[0])
    except (BadSignature, ValueError):
        raise problem from None
    rows = Invitation.objects.select_related("project")
    if lock:
        rows = rows.select_for_update(of=("self",))
    invitation = rows.filter(pk=key).first()
    if invitation is None or _signed(invitation) != token:
        raise problem
    return invitation


@transaction.atomic
def accept_invitation(*, token: str, by: User, now: dt.datetime) -> Membership:
    """Give the signed-in person the role they are invited to. A second call changes nothing."""
    invitation = find_invitation(token, lock=True)
    check_invitation_is_for(by, invitation)
    if invitation.accepted_by_id == by.pk:
        membership = Membership.objects.filter(
            user=by, project=invitation.project, role=invitation.role
        ).first()
        if membership:
            return membership
    check_invitation_open(invitation, now)
    return _join(invitation, by, now)


@transaction.atomic
def accept_new(*, token: str, name: str, password: str, now: dt.datetime) -> User:
    """Make the account of an invited person, with the role. Raises Conflict if they have one."""
    invitation = find_invitation(token, lock=True)
    check_invitation_open(invitation, now)
    try:
        with transaction.atomic():
            user = User.objects.create_user(invitation.email, password, name=name)
    except IntegrityError:  # the account existed, or another invitation made it at this moment
        raise Conflict(f"{invitation.email} has an account. Sign in with it to accept.") from None
    _join(invitation, user, now)
    return user


def _join(invitation: Invitation, user: User, now: dt.datetime) -> Membership:
    invitation.accepted_by = user
    invitation.accepted_at = now
    invitation.save(update_fields=["accepted_by", "accepted_at"])
    membership, _ = _give(invitation.project, user, invitation.role, now)
    audit.record_action(
        "invitation_accepted",
        invitation,
        by=user,
        now=now,
        project=invitation.project,
        role=invitation.role,
    )
    return membership


def _give(project: Project, user: User, role: str, now: dt.datetime) -> tuple[Membership, bool]:
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
def revoke_invitation(*, invitation: Invitation, by: User, now: dt.datetime) -> None:
    """Withdraw an open invitation; again changes nothing. Raises Conflict if it was used."""
    check_can_manage_people(by, invitation.project)
    changed = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None).update(
        revoked_at=now
    )
    invitation.refresh_from_db()
    if invitation.accepted_at:
        raise Conflict(f"{invitation.email} has used this invitation. Remove the role instead.")
    if changed:
        audit.record_action(
            "invitation_revoked", invitation, by=by, now=now, project=invitation.project
        )


@transaction.atomic
def add_role(*, project: Project, user: User, role: str, by: User, now: dt.datetime) -> Membership:
    """Give a person one more role; a role they have changes nothing."""
    check_can_manage_people(by, project)
    _check_role(role)
    membership, created = _give(project, user, role, now)
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
def end_membership(*, membership: Membership, by: User | None, now: dt.datetime) -> None:
    """Delete a membership and free its seats; again changes nothing. Asks no policy."""
    deleted, _ = Membership.objects.filter(pk=membership.pk).delete()
    if deleted:
        if not membership.user.is_superuser:  # superusers work in every role, with a row or without
            end_turns(
                user=membership.user,
                project=membership.project,
                role=membership.role,
                by=by,
                now=now,
            )
        audit.record_action(
            "role_removed",
            membership,
            by=by,
            now=now,
            project=membership.project,
            user=membership.user_id,
            role=membership.role,
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
