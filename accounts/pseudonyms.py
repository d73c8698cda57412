"""Names for exports: a person has one name within a project, and another elsewhere."""

import hashlib
import hmac

from django.conf import settings

from accounts.models import User


def pseudonym(user: User, *, scope: str) -> str:
    """Return the person's pseudonym within `scope` (a project's slug).

    A keyed hash: without the key no one can find the person behind a pseudonym, or link a
    person across two projects. Stable as long as PSEUDONYM_KEY is.
    """
    message = f"{scope}\0{user.key}".encode()
    digest = hmac.new(settings.PSEUDONYM_KEY.encode(), message, hashlib.sha256).hexdigest()
    return f"person-{digest[:12]}"
