"""The Content-Security-Policy of every response."""

from collections.abc import Callable

from csp.constants import HEADER
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Add the policy of the settings, which is the same for all pages: it is put together once."""
    policy = build_policy()

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        # Django's pages for developers have styles and scripts of their own.
        if not (settings.DEBUG and response.status_code in (404, 500)):
            response.headers.setdefault(HEADER, policy)
        return response

    return middleware
