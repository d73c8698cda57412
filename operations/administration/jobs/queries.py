"""Reads about the jobs of all projects, their queues and workers."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from django.conf import settings
from django.db import connection
from django.db.models import Exists, OuterRef

from annotation.core.models.jobs import Job
from annotation.jobs.retrying import can_retry_job
from annotation.jobs.sentences import title_of
from annotation.jobs.services import RUN_JOB, UNFINISHED, find_kind
from config.models import Heartbeat
from operations.administration.jobs.statements import ENDED_IN_A_DAY
from operations.administration.queries import FAILED_FOR
from operations.heartbeats import GONE_AFTER

SHOWN = 100
DAY = dt.timedelta(days=1)


@dataclass(frozen=True)
class JobRow:
    """A job with its words. left: seconds it still takes at its pace so far, None if unknown."""

    job: Job
    title: str
    queue: str
    percent: int | None = None
    left: int | None = None
    can_retry: bool = False


@dataclass
class QueueRow:
    """A queue: its unfinished jobs, and the workers that take them."""

    name: str
    running: int = 0
    waiting: int = 0
    oldest: dt.timedelta | None = None
    alive: int = 0
    lost: int = 0


@dataclass(frozen=True)
class WorkerRow:
    """A worker or the clock. age: since its last sign of life."""

    name: str
    kind: str
    queues: Sequence[str]
    age: dt.timedelta
    is_alive: bool


@dataclass(frozen=True)
class EndedJobs:
    """How many jobs of the last day are done and failed; seconds that the done ones took."""

    done: int = 0
    failed: int = 0
    median: float | None = None
    longest: float | None = None


@dataclass
class JobsPage:
    """Everything on the page of jobs."""

    queues: list[QueueRow] = field(default_factory=list)
    workers: list[WorkerRow] = field(default_factory=list)
    unfinished: list[JobRow] = field(default_factory=list)
    failed: list[JobRow] = field(default_factory=list)


def queue_of(job: Job) -> str:
    """Return the queue on which a job waits, as the routes of tasks say."""
    kind = find_kind(job.kind)
    task = kind.task(job.options) if kind and kind.task else RUN_JOB
    routes: Mapping[str, Mapping[str, str]] = settings.CELERY_TASK_ROUTES
    found = (route["queue"] for pattern, route in routes.items() if fnmatchcase(task, pattern))
    return next(found, settings.CELERY_TASK_DEFAULT_QUEUE)


def _describe_job(job: Job, now: dt.datetime) -> JobRow:
    percent = min(100, 100 * job.done // job.total) if job.total else None
    left = None
    if job.total and job.done and job.started_at and job.state == Job.State.RUNNING:
        took = (now - job.started_at).total_seconds()
        left = round(took * max(0, job.total - job.done) / job.done)
    title = job.file_name or title_of(job.kind)
    return JobRow(job, title, queue_of(job), percent, left, can_retry_job(job))


def list_workers(now: dt.datetime) -> list[WorkerRow]:
    """Return the workers and clocks that have shown a sign of life within a day. One query."""
    return [
        WorkerRow(
            row.name,
            row.kind,
            [name for name in row.queues.split(",") if name],
            now - row.at,
            now - row.at <= GONE_AFTER[Heartbeat.Kind(row.kind)],
        )
        for row in Heartbeat.objects.order_by("kind", "name")
    ]


def build_page(now: dt.datetime) -> JobsPage:
    """Return unfinished and failed jobs with their queues and workers. Three queries.

    A job that failed is shown for 30 days, or until one like it is done in its project.
    """
    jobs = Job.objects.select_related("project", "created_by").defer("log", "result")
    unfinished = list(jobs.filter(state__in=UNFINISHED).order_by("-state", "pk")[:SHOWN])
    newer = Job.objects.filter(
        project=OuterRef("project"),
        kind=OuterRef("kind"),
        state=Job.State.DONE,
        pk__gt=OuterRef("pk"),
    )
    failed = jobs.filter(~Exists(newer), state=Job.State.FAILED, ended_at__gt=now - FAILED_FOR)
    page = JobsPage(
        workers=list_workers(now),
        unfinished=[_describe_job(job, now) for job in sorted(unfinished, key=_by_turn)],
        failed=[_describe_job(job, now) for job in failed.order_by("-ended_at")[:SHOWN]],
    )
    page.queues = _sum_queues(page, now)
    return page


def _by_turn(job: Job) -> tuple[bool, int]:
    """Order running jobs first, then waiting ones as they came."""
    return job.state != Job.State.RUNNING, job.pk


def _sum_queues(page: JobsPage, now: dt.datetime) -> list[QueueRow]:
    rows: dict[str, QueueRow] = {}

    def row_of(name: str) -> QueueRow:
        return rows.setdefault(name, QueueRow(name))

    row_of(settings.CELERY_TASK_DEFAULT_QUEUE)
    for each in page.unfinished:
        queue = row_of(each.queue)
        if each.job.state == Job.State.RUNNING:
            queue.running += 1
            continue
        queue.waiting += 1
        queue.oldest = max(queue.oldest or dt.timedelta(), now - each.job.created_at)
    for worker in page.workers:
        for name in worker.queues:
            row_of(name).alive += worker.is_alive
            row_of(name).lost += not worker.is_alive
    return list(rows.values())


def count_ended(now: dt.datetime) -> EndedJobs:
    """Return how the jobs of the last day ended. One query."""
    with connection.cursor() as cursor:
        cursor.execute(ENDED_IN_A_DAY, {"since": now - DAY})
        done, failed, median, longest = cursor.fetchone()
    return EndedJobs(done, failed, median, float(longest) if longest is not None else None)


def list_ended(now: dt.datetime) -> list[JobRow]:
    """Return the newest jobs that ended within a day. One query."""
    jobs = Job.objects.select_related("project", "created_by").defer("log", "result")
    newest = jobs.filter(ended_at__gt=now - DAY).order_by("-ended_at")[:SHOWN]
    return [_describe_job(job, now) for job in newest]
