"""Turn refusals into HTTP responses in one place: people read the policy's sentence."""

import logging
from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from annotation.policies import Denied

NUL = "The address has a NUL character in its query. Remove it."
NOT_UTF_8 = "Send the request in UTF-8."
logger = logging.getLogger(__name__)
NO_REDIS = "Ambit cannot reach Redis at the moment. Your work is kept. Try again in a minute."


def refuse_unreadable(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer requests that no view can read: 400 for a NUL in the query, 415 for non-UTF-8 forms.

    No text in the database can hold a NUL. Django raises wherever it reads such a form, even
    while it renders the error page.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if "%00" in request.META.get("QUERY_STRING", ""):
            return _unreadable(request, HTTPStatus.BAD_REQUEST, NUL)
        if request.encoding and request.encoding.lower() not in ("utf-8", "utf8"):
            request.encoding = "utf-8"
            return _unreadable(request, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, NOT_UTF_8)
        return get_response(request)

    return middleware


def _unreadable(request: HttpRequest, status: HTTPStatus, sentence: str) -> HttpResponse:
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": sentence}, status=status)
    return render(request, "400.html", status=status)


class DeniedMiddleware:
    """Answer a Denied raised by any view with its sentence and its status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Say what is refused, or that Redis does not answer; leave other exceptions to Django."""
        if isinstance(exception, Denied):
            return self._say(request, str(exception), exception.status)
        if type(exception).__module__.startswith("redis."):  # not imported where it is not used
            logger.error("Redis does not answer: %s", exception)
            return self._say(request, NO_REDIS, HTTPStatus.SERVICE_UNAVAILABLE)
        return None

    def _say(self, request: HttpRequest, sentence: str, status: int) -> HttpResponse:
        """Render the sentence as a fragment for htmx, as JSON for scripts, otherwise as a page."""
        if request.headers.get("Accept", "").startswith("application/json"):
            return JsonResponse({"detail": sentence}, status=status)
        template = "_denied.html" if "HX-Request" in request.headers else "denied.html"
        return render(request, template, {"sentence": sentence}, status=status)
