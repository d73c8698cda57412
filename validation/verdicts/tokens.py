"""The names of columns and quotes on a validator's page, which hide whose they are."""

import hashlib
import hmac

from django.conf import settings


def column_place(assignment_id: int, annotation_id: int) -> bytes:
    """Return by what the columns on the page of one assignment are sorted."""
    return _sealed(f"column:{assignment_id}:{annotation_id}")


def column_token(assignment_id: int, annotation_id: int) -> str:
    """Return the name of a column on the page of one assignment; it hides the annotator."""
    return _sealed(f"token:{assignment_id}:{annotation_id}").hex()[:16]


def quote_token(assignment_id: int, quote_id: int) -> str:
    """Return the name of another person's quote on the page of one assignment."""
    return "c" + _sealed(f"quote:{assignment_id}:{quote_id}").hex()[:15]


def _sealed(text: str) -> bytes:
    return hmac.new(settings.SECRET_KEY.encode(), text.encode(), hashlib.sha256).digest()
