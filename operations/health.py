"""How the installation is: database, broker, workers, clock, waiting jobs, indexes."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.db.models import Min
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.models import Job
from annotation.uploads.storage import StorageDown
from config import versions
from config.celery import app
from config.models import Heartbeat
from operations.heartbeats import GONE_AFTER
from operations.watch import mail_watch, watch
from wikipedia.snapshots.queries import index_problems, outdated_indexes

# A job may wait its turn behind a long one; after so long somebody should look.
WAITS_LONG = dt.timedelta(minutes=15)
LITTLE_ROOM = 1024**3  # bytes; the largest upload has half of it, unless a setting says otherwise
OK, WARNING, DOWN = "ok", "warning", "down"


@dataclass(frozen=True)
class HealthPart:
    """A part of the installation. `sentence` is for anyone: no paths, addresses or hosts.

    state: `ok`; `warning`, which leaves the rest of the site as it is; or `down`.
    """

    name: str
    state: str = OK
    sentence: str = "ok"


@dataclass(frozen=True)
class Check:
    """How a part is looked at, and what it is called on the page."""

    name: str
    label: str
    about: str
    look: Callable[[dt.datetime], HealthPart] = field(repr=False)


def check_database(now: dt.datetime) -> HealthPart:
    """Whether the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HealthPart("database")


def check_version(now: dt.datetime) -> HealthPart:
    """Whether the database is of this version: the new program may have come to other hosts."""
    sentence = versions.find_misfit()
    return HealthPart("version", WARNING, sentence) if sentence else HealthPart("version")


def check_broker(now: dt.datetime) -> HealthPart:
    """Whether a message could be sent to the workers."""
    with app.connection_for_write(connect_timeout=2) as opened:
        opened.ensure_connection(max_retries=1, interval_start=0, timeout=2)
        # A connection may be lazy; opening a channel is the next step of sending a message.
        opened.channel()
    return HealthPart("broker")


def check_storage(now: dt.datetime) -> HealthPart:
    """Whether uploads can be kept, which no page but theirs needs."""
    try:
        free = watch.find_free_bytes()
    except StorageDown as problem:  # whose words are for anyone
        return HealthPart("storage", DOWN, f"not usable: {problem}")
    if free is not None and free < LITTLE_ROOM:
        return HealthPart("storage", WARNING, f"{free // 1024**2:,} MB free")
    return HealthPart("storage")


def check_workers(now: dt.datetime) -> HealthPart:
    """Whether a worker that takes ordinary jobs has shown a sign of life lately."""
    rows = list(Heartbeat.objects.filter(kind=Heartbeat.Kind.WORKER).order_by("name"))
    alive = [row for row in rows if now - row.at <= GONE_AFTER[Heartbeat.Kind.WORKER]]
    if not any("default" in row.queues.split(",") for row in alive):
        return HealthPart("workers", DOWN, _last("no worker runs", rows, now))
    if len(alive) < len(rows):
        lost = len(rows) - len(alive)
        return HealthPart("workers", WARNING, f"{len(alive)} of {len(rows)} run; {lost} lost")
    return HealthPart("workers", OK, f"ok: {len(alive)} run")


def check_clock(now: dt.datetime) -> HealthPart:
    """Whether exactly one clock sends what is due."""
    rows = list(Heartbeat.objects.filter(kind=Heartbeat.Kind.CLOCK))
    alive = [row for row in rows if now - row.at <= GONE_AFTER[Heartbeat.Kind.CLOCK]]
    if not alive:
        return HealthPart("clock", DOWN, _last("the clock does not run", rows, now))
    if len(alive) > 1:
        return HealthPart("clock", WARNING, f"{len(alive)} clocks run; stop all but one")
    return HealthPart("clock")


