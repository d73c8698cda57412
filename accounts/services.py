"""Changes to an account: its settings and its API tokens."""

import datetime as dt
from collections.abc import Mapping

from django.conf import settings
from django.db import transaction
from knox.models import AuthToken

from accounts.models import User
from accounts.shortcuts import all_keys, changed


@transaction.atomic
def change_settings(*, user: User, name: str, single_keys: bool) -> None:
    """Store the person's name and whether single keys are on."""
    user.name = name
    user.single_keys = single_keys
    user.save(update_fields=["name", "single_keys"])


@transaction.atomic
def change_keys(*, user: User, keys: Mapping[str, str]) -> None:
    """Store the keys of a person's shortcuts, by name; no keys restore the defaults."""
    user.keys = changed(all_keys(keys))
    user.save(update_fields=["keys"])


@transaction.atomic
def create_token(*, user: User, now: dt.datetime) -> tuple[str, AuthToken]:
    """Return a new API token's text and its row, which ends REST_KNOX's TOKEN_TTL after `now`.

    Only a hash is stored: the text is shown once, here.
    """
    row, text = AuthToken.objects.create(user=user)
    lasts: dt.timedelta = settings.REST_KNOX["TOKEN_TTL"]  # type: ignore[assignment]
    row.expiry = now + lasts
    row.save(update_fields=["expiry"])
    return text, row


@transaction.atomic
def revoke_token(*, user: User, key: str) -> bool:
    """Delete the person's token that begins with `key`; say whether there was one."""
    deleted, _ = AuthToken.objects.filter(user=user, token_key=key).delete()
    return bool(deleted)
