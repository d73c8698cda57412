"""Jobs: make, run, cancel, and find again the ones whose worker or message was lost.

The row is the truth. Every change of state is a conditional UPDATE; `attempts` is the fencing
token: a worker that was taken for dead can no longer write once another has claimed its job.
"""

from __future__ import annotations

import datetime as dt
import logging
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from django.core.files.base import File
from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce

from accounts.models import User
from annotation.access.data import check_can_cancel
from annotation.core import audit
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.extensions.parts import JobKind
from annotation.extensions.registry import all_extensions
from annotation.jobs import queue
from annotation.uploads.storage import StorageDown

logger = logging.getLogger(__name__)

STALE_AFTER = dt.timedelta(seconds=30)
BEAT_EVERY = dt.timedelta(seconds=2)
PASS_SECONDS = 2.0  # in which another worker can take what this one cannot run
KEEP_FILES = dt.timedelta(days=1)
MAX_ATTEMPTS = 5
LOG_LINES = 200
RUN_JOB = "annotation.tasks.run_job"

# The states from which a job may enter each state.
SOURCES: dict[str, tuple[str, ...]] = {
    Job.State.RUNNING: (Job.State.QUEUED,),
    Job.State.QUEUED: (Job.State.RUNNING,),  # its worker was lost, or cannot run it
    Job.State.DONE: (Job.State.RUNNING,),
    Job.State.FAILED: (Job.State.QUEUED, Job.State.RUNNING),
    Job.State.CANCELLED: (Job.State.QUEUED, Job.State.RUNNING),
}
UNFINISHED = (Job.State.QUEUED, Job.State.RUNNING)


class JobProblem(Exception):
    """The job cannot be done; the text is shown to its owner.

    `keep_file` keeps the upload for a second try.
    """

    def __init__(self, sentence: str, *, keep_file: bool = False) -> None:
        super().__init__(sentence)
        self.keep_file = keep_file


class JobCancelled(Exception):
    """Someone asked this job to stop."""


class JobLost(Exception):
    """Another worker has the job now, or it is over; this worker must not touch it."""


class JobPassedOn(Exception):
    """This worker cannot run the job, and another may."""


class RunningJob:
    """A claimed job, for the worker that runs it; `keeps_file`: once it is done, its upload stays
    for a day.
    """

    keeps_file = False

    def __init__(self, job: Job, clock: Callable[[], dt.datetime]) -> None:
        self.job = job
        self.clock = clock
        self._beat_at = clock()

    def save(self, **changes: Any) -> None:
        """Write progress (`done`, `total`, `result`) with a heartbeat, in the caller's transaction.

        Raises JobCancelled or JobLost where this worker must not continue the job; the
        caller's transaction must then roll back.
        """
        now = self.clock()
        mine = Job.objects.filter(
            pk=self.job.pk, state=Job.State.RUNNING, attempts=self.job.attempts
        )
        if not mine.filter(cancel_asked_at__isnull=True).update(heartbeat_at=now, **changes):
            raise JobCancelled if mine.exists() else JobLost
        for name, value in changes.items():
            setattr(self.job, name, value)
        self._beat_at = now

    def note_advance(self) -> None:
        """Note that this attempt got further than those before: they no longer count as lost.

        For jobs that go on where the last attempt stopped; else as `save`.
        """
        self.save(advanced=self.job.attempts)

    def write_log_line(self, sentence: str) -> None:
        """Write a line into the log of the job, which keeps the newest; else as `save`."""
        self.save(log=append_log_line(self.job, sentence, now=self.clock()))

    def write_heartbeat(self, **changes: Any) -> None:
        """Write a heartbeat, at most every two seconds, with progress; else as `save`."""
        if self.clock() - self._beat_at >= BEAT_EVERY:
            self.save(**changes)


