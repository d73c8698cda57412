"""Participants have one page and their work: every other address is as if it did not exist."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from crowds import queries
from crowds.views.skipping import ask_before_skipping

# Names of the pages a participant may open; each still asks whose work it is.
ALLOWED = frozenset(
    {
        *("participant", "participant-consent", "participant-link", "account_logout"),
        *("healthz", "wikipedia:asset"),
        *("work-page", "work-draft", "work-submit", "work-skip", "work-return", "work-resume"),
        *("work-extend", "work-touch", "work-guidelines", "work-search", "work-read"),
        *("work-events", "work-quotes", "work-faq"),
    }
)
# What takes a question away from a participant without an answer.
LEAVING = frozenset({"work-skip", "work-return"})


class ParticipantMiddleware:
    """Send participants from the home page to theirs, and keep them out of everything else."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """Answer in place of pages that are not for participants."""
        if not getattr(request.user, "is_participant", False):
            return None
        match = request.resolver_match
        name = match.view_name if match else ""
        if name in ALLOWED and _is_theirs_now(request.user, kwargs):
            return ask_before_skipping(request, **kwargs) if name in LEAVING else None
        if name == "home":
            return redirect("participant")
        raise Http404


def _is_theirs_now(user: Any, kwargs: Mapping[str, Any]) -> bool:
    """Whether an address is about no work, or about work since they last came.

    Platforms do not prove who comes, and an account goes on from one study of a project to the
    next: whoever comes with the id of someone else must not read what that person wrote before.
    """
    return "assignment_id" not in kwargs or queries.has_taken(user, kwargs["assignment_id"])
