"""Administrators of the installation: superusers, who see every project and Django's admin."""

import datetime as dt
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from accounts.models import User
from annotation.core import audit
from annotation.core.refusals import Conflict


@dataclass(frozen=True)
class AdministratorAccount:
    """An administrator, and whether the account is new."""

    user: User
    created: bool


def lock_administrators() -> None:
    """Lock the administrators for this transaction: who takes away one waits for whoever does.

    Call it before the rows of the accounts are read on which `check_stays_administered` decides.
    """
    admins = User.objects.select_for_update(no_key=True).filter(is_superuser=True)
    list(admins.order_by("pk").values_list("pk"))


def check_stays_administered(user: User) -> None:
    """Refuse to take away the last administrator who can sign in. Call it under the lock."""
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if user.is_superuser and not others.exists():
        raise Conflict(
            "This is the only administrator of the installation. Make someone else one first."
        )


@transaction.atomic
def make_admin(
    *, email: str, name: str, password: str | None, by: User | None, now: dt.datetime
) -> AdministratorAccount:
    """Make the person with this address an administrator, with an account if they have none.

    `name` is only for a new account. Without a password a new account has none yet, and another
    keeps its own; with one, whoever was signed in with the old one is signed out. An account that
    was switched off works again. Raises Conflict if the account appears at this very moment.
    """
    email = email.strip().lower()
    user = User.objects.select_for_update().filter(email__iexact=email).first()
    created = user is None
    if user is None:
        try:
            with transaction.atomic():
                user = User.objects.create_superuser(email, password, name=name)
        except IntegrityError:
            raise Conflict(f"{email} has just got an account. Run this again.") from None
    else:
        user.is_staff = user.is_superuser = user.is_active = True
        if password is not None:
            user.set_password(password)
        user.save(update_fields=["is_staff", "is_superuser", "is_active", "password"])
    audit.record_action("admin_made", user, by=by, now=now, user=user.pk, created=created)
    return AdministratorAccount(user, created)
