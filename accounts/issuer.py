"""Which accounts at an institution are those of the institution that is set now.

What an institution calls people is unique only there (OpenID Connect Core 5.7), so accounts are
kept with its address: another one may call somebody else the same.
"""

from hashlib import sha256

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.db.models import QuerySet


def uid_of(name: str) -> str:
    """Return how the account is kept that the institution calls so. Names may be of any length."""
    return f"{_mark()}{sha256(name.encode()).hexdigest()}"


def present_accounts() -> QuerySet[SocialAccount]:
    """Return the accounts of the institution that is set now."""
    accounts: QuerySet[SocialAccount] = SocialAccount.objects.all()
    mark = _mark()
    return accounts.filter(uid__startswith=mark) if mark else accounts.none()


def _mark() -> str:
    """Return what `uid` begins with, "" where no institution is set."""
    apps = settings.SOCIALACCOUNT_PROVIDERS.get("openid_connect", {}).get("APPS", [])
    if not apps:
        return ""
    # Its address is what it calls itself (OpenID Connect Discovery 4.3), and may be written with
    # the place of its settings.
    address = apps[0]["settings"]["server_url"].partition("/.well-known/")[0]
    return f"{sha256(address.encode()).hexdigest()[:16]}:"
