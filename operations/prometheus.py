"""Figures for Prometheus: requests, which each process counts, and rows, read when it asks."""

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db.models import Count, Max, Min, Q
from django.utils import timezone
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, Counter, Histogram
from prometheus_client import generate_latest as written
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.values import MutexValue, ValueClass

from annotation.models import Assignment, Job
from config.celery import app
from config.models import Heartbeat
from operations import health
from operations.watch import watch
from wikipedia.models import Snapshot
from wikipedia.snapshots.queries import index_problems

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Seconds. A page takes hundredths; an export streams for minutes after its head was sent.
BUCKETS = (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
QUEUES = ("default", "models")
# Every assignment is counted, of which there may be millions.
COUNTED_SECONDS = 60
HELD = (Assignment.State.ACTIVE, Assignment.State.PARKED)

_own = CollectorRegistry()
_requests = Counter(
    "ambit_requests", "Requests answered.", ["method", "view", "status"], registry=_own
)
_seconds = Histogram(
    "ambit_request_seconds",
    "Seconds until a request was answered.",
    ["view"],
    buckets=BUCKETS,
    registry=_own,
)


def count_request(method: str, view: str, status: int, seconds: float) -> None:
    """Count a request. `view` is the name of its address, "" for one that is not there."""
    method = method if method in METHODS else "other"
    _requests.labels(method, view or "none", str(status)).inc()
    _seconds.labels(view or "none").observe(seconds)


def render_metrics() -> bytes:
    """Return all figures in Prometheus' text format.

    Where the web server has several processes, requests are added up over all of them.
    """
    registry = CollectorRegistry()
    registry.register(Rows())
    requests: Any = _own
    if ValueClass is not MutexValue:
        requests = CollectorRegistry()
        MultiProcessCollector(requests)  # type: ignore[no-untyped-call]
    return written(requests) + written(registry)


class Rows:
    """What the database and the broker say at this moment.

    A part that cannot be read is left out and named by `ambit_up`; the others are given.
    """

    def collect(self) -> Iterator[Metric]:
        """Yield the figures."""
        up = _gauge("ambit_up", "1 if a part can be used, 0 if not.", ["part"])
        for part in health.check_needed_parts():
            up.add_metric([part.name], float(part.state == health.OK))
        for name, read in PARTS.items():
            try:
                families = list(read(timezone.now()))
            except Exception:  # whatever it is, the other figures are worth having
                up.add_metric([name], 0)
                continue
            up.add_metric([name], 1)
            yield from families
        yield up
        version = _gauge("ambit_info", "1; the version is a label.", ["version"])
        version.add_metric([settings.VERSION], 1)
        yield version


def _gauge(name: str, about: str, labels: list[str]) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, about, labels=labels)


def _jobs(now: dt.datetime) -> Iterator[Metric]:
    count = _gauge("ambit_jobs", "Jobs by kind and state.", ["kind", "state"])
    waiting = _gauge("ambit_job_waiting_seconds", "Age of the oldest waiting job.", ["kind"])
    running = _gauge("ambit_job_running_seconds", "Age of the longest running job.", ["kind"])
    silent = _gauge("ambit_job_silent_seconds", "Longest since a running job's sign.", ["kind"])
    rows = Job.objects.values("kind", "state").annotate(
        n=Count("pk"), made=Min("created_at"), begun=Min("started_at"), sign=Min("heartbeat_at")
    )
    for row in rows.order_by("kind", "state"):
        count.add_metric([row["kind"], row["state"]], row["n"])
        if row["state"] == Job.State.QUEUED:
            waiting.add_metric([row["kind"]], _since(row["made"], now))
        elif row["state"] == Job.State.RUNNING:
            running.add_metric([row["kind"]], _since(row["begun"], now))
            silent.add_metric([row["kind"]], _since(row["sign"], now))
    yield from (count, waiting, running, silent)


def _queues(now: dt.datetime) -> Iterator[Metric]:
    length = _gauge("ambit_queue_messages", "Messages that wait for a worker.", ["queue"])
    with app.connection_for_read(connect_timeout=2) as opened:
        opened.ensure_connection(max_retries=1, interval_start=0, timeout=2)
        for name in QUEUES:
            length.add_metric([name], _length(opened, name))
    yield length


def _length(opened: Any, queue: str) -> int:
    """Return how many messages are in a queue, which is not there before its first one."""
    try:
        with opened.channel() as channel:
            return int(channel.queue_declare(queue, passive=True).message_count)
    except opened.channel_errors:
        return 0


def _assignments(now: dt.datetime) -> Iterator[Metric]:
    total = _gauge("ambit_assignments", "Assignments by stage and state.", ["stage", "state"])
    counts = cache.get_or_set("metrics:assignments", _count_assignments, COUNTED_SECONDS)
    for stage, state, number in counts or ():
        total.add_metric([stage, state], number)
    yield total


def _count_assignments() -> list[tuple[str, str, int]]:
    rows = Assignment.objects.values_list("stage", "state").annotate(n=Count("pk"))
    return list(rows.order_by("stage", "state"))


def _leases(now: dt.datetime) -> Iterator[Metric]:
    held = _gauge("ambit_leases", "Seats that people hold.", ["stage"])
    overdue = _gauge("ambit_leases_overdue", "Of these, past the end of their lease.", ["stage"])
    rows = Assignment.objects.filter(state__in=HELD).values("stage")
    counted = rows.annotate(n=Count("pk"), late=Count("pk", filter=Q(lease_ends_at__lt=now)))
    for row in counted.order_by("stage"):
        held.add_metric([row["stage"]], row["n"])
        overdue.add_metric([row["stage"]], row["late"])
    yield from (held, overdue)


def _heartbeats(now: dt.datetime) -> Iterator[Metric]:
    age = _gauge("ambit_heartbeat_age_seconds", "Since the last sign of life.", ["kind", "name"])
    for row in Heartbeat.objects.order_by("name"):
        age.add_metric([row.kind, row.name], _since(row.at, now))
    newest = Job.objects.aggregate(at=Max("ended_at"))["at"]
    last = _gauge("ambit_job_ended_seconds", "Since a job last ended.", [])
    if newest is not None:
        last.add_metric([], _since(newest, now))
    yield from (age, last)


def _storage(now: dt.datetime) -> Iterator[Metric]:
    free = _gauge("ambit_storage_free_bytes", "Room for uploads; left out for a bucket.", [])
    room = watch.find_free_bytes()
    if room is not None:
        free.add_metric([], room)
    yield free


def _snapshots(now: dt.datetime) -> Iterator[Metric]:
    usable = _gauge("ambit_snapshot_usable", "1 if it can be searched and read.", ["snapshot"])
    problems = index_problems()
    names = Snapshot.objects.filter(state=Snapshot.State.READY).order_by("name")
    for name in names.values_list("name", flat=True):
        usable.add_metric([name], float(name not in problems))
    yield usable


def _since(moment: dt.datetime | None, now: dt.datetime) -> float:
    return max(0.0, (now - moment).total_seconds()) if moment else 0.0


PARTS: dict[str, Callable[[dt.datetime], Iterator[Metric]]] = {
    "jobs": _jobs,
    "queues": _queues,
    "assignments": _assignments,
    "leases": _leases,
    "heartbeats": _heartbeats,
    "snapshots": _snapshots,
    "storage": _storage,
}
