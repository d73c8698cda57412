"""What administrators do to accounts. Each is one transaction with its row of the audit."""

import datetime as dt

from django.db import transaction

from accounts import services as accounts_services
from accounts.models import User
from annotation.core import audit
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.core.states import HELD
from annotation.people.admins import lock_administrators
from annotation.stages import registry as stages
from annotation.work.leases import end_turns
from operations.administration.people.policies import (
    check_administers,
    check_can_be_let_in,
    check_can_deactivate,
    check_can_take_administration,
    check_has_account,
)


def _lock(user: User) -> User:
    return User.objects.select_for_update(no_key=True).get(pk=user.pk)


@transaction.atomic
def make_password_link(*, user: User, by: User, now: dt.datetime) -> str:
    """Return the path of a page on which the person chooses a password; for an e-mail to them."""
    check_administers(by)
    user = _lock(user)
    check_can_be_let_in(user)
    audit.record_action("password_link_sent", user, by=by, now=now, user=user.pk)
    return accounts_services.password_link(user)


@transaction.atomic
def reset_factors(*, user: User, by: User, now: dt.datetime, reason: str) -> None:
    """Delete the person's second factors and sign them out everywhere. Conflict if none is set."""
    check_administers(by)
    user = _lock(user)
    check_has_account(user)
    if not accounts_services.reset_factors(user=user):
        raise Conflict(f"{user} has no second factor.")
    audit.record_action("factors_reset", user, by=by, now=now, user=user.pk, reason=reason)


@transaction.atomic
def end_sessions(*, user: User, by: User, now: dt.datetime) -> None:
    """Sign the person out of every browser and end their API tokens."""
    check_administers(by)
    check_has_account(user)
    accounts_services.end_sessions(user=user)
    audit.record_action("sessions_ended", user, by=by, now=now, user=user.pk)


@transaction.atomic
def deactivate_person(*, user: User, by: User, now: dt.datetime, reason: str) -> None:
    """Close an account: no one signs in with it, and what the person holds goes to others.

    Their work, roles and drafts stay. Again changes nothing. Raises Conflict for the last
    administrator; two who deactivate each other wait for one another, so that one stays.
    """
    lock_administrators()
    user = _lock(user)
    check_can_deactivate(User.objects.get(pk=by.pk), user)
    if not user.is_active:
        return
    User.objects.filter(pk=user.pk).update(is_active=False)
    accounts_services.end_sessions(user=user)
    _free_seats(user, by, now)
    audit.record_action("person_deactivated", user, by=by, now=now, user=user.pk, reason=reason)


def _free_seats(user: User, by: User, now: dt.datetime) -> None:
    held = Assignment.objects.filter(user=user, state__in=HELD).values("project")
    # In the order of their numbers, as two who do this at once must not wait for each other.
    for project in (
        Project.objects.select_for_update(no_key=True).filter(pk__in=held).order_by("pk")
    ):
        for role in sorted({stage.role for stage in stages.of_protocol(project.protocol)}):
            end_turns(user=user, project=project, role=role, by=by, now=now)


@transaction.atomic
def activate_person(*, user: User, by: User, now: dt.datetime) -> None:
    """Let a deactivated person sign in again, as they did before. Again changes nothing."""
    check_administers(by)
    user = _lock(user)
    check_has_account(user)
    if User.objects.filter(pk=user.pk, is_active=False).update(is_active=True):
        audit.record_action("person_activated", user, by=by, now=now, user=user.pk)


@transaction.atomic
def take_administration(*, user: User, by: User, now: dt.datetime, reason: str) -> None:
    """Make an administrator an ordinary person again, who keeps their roles in projects.

    Raises Conflict for the last one, also where two take it from each other at the same moment.
    """
    lock_administrators()
    user = _lock(user)
    check_can_take_administration(User.objects.get(pk=by.pk), user)
    User.objects.filter(pk=user.pk).update(is_superuser=False, is_staff=False)
    audit.record_action("admin_removed", user, by=by, now=now, user=user.pk, reason=reason)


@transaction.atomic
def give_administration(*, user: User, by: User, now: dt.datetime) -> None:
    """Make a person an administrator of the installation. Again changes nothing."""
    check_administers(by)
    user = _lock(user)
    check_can_be_let_in(user)
    if User.objects.filter(pk=user.pk, is_superuser=False).update(is_superuser=True, is_staff=True):
        audit.record_action("admin_made", user, by=by, now=now, user=user.pk, created=False)
