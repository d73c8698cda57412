"""Values that every page can show."""

from functools import cache

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import User
from annotation.queries.news import unread


def version(request: HttpRequest) -> dict[str, str]:
    """Return the version shown in the footer."""
    return {"ambit_version": settings.VERSION}


def news(request: HttpRequest) -> dict[str, object]:
    """Return a function counting a person's news, called only on pages that show the number."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return {}
    # A function: pages that do not show the number do not pay for it.
    return {"unread_news": cache(lambda: unread(user, now=timezone.now()))}
