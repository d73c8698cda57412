"""The page of an installation in which nobody can sign in yet: what to do next.

Anyone who finds the address may read it. So it says which parts are in order and nothing that the
others do not say of themselves: no names, numbers, addresses, paths or reasons. Nothing can be done
from here; that takes somebody on the server. It is gone once there is an account.
"""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import ProgrammingError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from markupsafe import Markup

from accounts.models import User
from operations import health
from wikipedia.models import Snapshot

PAGES = ("home", "account_login")
# What to do about a part that is not in order, by its name in operations.health.
ADVICE = {
    "version": Markup(
        "Program and database are of different versions. Run <code>manage.py migrate</code>, or "
        "start the program that fits."
    ),
    "broker": Markup(
        "Workers cannot be sent anything. Look at <code>REDIS_URL</code> and "
        "<code>BROKER_URL</code>."
    ),
    "storage": Markup(
        "Uploads cannot be kept, or there is little room. Look at <code>STORAGE_URL</code> and "
        "the disk."
    ),
    "workers": Markup(
        "Imports and exports wait. Start <code>celery --app config worker</code>, or the unit or "
        "container that does."
    ),
    "clock": Markup(
        "What is due at a certain time waits. One <code>celery --app config beat</code> runs in "
        "the whole installation."
    ),
    "jobs": Markup("One has waited for more than 15 minutes. Look at the log of the workers."),
    "mail": Markup("The mail server takes nothing. Look at <code>EMAIL_URL</code>."),
    "index": Markup(
        "A search index cannot be used, or is of another version. <code>/healthz</code> names it."
    ),
}
NO_EMAIL = Markup(
    "Invitations work without it: you copy each link and send it yourself. Set "
    "<code>EMAIL_URL</code> when you have a mail server."
)
NO_WIKIPEDIA = Markup(
    "Without one, people cannot search or read. Download an archive, then run "
    "<code>manage.py index_wikipedia</code>; docs/snapshots.md says how."
)


@dataclass(frozen=True)
class Concern:
    """A part of the installation that needs a look: a title, and what to do."""

    title: str
    advice: Markup


@dataclass(frozen=True)
class Parts:
    """What the installation has so far: the names of parts in order, and the others."""

    in_order: list[str]
    concerns: list[Concern]

    @property
    def count(self) -> int:
        """How many parts there are."""
        return len(self.in_order) + len(self.concerns)


class FirstRunMiddleware:
    """Show the page in place of the sign-in page, for as long as nobody can sign in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Answer in place of the pages of strangers. One query, for strangers alone."""
        match = request.resolver_match
        asked = match is not None and match.view_name in PAGES and request.method in ("GET", "HEAD")
        if not asked or request.user.is_authenticated:
            return None
        try:
            return None if has_people() else show_first_run(request)
        except ProgrammingError:  # no tables, or those of another version
            return show_unprepared(request)


def has_people() -> bool:
    """Return whether anybody could sign in. Participants come by links of their own."""
    return User.objects.filter(is_active=True, is_participant=False).exists()


@never_cache
def show_first_run(request: HttpRequest) -> HttpResponse:
    """Show the next command, and what the installation has so far."""
    context = {
        "parts": look_at_parts(),
        "now": timezone.now(),
        "days": dt.timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT).days,
    }
    return render(request, "operations/first_run.html", context)


@never_cache
def show_unprepared(request: HttpRequest) -> HttpResponse:
    """Show the command that makes the tables, without asking the database anything."""
    context = {"parts": None, "now": timezone.now()}
    response = render(request, "operations/first_run.html", context, status=503)
    # The page says it all, and whoever waits asks for it every few seconds: no error each time.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def look_at_parts() -> Parts:
    """Return how the parts are, e-mail and a first Wikipedia among them."""
    absent = {}
    if not Snapshot.objects.exists():
        absent["index"] = Concern("There is no Wikipedia yet", NO_WIKIPEDIA)
    if not settings.EMAIL_URL:
        absent["mail"] = Concern("E-mail is not set up", NO_EMAIL)
    in_order, concerns = [], []
    for check in health.CHECKS:
        if concern := absent.pop(check.name, None):
            concerns.append(concern)
        elif health.run_check(check).state == health.OK:
            in_order.append(check.label)
        else:
            advice = ADVICE.get(check.name, Markup())
            concerns.append(Concern(f"{check.label}: needs a look", advice))
    concerns += absent.values()  # what no check looks at
    return Parts(in_order, concerns)
