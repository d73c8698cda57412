"""The page of the next question within the answer to a submission, where a browser can take it.

The scripts of a page ask for it with a header (`carry.js`), once a service worker is there that
gives the page to the browser (`next-page.js`). One request then does what took two, with its
session, person and messages read once. Everything else is redirected as before.
"""

from collections.abc import Callable
from copy import copy
from functools import lru_cache
from typing import Any, Concatenate, ParamSpec

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import ResolverMatch, get_script_prefix, resolve
from django.views.decorators.http import require_safe
from django_htmx.middleware import HtmxDetails

from annotation.access.loaders import UserRequest
from annotation.core.refusals import Denied

ASKED = "HTTP_AMBIT_NEXT"  # the request's, as WSGI names it
PAGE = "Ambit-Page"  # the answer's: the address of the page that it has
_ADDRESS = "HX-Redirect"
SCRIPT = "js/annotation/work/next-page.js"
_DAY = 24 * 60 * 60

P = ParamSpec("P")
_View = Callable[Concatenate[UserRequest, P], HttpResponse]


def brings_next_page(
    show_work: Callable[[UserRequest, int], HttpResponse],
) -> Callable[[_View[P]], _View[P]]:
    """Put the page that a view leads to into its answer. show_work: the view of that page."""

    def decorate(view: _View[P]) -> _View[P]:
        def bring(request: UserRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            answer = view(request, *args, **kwargs)
            address = answer.headers.get(_ADDRESS, "")
            # Where participants may go is decided as they go there (crowds.middleware).
            if not address or ASKED not in request.META or request.user.is_participant:
                return answer
            return _show_next(request, address, show_work) or answer

        return bring

    return decorate


def _show_next(
    request: UserRequest, address: str, show_work: Callable[[UserRequest, int], HttpResponse]
) -> HttpResponse | None:
    """Return the page of work at an address, None where it is another one or cannot be shown.

    What was submitted is submitted: a page that is refused is asked for by the browser, and says so
    at its own address.
    """
    path = f"/{address.removeprefix(get_script_prefix())}"
    try:
        match = resolve(path)
        if match.url_name != "work-page":
            return None
        visit = _as_visit(request, address, path, match)
        page = show_work(visit, match.kwargs["assignment_id"])
    except (Http404, Denied):
        return None
    if page.status_code != 200:
        return None
    page.headers[PAGE] = address
    return page


def _as_visit(request: UserRequest, address: str, path: str, match: ResolverMatch) -> UserRequest:
    """Return a request for a page by the same person, with nothing of the form that was sent."""
    visit: Any = copy(request)
    visit.META = {
        name: value
        for name, value in request.META.items()
        if not name.startswith(("HTTP_HX_", "CONTENT_"))
    }
    visit.method, visit.path, visit.path_info = "GET", address, path
    visit.GET, visit.POST = QueryDict(), QueryDict()
    visit.resolver_match = match
    visit.htmx = HtmxDetails(visit)
    return visit  # type: ignore[no-any-return]


@require_safe
def next_page_script(request: HttpRequest) -> HttpResponse:
    """Send the service worker from where the pages of work are, which it may serve."""
    return HttpResponse(
        _read_script(),
        content_type="text/javascript; charset=utf-8",
        headers={"Cache-Control": f"private, max-age={_DAY}"},
    )


@lru_cache(maxsize=1)
def _read_script() -> str:
    return str((settings.BASE_DIR / "static" / SCRIPT).read_text())