def check_jobs(now: dt.datetime) -> HealthPart:
    """How long the oldest waiting job has waited."""
    oldest = Job.objects.filter(state=Job.State.QUEUED).aggregate(at=Min("created_at"))["at"]
    if oldest is None:
        return HealthPart("jobs", OK, "ok: none waits")
    sentence = f"the oldest has waited {_long(now - oldest)}"
    if now - oldest > WAITS_LONG:
        return HealthPart("jobs", WARNING, sentence)
    return HealthPart("jobs", OK, f"ok: {sentence}")


def check_indexes(now: dt.datetime) -> HealthPart:
    """Which indexes cannot be used, or are old: only names, since sentences name folders."""
    unusable, outdated = index_problems(), outdated_indexes()
    sentences = [f"not usable: {', '.join(unusable)}"] if unusable else []
    if old := [name for name in outdated if name not in unusable]:
        sentences.append(
            "made by another version of Ambit, to be built again with manage.py index_wikipedia "
            f"or index_passages: {', '.join(old)}"
        )
    return HealthPart("index", WARNING, "; ".join(sentences)) if sentences else HealthPart("index")


def check_mail(now: dt.datetime) -> HealthPart:
    """Whether e-mails can be sent. Everything else works without, so it is only a warning."""
    if not settings.EMAIL_URL:
        return HealthPart("mail", OK, "ok: no server is set, so they are kept as files")
    try:
        mail_watch.find_answer()
    except Exception as error:  # names of hosts are not for anyone
        return HealthPart("mail", WARNING, f"the server takes no e-mail: {type(error).__name__}")
    return HealthPart("mail")


CHECKS = (
    Check("database", "Database", "Keeps everything that people write.", check_database),
    Check("version", "Version", "The program fits the database.", check_version),
    Check("broker", "Broker", "Wakes workers when there is a job.", check_broker),
    Check("storage", "Files", "Keep uploads until a worker takes them.", check_storage),
    Check("workers", "Workers", "Run imports, exports and other jobs.", check_workers),
    Check("clock", "Clock", "Starts regular work. One runs for all hosts.", check_clock),
    Check("jobs", "Jobs", "Wait for a worker, the oldest first.", check_jobs),
    Check("index", "Wikipedia", "Gives the articles that people search and read.", check_indexes),
    Check("mail", "E-mail", "Sends invitations and links for passwords.", check_mail),
)
NEEDED = ("database", "broker")


def run_check(check: Check) -> HealthPart:
    """Return how a part is; whatever goes wrong in looking, the part is down."""
    try:
        return check.look(timezone.now())
    except Exception as error:
        return HealthPart(check.name, DOWN, f"not usable: {type(error).__name__}")


def check_needed_parts() -> list[HealthPart]:
    """Return the parts without which no page works."""
    return [run_check(check) for check in CHECKS if check.name in NEEDED]


def _last(sentence: str, rows: list[Heartbeat], now: dt.datetime) -> str:
    if not rows:
        return sentence
    return f"{sentence}; last sign {_long(now - max(row.at for row in rows))} ago"


def _long(time: dt.timedelta) -> str:
    """Return a length of time in its largest whole unit."""
    seconds = max(0, int(time.total_seconds()))
    for unit, name in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds // unit} {name}"
    return f"{seconds} s"


@never_cache
@require_safe
@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    """Say how every part is, as a page for people and as JSON for programs.

    503 while a part is down. A warning, such as a damaged archive, leaves it at 200.
    """
    parts = [run_check(check) for check in CHECKS]
    states = {part.state for part in parts}
    state = next(state for state in (DOWN, WARNING, OK) if state in states)
    status = 503 if state == DOWN else 200
    if request.accepts("text/html") and "text/html" in request.headers.get("Accept", ""):
        # Without the request: nothing on this page may need the database.
        rows = list(zip(CHECKS, parts, strict=True))
        context = {"rows": rows, "state": state, "now": dt.datetime.now(dt.UTC)}
        page = render_to_string("health.html", context)
        return HttpResponse(page, status=status)
    return JsonResponse(
        {"status": state} | {part.name: part.sentence for part in parts}, status=status
    )