@contextmanager
def keep_heartbeat(
    work: RunningJob,
    every: float = BEAT_EVERY.total_seconds(),
    *,
    also: Callable[[dt.datetime], object] = lambda now: None,
) -> Iterator[None]:
    """Write a heartbeat every few seconds while the worker waits for something outside.

    A job that is cancelled or lost in the meantime finds out when it next saves. `also` is called
    at each beat, in the thread that beats.
    """
    over = Event()

    def beat() -> None:
        try:
            while not over.wait(every):
                Job.objects.filter(
                    pk=work.job.pk, state=Job.State.RUNNING, attempts=work.job.attempts
                ).update(heartbeat_at=work.clock())
                also(work.clock())
        except Job.DoesNotExist:
            pass  # deleted with its project; who saves next finds out
        except DatabaseError:
            logger.exception("job %s shows no sign of life any more", work.job.pk)
        finally:
            connection.close()

    thread = Thread(target=beat, name=f"job-{work.job.pk}-beat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def append_log_line(job: Job, sentence: str, *, now: dt.datetime) -> list[list[str]]:
    """Return the log of a job with one more line. It keeps the newest."""
    return [*job.log, [now.isoformat(), sentence.replace("\0", "\ufffd")]][-LOG_LINES:]


def find_kind(key: str) -> JobKind | None:
    """Return a kind of job; None where this installation does not have it."""
    return next((kind for kind in all_extensions().jobs if kind.key == key), None)


def kind_of(job: Job) -> JobKind:
    """Return the kind of a job. Raises LookupError where this installation does not have it."""
    kind = find_kind(job.kind)
    if kind is None:
        raise LookupError(f"no app here has jobs of the kind {job.kind}")
    return kind


@transaction.atomic
def create_job(
    *,
    project: Project,
    kind: str,
    options: dict[str, Any],
    by: User,
    now: dt.datetime,
    file: File[bytes] | str = "",
    file_name: str = "",
    unit: str = "lines",
) -> Job:
    """Make a job and wake a worker once this transaction is committed.

    `file` is an upload, or the name of one that is already stored.
    """
    if isinstance(file, File):
        # We choose the name on disk: the person's may have more bytes than a file system allows.
        file.name = f"{secrets.token_hex(12)}.upload"
    job = Job.objects.create(
        project=project,
        kind=kind,
        options=options,
        file=file,
        file_name=file_name[:255],
        unit=unit,
        created_by=by,
        created_at=now,
        heartbeat_at=now,
    )
    _record("job_created", job, by=by, now=now, kind=kind, **options)
    _wake_on_commit(job.pk)
    return job


def _record(action: str, job: Job, *, by: User, now: dt.datetime, **data: Any) -> None:
    kind = find_kind(job.kind)
    project = job.project_id if kind is None or kind.logged else None
    audit.record_action(action, job, by=by, now=now, project=project, **data)


def wake_workers(job_id: int) -> None:
    """Tell the workers of its queue that this job is waiting."""
    job = Job.objects.filter(pk=job_id).only("kind", "options").first()
    kind = find_kind(job.kind) if job else None
    queue.send_task(
        kind.task(job.options) if job and kind and kind.task else RUN_JOB, job_id=job_id
    )


def _wake_on_commit(job_id: int) -> None:
    # A broker that is down must not undo the job: the sweep wakes the workers later.
    transaction.on_commit(lambda: wake_workers(job_id), robust=True)


def _move(job_id: int, to: str, *, now: dt.datetime, token: int | None = None, **more: Any) -> bool:
    """Change the state in one statement; return whether it changed."""
    jobs = Job.objects.filter(pk=job_id, state__in=SOURCES[to])
    if token is not None:
        jobs = jobs.filter(attempts=token)
    ended = None if to in UNFINISHED else now
    return bool(jobs.update(state=to, heartbeat_at=now, ended_at=ended, **more))


@transaction.atomic
def claim_job(*, job_id: int, now: dt.datetime) -> Job | None:
    """Claim a waiting job; None if it is gone or over, or another worker runs it."""
    started = Coalesce(F("started_at"), Value(now))
    if not _move(
        job_id, Job.State.RUNNING, now=now, attempts=F("attempts") + 1, started_at=started
    ):
        return None
    return Job.objects.select_related("project__snapshot", "created_by").get(pk=job_id)


def under_way(job_id: int) -> Job | None:
    """Return a job that a worker runs and nobody has stopped; None if it is not one."""
    jobs = Job.objects.select_related("project__snapshot", "created_by")
    return jobs.filter(pk=job_id, state=Job.State.RUNNING, cancel_asked_at__isnull=True).first()


def claim_and_run(*, job_id: int, clock: Callable[[], dt.datetime]) -> None:
    """Claim the job and run it; whatever happens, its state is right afterwards."""
    job = claim_job(job_id=job_id, now=clock())
    if job is None:
        logger.info("job %s is not waiting; nothing to do", job_id)
        return
    work = RunningJob(job, clock)
    try:
        kind_of(job).run(work)
    except JobCancelled:
        end_job(job=job, state=Job.State.CANCELLED, now=clock())
    except JobLost:
        logger.warning("job %s was taken over by another worker", job_id)
    except JobPassedOn:
        pass_on(job=job, now=clock())
        time.sleep(PASS_SECONDS)
    except JobProblem as problem:
        end_job(
            job=job,
            state=Job.State.FAILED,
            now=clock(),
            problem=str(problem),
            keep_file=problem.keep_file,
        )
    except (OperationalError, StorageDown):
        raise  # database or files are unavailable: the row stays, and the sweep starts it again
    except Exception as error:
        logger.exception("job %s failed", job_id)
        end_job(
            job=job,
            state=Job.State.FAILED,
            now=clock(),
            problem=f"The job stopped at {job.unit} {job.done:,} because of a fault in the program "
            f"({type(error).__name__}). The worker’s log has the details under job {job_id}.",
        )
    else:
        end_job(job=job, state=Job.State.DONE, now=clock(), keep_file=work.keeps_file)


@transaction.atomic
def pass_on(*, job: Job, now: dt.datetime) -> None:
    """Let a job that this worker has wait again, and wake a worker."""
    if _move(job.pk, Job.State.QUEUED, now=now, token=job.attempts):
        _wake_on_commit(job.pk)


@transaction.atomic
def end_job(
    *, job: Job, state: str, now: dt.datetime, problem: str = "", keep_file: bool = False
) -> bool:
    """End a job if this worker still has it, and delete its upload; return whether it ended now."""
    problem = problem.replace("\0", "\ufffd")  # no text column can store NUL
    changes: dict[str, Any] = {} if keep_file else {"file": ""}
    if not _move(job.pk, state, now=now, token=job.attempts, problem=problem, **changes):
        return False
    counts = {key: value for key, value in job.result.items() if isinstance(value, int)}
    _record(f"job_{state}", job, by=job.created_by, now=now, **counts)
    kind = find_kind(job.kind)
    if state == Job.State.DONE and not (kind and kind.of_installation):
        for tell in all_extensions().job_done:
            tell(job, now=now)
    if job.file and not keep_file:
        _delete_on_commit(job)
    return True


def _delete_on_commit(job: Job) -> None:
    storage, name = job.file.storage, str(job.file.name)
    transaction.on_commit(lambda: storage.delete(name), robust=True)


@transaction.atomic
def cancel_job(*, job: Job, by: User, now: dt.datetime) -> Job:
    """Stop a job: at once if it waits, after the current batch if it runs.

    What it has imported so far stays. Staff only; raises Conflict for a job that is over.
    """
    job = Job.objects.select_for_update().select_related("project", "created_by").get(pk=job.pk)
    check_can_cancel(by, job)
    lost = job.heartbeat_at is None or now - job.heartbeat_at > STALE_AFTER
    if job.state == Job.State.QUEUED or lost:
        end_job(job=job, state=Job.State.CANCELLED, now=now)
    else:
        Job.objects.filter(pk=job.pk, cancel_asked_at__isnull=True).update(cancel_asked_at=now)
    _record("job_cancel_asked", job, by=by, now=now)
    job.refresh_from_db()
    return job


def requeue_stale_jobs(*, now: dt.datetime) -> int:
    """Wake workers for jobs that show no sign of life; return how many.

    A job that was started five times since it last got further, and never finished, is failed
    instead, so that one bad file cannot occupy the workers for ever. Left-over uploads are deleted
    after a day.
    """
    stale = Job.objects.filter(state__in=UNFINISHED, heartbeat_at__lt=now - STALE_AFTER)
    woken = 0
    for job in stale.select_related("created_by").order_by("pk"):
        woken += _requeue(job, now)
    for job in Job.objects.filter(ended_at__lt=now - KEEP_FILES).exclude(file=""):
        forget_file(job)
    return woken


@transaction.atomic
def forget_file(job: Job) -> None:
    """Delete a left-over upload, unless a new job has taken it over in the meantime."""
    if Job.objects.filter(pk=job.pk, file=str(job.file.name)).update(file=""):
        _delete_on_commit(job)


@transaction.atomic
def _requeue(job: Job, now: dt.datetime) -> bool:
    if job.cancel_asked_at:
        end_job(job=job, state=Job.State.CANCELLED, now=now)
        return False
    lost = job.attempts - job.advanced
    if lost >= MAX_ATTEMPTS:
        further = " without getting further" if job.advanced else ""
        problem = (
            f"The job was started {lost} times{further} and its worker was lost each time. "
            "The worker’s log may say why."
        )
        end_job(job=job, state=Job.State.FAILED, now=now, problem=problem)
        return False
    moved = Job.objects.filter(
        pk=job.pk, state=job.state, attempts=job.attempts, heartbeat_at=job.heartbeat_at
    ).update(
        state=Job.State.QUEUED,
        heartbeat_at=now,
        log=append_log_line(job, "Its worker was lost, so it waits for another.", now=now),
    )
    if moved:
        _wake_on_commit(job.pk)
    return bool(moved)
