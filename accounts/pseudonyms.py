"""Names for exports: the same person has the same one within a project, and no other."""

import hashlib
import hmac

from django.conf import settings

from accounts.models import User


def pseudonym(user: User, *, scope: str) -> str:
    """Return the person's pseudonym within `scope` (a project's slug).

    A keyed hash: without the key nobody can go from pseudonym to person, nor link one
    person across two projects. Stable as long as PSEUDONYM_KEY is.
    """
    message = f"{scope}\0{user.key}".encode()
    digest = hmac.new(settings.PSEUDONYM_KEY.encode(), message, hashlib.sha256).hexdigest()
    return f"person-{digest[:12]}"
