"""Keep pages of signed-in people out of shared caches."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


def keep_private(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Add Cache-Control to responses that do not set it themselves.

    Browsers may show a page again on Back, and otherwise ask first; they do not store data (JSON,
    files) at all.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if "Cache-Control" not in response.headers and request.user.is_authenticated:
            page = response.headers.get("Content-Type", "").startswith("text/html")
            response["Cache-Control"] = "private, no-cache" if page else "private, no-store"
        return response

    return middleware
