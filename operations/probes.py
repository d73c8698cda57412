"""Addresses for programs: does the process live, can it serve, what does it measure?

They are answered before anything else, so they need no HTTPS and no session, and the first two no
host name: a load balancer asks by number, and Prometheus on the same machine without encryption.
"""

from collections.abc import Callable
from hmac import compare_digest
from ipaddress import ip_address

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.http.request import split_domain_port, validate_host

from operations import health, prometheus

NOT_HERE = (
    "Figures are given to programs on this machine that ask the web server itself, as localhost or "
    "by a name in ALLOWED_HOSTS. To read them from elsewhere, set METRICS_TOKEN and send it: "
    "Authorization: Bearer TOKEN\n"
)
UNKNOWN = "Send the token in METRICS_TOKEN: Authorization: Bearer TOKEN\n"
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
# Set by every proxy that Ambit can stand behind. Whoever has one came from elsewhere.
FORWARDED = ("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "Via")


def answer_probes(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer what programs ask; leave all other requests to the pages."""

    def middleware(request: HttpRequest) -> HttpResponse:
        probe = PROBES.get(request.path_info)
        if probe is None:
            return get_response(request)
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        response = probe(request)
        response["Cache-Control"] = "private, no-store"
        return response

    return middleware


@login_not_required
def livez(request: HttpRequest) -> HttpResponse:
    """Answer 200: this process lives. Whoever gets no answer may restart it."""
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 when database and broker can be used, else 503: send people elsewhere."""
    parts = health.check_needed_parts()
    ready = all(part.state == "ok" for part in parts)
    return JsonResponse({part.name: part.sentence for part in parts}, status=200 if ready else 503)


@login_not_required
def show_metrics(request: HttpRequest) -> HttpResponse:
    """Give the figures that Prometheus collects, to whoever has the token or is this machine."""
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "").encode("utf-8", "replace")
        if not compare_digest(given, f"Bearer {settings.METRICS_TOKEN}".encode()):
            response = HttpResponse(UNKNOWN, status=401, content_type="text/plain")
            response["WWW-Authenticate"] = 'Bearer realm="metrics"'
            return response
    elif not _is_here(request):
        return HttpResponse(NOT_HERE, status=403, content_type="text/plain")
    return HttpResponse(prometheus.render_metrics(), content_type=prometheus.CONTENT_TYPE)


def _is_here(request: HttpRequest) -> bool:
    """Whether a program on this machine asks, with no proxy in between."""
    if any(name in request.headers for name in FORWARDED):
        return False
    # Any website may let its name point here; a browser on this machine would then ask under it.
    name, _port = split_domain_port(request.META.get("HTTP_HOST") or request.META["SERVER_NAME"])
    if not validate_host(name, [*LOOPBACK, *settings.ALLOWED_HOSTS]):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


PROBES: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "/livez": livez,
    "/readyz": readyz,
    "/metrics": show_metrics,
}
