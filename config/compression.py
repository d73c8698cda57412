"""Compress pages as they are sent; static files are compressed when they are collected."""

import gzip
import io
import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import patch_vary_headers

# Twice as fast as Django's 6, and the work page is a kilobyte longer.
LEVEL = 2
SHORTEST = 200  # bytes; less is not worth it


def compress_pages(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Send HTML with gzip to browsers that take it; downloads and data go as they are.

    A page holds a token and may repeat words from its address, which invites guesses by length
    (BREACH). Django masks the token anew in each page and we add up to 100 random bytes, and
    session cookies are `SameSite=Lax`, so another site cannot even ask. See ADR 20.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if (
            response.streaming
            or not response.headers.get("Content-Type", "").startswith("text/html")
            or len(response.content) < SHORTEST
            or "Content-Encoding" in response.headers
        ):
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        if re_accepts_gzip.search(request.META.get("HTTP_ACCEPT_ENCODING", "")):
            response.content = _compressed(response.content)
            response["Content-Length"] = str(len(response.content))
            response["Content-Encoding"] = "gzip"
        return response

    return middleware


def _compressed(page: bytes) -> bytes:
    """Return the page as a gzip file with a name of random length, which browsers pass over."""
    name = "a" * secrets.randbelow(100)
    packed = io.BytesIO()
    with gzip.GzipFile(name, "wb", LEVEL, packed, mtime=0) as file:
        file.write(page)
    return packed.getvalue()
