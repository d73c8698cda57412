"""Require sign-in everywhere, except for views marked otherwise."""

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import resolve_url

from accounts.views import SignInView

SENTENCE = "Your session ended. Sign in again."


class SignInMiddleware(LoginRequiredMiddleware):
    """Send people to the sign-in page; fragments and scripts get 401 instead of that page.

    htmx would put the sign-in page in place of the fragment, so the whole window is sent there,
    and afterwards back to the page it showed. Fetches that ask for JSON get a sentence. The
    first page of a stranger is the sign-in page itself.
    """

    def handle_no_permission(  # type: ignore[override]
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponse:
        if "HX-Request" in request.headers:
            headers = request.headers  # our own fetches name the page by Referer only
            shown = urlsplit(headers.get("HX-Current-URL") or headers.get("Referer", ""))
            address = f"{shown.path}?{shown.query}" if shown.query else shown.path
            query = urlencode({"next": address or "/"})
            response = HttpResponse(SENTENCE, status=401, content_type="text/plain")
            response["HX-Redirect"] = f"{resolve_url(settings.LOGIN_URL)}?{query}"
            return response
        if request.headers.get("Accept", "").startswith("application/json"):
            return JsonResponse({"detail": SENTENCE}, status=401)
        match = request.resolver_match
        if match and match.view_name == "home" and request.method in ("GET", "HEAD"):
            page: HttpResponse = SignInView.as_view()(request)
            return page
        return super().handle_no_permission(request, view_func)
