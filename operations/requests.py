"""Follow each request: an id for its log lines and its jobs, one line, and its time."""

import logging
import re
import uuid
from collections.abc import Callable
from time import perf_counter

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.logs import with_ids
from operations import prometheus

logger = logging.getLogger(__name__)

HEADER = "X-Request-ID"
_USABLE = re.compile(r"[A-Za-z0-9._-]{8,64}")


def follow_requests(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Give each request an id, which its reply names, and count it."""

    def middleware(request: HttpRequest) -> HttpResponse:
        began = perf_counter()
        request_id = _id_of(request)
        with with_ids(request_id=request_id):
            response = get_response(request)
            _note(request, response, perf_counter() - began)
        response[HEADER] = request_id
        return response

    return middleware


def _id_of(request: HttpRequest) -> str:
    """Return the id that a proxy of ours has given the request, or a new one."""
    given = request.headers.get(HEADER, "") if settings.SECURE_PROXY_SSL_HEADER else ""
    return given if _USABLE.fullmatch(given) else uuid.uuid4().hex


def _note(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    """Count the request and write its line; static files and probes are left out."""
    match = request.resolver_match
    if match is None and response.status_code < 400:
        return
    view = match.view_name if match else ""
    prometheus.count_request(request.method or "", view, response.status_code, seconds)
    # The path alone: what comes after it may hold what people search for.
    logger.info(
        "%s %s %d",
        request.method,
        request.path,
        response.status_code,
        extra={
            "method": request.method,
            "path": request.path,
            "view": view,
            "status": response.status_code,
            "seconds": round(seconds, 4),
        },
    )
