"""What every page of the administration has: who may open it, and the list of its sections."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from allauth.account.decorators import reauthentication_required
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.access.loaders import UserRequest
from operations.administration import queries as administration_queries

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True)
class Section:
    """One address of the administration. icon: the name of its drawing; url: of its address."""

    key: str
    label: str
    icon: str
    url: str


SECTIONS = (
    Section("people", "People", "people", "administration-people"),
    Section("projects", "Projects", "folder", "administration-projects"),
    Section("jobs", "Jobs", "job", "administration-jobs"),
    Section("models", "Models", "spark", "administration-models"),
    Section("wikipedia", "Wikipedia", "book", "administration-wikipedia"),
    Section("health", "Health", "pulse", "administration-health"),
    Section("storage", "Storage and backups", "disk", "administration-storage"),
    Section("log", "Audit", "list", "administration-audit"),
)


def for_administrators(view: View) -> View:
    """Show a page to administrators of the installation; for others there is none."""

    @wraps(view)
    def show_page(request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_superuser:
            raise Http404
        return view(request, *args, **kwargs)

    # Without no-store a shared computer would show what a browser kept.
    return never_cache(show_page)


def for_administrators_asked_again(view: View) -> View:
    """Ask for the password or a code again before a press that is hard to take back.

    allauth keeps what was posted, and posts it again once the answer is right.
    """
    again: View = reauthentication_required(view)
    return for_administrators(require_POST(again))


def render_section(
    request: UserRequest,
    key: str,
    template: str,
    context: Mapping[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    """Render a page of a section, with the list of sections beside it. One query."""
    badges = administration_queries.count_for_sections(timezone.now())
    frame = {"sections": SECTIONS, "current": key, "badges": badges, "section": "administration"}
    path = f"operations/administration/{template}"
    return render(request, path, {**frame, **context}, status=status)


@for_administrators
@require_safe
def lead_to_people(request: UserRequest) -> HttpResponse:
    """Lead to the first section."""
    return redirect(SECTIONS[0].url)
