"""Refusals become HTTP here, once: a policy's sentence is what the person reads."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from annotation.policies import Denied


class DeniedMiddleware:
    """Answer a Denied raised by any view with its sentence and its status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Render the refusal as a fragment for htmx, JSON for scripts, else as a page."""
        if not isinstance(exception, Denied):
            return None
        if request.headers.get("Accept", "").startswith("application/json"):
            return JsonResponse({"detail": str(exception)}, status=exception.status)
        template = "_denied.html" if "HX-Request" in request.headers else "denied.html"
        return render(request, template, {"sentence": str(exception)}, status=exception.status)
