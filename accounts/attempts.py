"""How many wrong passwords somebody can still send before they have to wait."""

import math
import time
from dataclasses import dataclass

from allauth.account.adapter import get_adapter
from allauth.core.internal import ratelimit
from django.core.cache import cache
from django.forms import Form
from django.http import HttpRequest

MISMATCH, TOO_MANY = "email_password_mismatch", "too_many_login_attempts"


@dataclass(frozen=True)
class Refusal:
    """A refused sign-in: `left` attempts of `limit`; without any, the `seconds` until the next.

    `duration` is how long an attempt counts, in seconds. All are of the limit that is nearest: that
    of the account, or that of the network the request came from.
    """

    too_many: bool
    limit: int
    left: int
    duration: float
    seconds: float

    @property
    def wait(self) -> str:
        """How long until the next attempt, as words."""
        return format_minutes(self.seconds)

    @property
    def longest_wait(self) -> str:
        """How long it can become, as words."""
        return format_minutes(self.duration)


def format_minutes(seconds: float) -> str:
    """Return a time in whole minutes, never rounded down."""
    minutes = math.ceil(seconds / 60)
    return "a minute" if minutes <= 1 else f"{minutes} minutes"


def describe_refusal(request: HttpRequest, form: Form) -> Refusal | None:
    """Return why a sign-in was refused and what is left; None for any other problem of the form.

    The same for addresses with and without an account: both are counted.
    """
    codes = {error.code for error in form.non_field_errors().as_data()}
    if not codes & {MISMATCH, TOO_MANY}:
        return None
    email = form.cleaned_data["login"]
    # allauth counts under this key, which it has no public name for.
    key = get_adapter(request)._get_login_attempts_cache_key(request, email=email)
    limits = {"app": "allauth.account", "action": "login_failed"}
    refusals = []
    for rate in ratelimit.get_rates(**limits):
        now = time.time()
        stored = cache.get(ratelimit.get_cache_key(request, rate=rate, key=key, **limits), [])
        counted = [at for at in stored if at > now - rate.duration]
        left = max(0, rate.amount - len(counted))
        seconds = 0.0 if left else min(counted) + rate.duration - now
        refusals.append(Refusal(TOO_MANY in codes, rate.amount, left, rate.duration, seconds))
    # Of two that are used up, the one that lasts longer.
    return min(refusals, key=lambda refusal: (refusal.left, -refusal.seconds))
