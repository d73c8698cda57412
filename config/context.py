"""Values that every page can show."""

from functools import cache

from django.conf import settings
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.html import format_html

from accounts.models import User
from annotation.news.queries import count_unread
from crowds.queries import of_user
from crowds.views.participants import taking_part


def csrf_context(request: HttpRequest) -> dict[str, object]:
    """Return the token that forms send, and the field that holds it: made once for a page."""
    made = SimpleLazyObject(lambda: get_token(request))
    field = '<input type="hidden" name="csrfmiddlewaretoken" value="{}">'
    return {
        "csrf_token": made,
        "csrf_input": SimpleLazyObject(lambda: format_html(field, made)),
    }


def version_context(request: HttpRequest) -> dict[str, str]:
    """Return the version shown in the footer."""
    return {"ambit_version": settings.VERSION}


def news_context(request: HttpRequest) -> dict[str, object]:
    """Return a function counting a person's news, called only on pages that show the number."""
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return {}
    # A function: pages that do not show the number do not pay for it.
    return {"unread_news": cache(lambda: count_unread(user, now=timezone.now()))}


def participant_context(request: HttpRequest) -> dict[str, object]:
    """Return functions for a participant's part and how far it is; no one else is asked about."""
    user = getattr(request, "user", None)
    if not isinstance(user, User) or not user.is_participant:
        return {}
    own_part = cache(lambda: of_user(user))
    return {"own_part": own_part, "taking_part": cache(lambda: taking_part(own_part()))}
