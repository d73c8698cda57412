"""Changes to an account: its settings, its password and its API tokens."""

import datetime as dt
import uuid
from collections.abc import Mapping

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from knox.models import AuthToken

from accounts.models import Session, User
from accounts.shortcuts import all_keys, changed_keys


@transaction.atomic
def change_settings(*, user: User, name: str, single_keys: bool) -> None:
    """Store the person's name and whether single keys are on."""
    user.name = name
    user.single_keys = single_keys
    user.save(update_fields=["name", "single_keys"])


@transaction.atomic
def change_keys(*, user: User, keys: Mapping[str, str]) -> None:
    """Store the keys of a person's shortcuts, by name; no keys restore the defaults."""
    user.keys = changed_keys(all_keys(keys))
    user.save(update_fields=["keys"])


def password_link(user: User) -> str:
    """Return the path of a page on which the person chooses a password.

    It works once, for PASSWORD_RESET_TIMEOUT seconds, and until they sign in or get another.
    """
    # Forms and pages of sign-in, which no other service needs.
    from allauth.account.forms import default_token_generator
    from allauth.account.utils import user_pk_to_url_str

    key = default_token_generator.make_token(user)
    return reverse("account_reset_password_from_key", args=[user_pk_to_url_str(user), key])


def create_participant() -> User:
    """Make the account of a participant: a pseudonym in place of a name, and no way to sign in."""
    name = uuid.uuid4().hex
    return User.objects.create_user(
        f"{name}@participants.invalid",  # no e-mail can be sent to it (RFC 2606)
        name=f"Participant {name[:6].upper()}",
        is_participant=True,
    )


@transaction.atomic
def create_token(*, user: User, now: dt.datetime) -> tuple[str, AuthToken]:
    """Return a new API token's text and its row, which ends REST_KNOX's TOKEN_TTL after `now`.

    Only a hash is stored: the text is shown once, here.
    """
    row, text = AuthToken.objects.create(user=user)
    lasts: dt.timedelta = settings.REST_KNOX["TOKEN_TTL"]
    row.expiry = now + lasts
    row.save(update_fields=["expiry"])
    return text, row


@transaction.atomic
def revoke_token(*, user: User, key: str) -> bool:
    """Delete the person's token that begins with `key`; say whether there was one."""
    deleted, _ = AuthToken.objects.filter(user=user, token_key=key).delete()
    return bool(deleted)


def end_sessions(*, user: User) -> None:
    """Sign the person out of every browser, and delete their API tokens."""
    Session.objects.filter(user=user).delete()
    end_tokens(user=user)


@transaction.atomic
def reset_factors(*, user: User) -> int:
    """Delete the person's second factors and sign them out everywhere; return how many there were.

    Recovery codes count as one.
    """
    from allauth.mfa.models import Authenticator  # which is about the model of people

    deleted, _ = Authenticator.objects.filter(user=user).delete()
    end_sessions(user=user)
    return int(deleted)


def end_tokens(*, user: User) -> None:
    """Delete all of the person's API tokens."""
    AuthToken.objects.filter(user=user).delete()


def clear_tokens(*, now: dt.datetime) -> int:
    """Delete the API tokens that ended before `now`; return how many."""
    deleted, _ = AuthToken.objects.filter(expiry__lt=now).delete()
    return int(deleted)
