"""What a signed-in person gets is theirs: no cache that others share may keep it."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


def keep_private(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Add Cache-Control to what says nothing of it itself.

    A browser may show a page again on Back, and asks first everywhere else; data (JSON, files) it
    does not keep at all.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if "Cache-Control" not in response.headers and request.user.is_authenticated:
            page = response.headers.get("Content-Type", "").startswith("text/html")
            response["Cache-Control"] = "private, no-cache" if page else "private, no-store"
        return response

    return middleware
