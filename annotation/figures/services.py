"""Compute figures and store them, in a job or the command (ADR 21, ADR 31)."""

import datetime as dt
import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from django.db import transaction
from django.db.models import Q

from accounts.models import User
from annotation.core.consistent_view import snapshot
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.extensions.parts import JobKind
from annotation.figures import counts as stored_counts
from annotation.figures.models import StoredFigures
from annotation.figures.stored import ComputedFigures, FigureKind, FigurePlace, Progress
from annotation.jobs import services as jobs_services

# Filtered figures are made for somebody who looks at them; of each report these many are kept.
KEPT = 50
Found = TypeVar("Found", bound=ComputedFigures)


def open_figures(stored: Found, *, by: User, now: dt.datetime) -> Found:
    """Return the stored figures, and start a job if they are out of date."""
    if not stored.due:
        return stored
    return stored.with_job(start_figures_job(stored.place, by=by, now=now))


@transaction.atomic
def start_figures_job(place: FigurePlace, *, by: User, now: dt.datetime) -> Job:
    """Start a job to compute figures; return the unfinished one if there is one."""
    place.readers.check(by, place.project)
    # Of two visitors at once, the second waits here and then sees the job of the first.
    Project.objects.select_for_update(no_key=True, of=["self"]).get(pk=place.project.pk)
    job = place.find_job()
    if job is not None and job.state in jobs_services.UNFINISHED:
        return job
    return jobs_services.create_job(
        project=place.project,
        kind=place.kind.key,
        options=place.options,
        unit=place.kind.unit,
        by=by,
        now=now,
    )


def bring_up_to_date(stored: Found, *, now: dt.datetime) -> Found:
    """Return current figures; if those stored are not, compute them now, which can be slow."""
    if stored.current:
        return stored
    store_computed(compute_figures(stored.place, now=now))
    return type(stored).find(stored.place)


def compute_figures(
    place: FigurePlace, *, now: dt.datetime, progress: Progress | None = None
) -> list[StoredFigures]:
    """Compute figures, all from one state of the data; nothing is stored.

    Returns the whole first, then the parts that are stored beside it.
    """
    started = time.perf_counter()
    with snapshot(), _collect_no_garbage():
        state = place.read_state()
        parts = place.compute(now, progress or Progress())
    seconds = time.perf_counter() - started
    return [
        StoredFigures(
            project=place.project,
            report=place.name_part(part),
            **place.key,
            figures=figures,
            data_state=state,
            seconds=seconds,
            counted_at=now,
        )
        for part, figures in parts.items()
    ]


@contextmanager
def _collect_no_garbage() -> Iterator[None]:
    """Let Python not look for cycles: a third of the time goes into passes over rows that stay."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@transaction.atomic
def store_computed(computed: Sequence[StoredFigures]) -> None:
    """Store what was computed in place of earlier figures, unless those are newer.

    Parts that there are no longer are forgotten, and so are the oldest filtered figures.
    """
    head, names = computed[0], [row.report for row in computed]
    if not stored_counts.store_figures(head):
        return
    for row in computed[1:]:
        stored_counts.store_figures(row)
    rows = StoredFigures.objects.filter(project=head.project, subject=head.subject)
    rows = rows.filter(Q(report=head.report) | Q(report__startswith=f"{head.report}."))
    rows.filter(filters=head.filters).exclude(report__in=names).delete()
    filtered = rows.filter(report=head.report).exclude(filters="").order_by("-counted_at", "-pk")
    oldest = list(filtered.values_list("filters", flat=True)[KEPT:])
    rows.filter(filters__in=oldest).delete()


def build_job_kind(kind: FigureKind) -> JobKind:
    """Return the kind of job that computes figures. It changes nothing, so the log omits it."""
    return JobKind(key=kind.key, run=partial(run_job, kind), words=kind.words, logged=False)


class _JobProgress(Progress):
    """The progress of a job.

    The thread that computes is in a snapshot, where nothing can be written: it counts, and the
    thread that beats writes.
    """

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job, self.stopped = job, False

    def step(self, steps: int = 1) -> None:
        """Count steps. Raises JobCancelled where the job is to stop."""
        super().step(steps)
        if self.stopped:
            raise jobs_services.JobCancelled

    def write(self, now: dt.datetime) -> None:
        """Write the count, and find out whether the job is to stop."""
        row = Job.objects.filter(
            pk=self.job.pk, state=Job.State.RUNNING, attempts=self.job.attempts
        )
        row.update(done=self.done, total=self.total)
        self.stopped = row.filter(cancel_asked_at__isnull=False).exists()


def run_job(kind: FigureKind, work: jobs_services.RunningJob) -> None:
    """Run the job, always from the start."""
    progress = _JobProgress(work.job)
    with jobs_services.keep_heartbeat(work, also=progress.write):
        computed = compute_figures(kind.place_of_job(work.job), now=work.clock(), progress=progress)
    with transaction.atomic():
        work.save(done=progress.done, total=progress.done)
        store_computed(computed)
