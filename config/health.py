"""GET /healthz: can database, broker and indexes be used?"""

from collections.abc import Callable

from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.celery import app
from wikipedia.queries import index_problems


def database_problem() -> str | None:
    """Return why the database cannot be used, or None."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return None


def broker_problem() -> str | None:
    """Return why the broker cannot be used, or None."""
    with app.connection_for_write(connect_timeout=2) as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=2)
        # A connection may be lazy; opening a channel is the next step of sending a message.
        broker.channel()
    return None


def index_problem() -> str | None:
    """Return which snapshots have no usable index, or None.

    Only their names: the sentences name folders of this machine, and anyone may ask. Staff can
    read them on the page of snapshots.
    """
    names = ", ".join(index_problems())
    return f"not usable: {names}" if names else None


CHECKS: dict[str, Callable[[], str | None]] = {
    "database": database_problem,
    "broker": broker_problem,
    "index": index_problem,
}


def status() -> dict[str, str]:
    """Return for each part "ok" or a sentence about its problem."""
    found = {}
    for name, check in CHECKS.items():
        try:
            found[name] = check() or "ok"
        except Exception as error:  # whatever it is, the part is not usable
            found[name] = f"not usable: {type(error).__name__}"
    return found


@never_cache
@require_safe
@login_not_required
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when database, broker and index are usable, else 503 naming what is not."""
    parts = status()
    healthy = all(value == "ok" for value in parts.values())
    return JsonResponse(parts, status=200 if healthy else 503)
