"""Invitations: made, opened, accepted, declined, renewed, withdrawn."""

import datetime as dt
from collections.abc import Collection

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.models import User
from annotation.access.people import (
    UnreadableLink,
    check_invitation_is_for,
    check_invitation_open,
    check_not_ended,
    check_one_may_have,
    check_roles_go_together,
)
from annotation.access.projects import check_can_manage_people
from annotation.consent.services import Agreement, give_consent
from annotation.core import audit
from annotation.core.models.audit import AuditEntry
from annotation.core.models.people import (
    INVITATION_OPEN,
    Invitation,
    LetterState,
    Membership,
    Role,
    join_role_names,
)
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict, Denied
from annotation.people.services import check_role, give_role

SIGNER = Signer(salt="annotation.invitation", sep=".")
# A person whose invitation has expired can ask for a new link this often.
ASK_EVERY = dt.timedelta(days=1)


@transaction.atomic
def invite_member(
    *,
    project: Project,
    email: str,
    roles: Collection[str],
    by: User,
    now: dt.datetime,
    name: str = "",
    message: str = "",
    open_for: dt.timedelta | None = None,
    by_letter: bool = False,
) -> Invitation:
    """Invite an address into a project in some roles, for `open_for` or INVITATION_MAX_AGE.

    An earlier invitation of the same address that has expired is withdrawn by this one.
    `by_letter`: an e-mail is to be sent, which `letters.start_letters` does. Raises Conflict when
    the person has all the roles, when an invitation is open, and for roles that do not go together.
    """
    check_can_manage_people(by, project)
    if not roles:
        raise Denied("Choose at least one role.")
    for role in roles:
        check_role(role)
    check_one_may_have(roles)
    email = email.strip().lower()
    has = set(
        Membership.objects.filter(project=project, user__email=email).values_list("role", flat=True)
    )
    new = [role.value for role in Role if role.value in roles and role.value not in has]
    if not new:
        raise Conflict(f"{email} is already {join_role_names(roles)} in this project.")
    for role in new:
        check_roles_go_together(email, has, role)
    earlier = Invitation.objects.filter(INVITATION_OPEN, project=project, email__iexact=email)
    earlier.filter(expires_at__lte=now).update(revoked_at=now)
    try:
        with transaction.atomic():
            invitation = Invitation.objects.create(
                project=project,
                email=email,
                name=name,
                roles=new,
                message=message,
                invited_by=by,
                created_at=now,
                expires_at=now + (open_for or settings.INVITATION_MAX_AGE),
                letter=LetterState.WAITING if by_letter else LetterState.NONE,
            )
    except IntegrityError:
        open_one = earlier.first()
        as_what = f" as {open_one.role_names}" if open_one else ""
        raise Conflict(
            f"{email} has an open invitation{as_what}. Copy its link, or withdraw it first."
        ) from None
    audit.record_action(
        "invited",
        invitation,
        by=by,
        now=now,
        project=project,
        email=email,
        role=invitation.role_names,
    )
    return invitation


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
    rows = Invitation.objects.select_related("project", "invited_by")
    if lock:
        rows = rows.select_for_update(of=("self",))
    invitation = rows.filter(pk=key).first()
    if invitation is None or _signed(invitation) != token:
        raise problem
    return invitation


def note_opening(*, invitation: Invitation, now: dt.datetime) -> None:
    """Note that the link of an open invitation was opened for the first time."""
    Invitation.objects.filter(
        INVITATION_OPEN, pk=invitation.pk, opened_at=None, expires_at__gt=now
    ).update(opened_at=now)


@transaction.atomic
def accept_invitation(
    *, token: str, by: User, now: dt.datetime, agreement: Agreement | None = None
) -> list[Membership]:
    """Give the signed-in person the roles they are invited to. A second call changes nothing.

    `agreement`: to what they agreed on the page; without one they are asked before their first
    work.
    """
    invitation = find_invitation(token, lock=True)
    check_invitation_is_for(by, invitation)
    if invitation.accepted_by_id == by.pk:
        given = Membership.objects.filter(
            user=by, project=invitation.project, role__in=invitation.roles
        )
        if memberships := list(given.order_by("pk")):
            return memberships
    check_invitation_open(invitation, now)
    return _join(invitation, by, agreement, now)


