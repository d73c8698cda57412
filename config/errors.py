"""Refusals become HTTP here, once: a policy's sentence is what the person reads."""

import logging
from collections.abc import Callable
from http import HTTPStatus

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from annotation.policies import Denied

logger = logging.getLogger(__name__)
NO_REDIS = "A part of Ambit does not answer now: Redis. Your work is kept. Try again in a minute."


def refuse_nul(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer 400 to a query string with a NUL character: no text in the database can hold one."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("NUL in the query string")
        return get_response(request)

    return middleware


class DeniedMiddleware:
    """Answer a Denied raised by any view with its sentence and its status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Say what is refused, or that Redis does not answer; anything else is a fault."""
        if isinstance(exception, Denied):
            return self._say(request, str(exception), exception.status)
        if type(exception).__module__.startswith("redis."):  # not imported where it is not used
            logger.error("Redis does not answer: %s", exception)
            return self._say(request, NO_REDIS, HTTPStatus.SERVICE_UNAVAILABLE)
        return None

    def _say(self, request: HttpRequest, sentence: str, status: int) -> HttpResponse:
        """Render the sentence as a fragment for htmx, JSON for scripts, else as a page."""
        if request.headers.get("Accept", "").startswith("application/json"):
            return JsonResponse({"detail": sentence}, status=status)
        template = "_denied.html" if "HX-Request" in request.headers else "denied.html"
        return render(request, template, {"sentence": sentence}, status=status)
