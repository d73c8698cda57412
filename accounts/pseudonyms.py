"""Names for exports: a person has one name within a project, and another elsewhere."""

import hashlib
import hmac

from django.conf import settings

from accounts.models import User


def derive_pseudonym(user: User, *, scope: str) -> str:
    """Return the person's pseudonym within `scope` (a project's slug).

    A keyed hash: without the key no one can find the person behind a pseudonym, or link a
    person across two projects. Stable as long as PSEUDONYM_KEY is.
    """
    return f"person-{keyed_hash(scope, user.key)[:12]}"


def keyed_hash(*parts: object) -> str:
    """Return the HMAC-SHA256 of `parts` under PSEUDONYM_KEY; the first says what they are."""
    message = "\0".join(str(part) for part in parts).encode()
    return hmac.new(settings.PSEUDONYM_KEY.encode(), message, hashlib.sha256).hexdigest()


def question_code(question: int) -> str:
    """Return what names a question to the people who work on it.

    Its id would say in which order questions were imported, and so which ones are handed out again
    as gold items.
    """
    return f"question-{keyed_hash('question', question)[:12]}"