@transaction.atomic
def accept_new(
    *,
    token: str,
    name: str,
    password: str,
    now: dt.datetime,
    agreement: Agreement | None = None,
) -> User:
    """Make the account of an invited person, with the roles. Raises Conflict if they have one."""
    invitation = find_invitation(token, lock=True)
    check_invitation_open(invitation, now)
    try:
        with transaction.atomic():
            user = User.objects.create_user(invitation.email, password, name=name)
    except IntegrityError:  # the account existed, or another invitation made it at this moment
        raise Conflict(f"{invitation.email} has an account. Sign in with it to accept.") from None
    _join(invitation, user, agreement, now)
    return user


def _join(
    invitation: Invitation, user: User, agreement: Agreement | None, now: dt.datetime
) -> list[Membership]:
    invitation.accepted_by = user
    invitation.accepted_at = now
    invitation.save(update_fields=["accepted_by", "accepted_at"])
    memberships = [give_role(invitation.project, user, role, now)[0] for role in invitation.roles]
    audit.record_action(
        "invitation_accepted",
        invitation,
        by=user,
        now=now,
        project=invitation.project,
        role=invitation.role_names,
    )
    if agreement is not None:
        give_consent(project=invitation.project, agreement=agreement, by=user, now=now)
    return memberships


@transaction.atomic
def decline_invitation(*, token: str, now: dt.datetime) -> None:
    """Decline an open invitation for whoever has its link; again changes nothing.

    The address goes from the row and from the log, with the name and the message. The inviter
    sees in their news that an invitation to the project was declined. Raises InvitationOver for
    an invitation that has ended otherwise.
    """
    invitation = find_invitation(token, lock=True)
    if invitation.declined_at:
        return
    check_invitation_open(invitation, now)
    invitation.declined_at = now
    invitation.email = invitation.name = invitation.message = ""
    invitation.save(update_fields=["declined_at", "email", "name", "message"])
    audit.replace_address(
        AuditEntry.objects.filter(target=f"invitation:{invitation.pk}"), "someone"
    )
    audit.record_action(
        "invitation_declined",
        invitation,
        by=None,
        now=now,
        project=invitation.project,
        role=invitation.role_names,
    )


@transaction.atomic
def ask_for_renewal(*, token: str, now: dt.datetime) -> None:
    """Tell the inviter that somebody wants a new link for an invitation that has expired.

    Within a day of the last time this changes nothing. Raises InvitationOver for invitations that
    ended otherwise, and Conflict for one that still works.
    """
    invitation = find_invitation(token, lock=True)
    check_not_ended(invitation)
    if invitation.expires_at > now:
        raise Conflict("This invitation is still open. Open its link to join.")
    asked = invitation.renewal_asked_at
    if asked and now - asked < ASK_EVERY:
        return
    invitation.renewal_asked_at = now
    invitation.save(update_fields=["renewal_asked_at"])
    audit.record_action(
        "invitation_renewal_asked", invitation, by=None, now=now, project=invitation.project
    )


@transaction.atomic
def renew_invitation(
    *,
    invitation: Invitation,
    by: User,
    now: dt.datetime,
    open_for: dt.timedelta | None = None,
    by_letter: bool = False,
) -> Invitation:
    """Let the same link work until `open_for` (or INVITATION_MAX_AGE) from now, and never shorter.

    `by_letter`: the e-mail is to be sent again. Raises Conflict for an invitation that was used,
    withdrawn or declined.
    """
    check_can_manage_people(by, invitation.project)
    row = Invitation.objects.select_for_update(of=("self",)).get(pk=invitation.pk)
    try:
        check_not_ended(row)
    except Denied:
        raise Conflict("This invitation is over. Invite the person again.") from None
    row.expires_at = max(row.expires_at, now + (open_for or settings.INVITATION_MAX_AGE))
    row.renewal_asked_at = None
    if by_letter:
        row.letter, row.sent_at = LetterState.WAITING, None
    row.save(update_fields=["expires_at", "renewal_asked_at", "letter", "sent_at"])
    audit.record_action("invitation_renewed", row, by=by, now=now, project=invitation.project)
    return row


@transaction.atomic
def revoke_invitation(*, invitation: Invitation, by: User, now: dt.datetime) -> None:
    """Withdraw an open invitation; again changes nothing. Raises Conflict if it was used."""
    check_can_manage_people(by, invitation.project)
    changed = Invitation.objects.filter(INVITATION_OPEN, pk=invitation.pk).update(revoked_at=now)
    invitation.refresh_from_db()
    if invitation.accepted_at:
        raise Conflict(f"{invitation.email} has used this invitation. Remove the role instead.")
    if changed:
        audit.record_action(
            "invitation_revoked", invitation, by=by, now=now, project=invitation.project
        )
