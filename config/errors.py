"""Turn refusals into HTTP responses in one place: people read the policy's sentence."""

import errno
import logging
import sys
from collections.abc import Callable
from http import HTTPStatus

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from annotation.core.refusals import Denied
from annotation.uploads.storage import StorageDown

NUL = "The address has a NUL character in its query. Remove it."
NOT_UTF_8 = "Send the request in UTF-8."
logger = logging.getLogger(__name__)
_KEPT = (
    "so this was not stored. What was stored before is still there. Tell whoever runs this "
    "installation, and try again once they have seen to it."
)
NO_ROOM = f"The server’s disk is full, {_KEPT}"
READ_ONLY = f"The server cannot write to its disk or database, {_KEPT}"
# What the system and PostgreSQL call it: a full disk, a limit on one's share of it; read-only.
CANNOT_WRITE = {
    **{errno.ENOSPC: NO_ROOM, errno.EDQUOT: NO_ROOM, "53100": NO_ROOM},
    **{errno.EROFS: READ_ONLY, "25006": READ_ONLY},
}
NO_DATABASE = "Ambit cannot reach its database at the moment. Try again in a minute."
NO_REDIS = "Ambit cannot reach Redis at the moment. Your work is kept. Try again in a minute."

NO_STORAGE = (
    "Ambit cannot reach the storage of its files at the moment, so the file was not taken. "
    "Try again in a minute."
)


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
        """Say what is refused or does not answer; leave other exceptions to Django."""
        if isinstance(exception, Denied):
            if exception.leads_to and not (wants_json(request) or "HX-Request" in request.headers):
                return HttpResponseRedirect(exception.leads_to)
            return render_error(request, str(exception), exception.status)
        if type(exception).__module__.startswith("redis."):  # not imported where it is not used
            logger.error("Redis does not answer: %s", exception)
            return render_error(request, NO_REDIS, HTTPStatus.SERVICE_UNAVAILABLE)
        if sentence := cannot_write(exception):
            logger.error("nothing can be written: %s", exception)
            return render_error(request, sentence, HTTPStatus.SERVICE_UNAVAILABLE)
        if isinstance(exception, StorageDown):  # whose reason is in the log
            return render_error(request, NO_STORAGE, HTTPStatus.SERVICE_UNAVAILABLE)
        return None


def cannot_write(exception: BaseException | None) -> str:
    """Return the sentence for a disk or database that takes nothing, "" for any other error."""
    while exception is not None:
        number = exception.errno if isinstance(exception, OSError) else None
        sentence = CANNOT_WRITE.get(number or getattr(exception, "pgcode", None) or "")
        if sentence:
            return sentence
        exception = exception.__cause__
    return ""


def show_server_error(request: HttpRequest) -> HttpResponse:
    """Answer what no view could catch: an upload is read, and may fill the disk, before a view; and
    without a database nobody can be known.
    """
    error = sys.exception()
    away = isinstance(error, (OperationalError, InterfaceError))
    sentence = cannot_write(error) or (NO_DATABASE if away else "")
    status = HTTPStatus.SERVICE_UNAVAILABLE if sentence else HTTPStatus.INTERNAL_SERVER_ERROR
    if sentence and wants_json(request):
        return JsonResponse({"detail": sentence}, status=status)
    # Without the request: nobody may have looked at who asks.
    context = {"sentence": sentence, "away": sentence == NO_DATABASE}
    return HttpResponse(render_to_string("500.html", context), status=status)


def render_error(request: HttpRequest, sentence: str, status: int) -> HttpResponse:
    """Render the sentence as a fragment for htmx, as JSON for programs, otherwise as a page."""
    if wants_json(request):
        return JsonResponse({"detail": sentence}, status=status)
    template = "_denied.html" if "HX-Request" in request.headers else "denied.html"
    return render(request, template, {"sentence": sentence}, status=status)


def wants_json(request: HttpRequest) -> bool:
    """Return whether a program asks."""
    accepts = request.headers.get("Accept", "")
    return accepts.startswith("application/json") or request.path.startswith("/api/")
