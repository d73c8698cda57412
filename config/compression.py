"""Compress pages as they are sent; static files are compressed when they are collected."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class CompressPages(GZipMiddleware):
    """Send HTML with gzip to browsers that take it; downloads and data go as they are.

    A page holds a token and may repeat words from its address, which invites guesses by length
    (BREACH). Django masks the token anew in each page and adds up to 100 random bytes, and session
    cookies are `SameSite=Lax`, so another site cannot even ask. See ADR 20.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Return the response, compressed if it is a page."""
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            return response
        return super().process_response(request, response)
