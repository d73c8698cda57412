"""Compress pages as they are sent; static files are compressed when they are collected."""

import io
import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import patch_vary_headers
from isal import igzip

# A tenth more bytes than zlib at Django's level 6, for a fifth of its time.
LEVEL = 3
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
    with igzip.IGzipFile(name, "wb", LEVEL, packed, mtime=0) as file:  # type: ignore[no-untyped-call]
        file.write(page)  # type: ignore[no-untyped-call]
    return packed.getvalue()
