"""Share a run among workers: each takes a batch of questions at a time, and stores it whole.

The first worker claims the job; others join it (`modeling.tasks.join_job`). All are alike from then
on. What is stored of a batch, its counts, and that it is done are one transaction, so nothing is
stored twice or lost, whichever worker is killed.
"""

import datetime as dt
import logging
import os
import socket
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from threading import Lock
from typing import Protocol

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.jobs import queue
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from modeling import pace
from modeling.base import MissingModel, Prediction
from modeling.models import Batch
from modeling.services.storing import NAMED, RunReport, Store

logger = logging.getLogger(__name__)

JOIN = "modeling.tasks.join_job"
WAIT_SECONDS = 0.5
Answered = Sequence[tuple[Question, Prediction]]


class SharedRun(Protocol):
    """What workers need of a run (`modeling.services.running.Run`)."""

    store: Store

    @property
    def batch(self) -> int: ...

    def select_questions(self) -> QuerySet[Question]: ...

    def predict_answers(
        self, questions: Sequence[Question], on_tokens: pace.Listener
    ) -> tuple[Answered, MissingModel | None]: ...


def worker_name() -> str:
    """Return what people read as the name of this worker: machine and process."""
    return f"{socket.gethostname()} ({os.getpid()})"


class Share:
    """The part of one worker in a run."""

    def __init__(self, work: jobs_services.RunningJob, run: SharedRun) -> None:
        self.work, self.run = work, run
        self.held: Batch | None = None
        self._writing = pace.WritingPace()

    def answer_batches(self) -> None:
        """Answer batches until every question of the run is stored.

        Raises MissingModel where the baseline stops: the rest of the batch is left to others.
        """
        asked_for_help = False
        while (questions := self.take_batch()) is not None:
            if self.held is None:
                time.sleep(WAIT_SECONDS)  # others have the last ones in hand
                continue
            if not asked_for_help:
                asked_for_help = self._ask_for_help()
            self._writing.clear()
            began = time.monotonic()
            answered, problem = self.run.predict_answers(questions, self.note_tokens)
            self.store_predictions(answered, problem, seconds=time.monotonic() - began)
            if problem is not None:
                raise problem

    def take_batch(self) -> list[Question] | None:
        """Take the next batch, or one whose worker was lost.

        Return its questions; none where the last batches are in hand elsewhere; None at the end.
        Raises JobCancelled and JobLost as `RunningJob.save` does.
        """
        with transaction.atomic():
            job = self._locked()
            self.work.save()
            while left := self._left(job):
                within = Q(pk__gt=left.after, pk__lte=left.last)
                if rows := list(self.run.select_questions().filter(within).order_by("pk")):
                    self._hold(left, job)
                    return rows
                left.delete()  # they were excluded in the meantime
            after = job.options["after"]
            questions = self.run.select_questions().filter(pk__gt=after).order_by("pk")
            if rows := list(questions[: self.run.batch]):
                self._hold(Batch(job=job, after=after, last=rows[-1].pk), job)
                self.work.save(options=job.options | {"after": rows[-1].pk})
                return rows
            self.work.job.result = job.result  # with what others counted, for the log
            return [] if Batch.objects.filter(job=job).exists() else None

    def _locked(self) -> Job:
        return Job.objects.select_for_update(no_key=True).get(pk=self.work.job.pk)

    def _left(self, job: Job) -> Batch | None:
        silent = self.work.clock() - jobs_services.STALE_AFTER
        lost = Q(seen_at=None) | Q(seen_at__lt=silent) | ~Q(attempt=job.attempts)
        return Batch.objects.filter(lost, job=job).order_by("after").first()

    def _hold(self, batch: Batch, job: Job) -> None:
        batch.attempt, batch.token, batch.seen_at = job.attempts, uuid.uuid4(), self.work.clock()
        batch.save()
        self.held = batch

    def _mine(self) -> QuerySet[Batch]:
        assert self.held is not None
        return Batch.objects.filter(pk=self.held.pk, token=self.held.token)

    def write_heartbeat(self, now: dt.datetime) -> None:
        """Write a sign of life for the batch in hand, and how far it is, while the model thinks."""
        if self.held is None:
            return
        self._mine().update(seen_at=now)
        with transaction.atomic():
            options = self._locked().options | {"writing": str(self._writing)}
            Job.objects.filter(pk=self.work.job.pk).update(options=options)

    def note_tokens(self, tokens: int) -> None:
        """Note what the model writes.

        Raises JobCancelled and JobLost, so a run that is stopped does not wait for its answer.
        """
        self._writing.add(tokens)
        self.work.write_heartbeat()

    def store_predictions(
        self, answered: Answered, problem: MissingModel | None, *, seconds: float = 0
    ) -> None:
        """Store what a batch got, and how long that took. After a problem the rest is given back.

        Raises JobLost where another worker has taken it over, and JobCancelled; nothing is stored.
        """
        job, report = self.work.job, RunReport()
        with transaction.atomic():
            if answered:
                self.run.store.write_predictions(
                    answered, report, by=job.created_by, now=self.work.clock()
                )
            job = self._locked()
            if not self._give_back(answered, whole=problem is None):
                raise jobs_services.JobLost
            self._count(job, report, seconds)
        self.held = None

    def _give_back(self, answered: Answered, *, whole: bool) -> int:
        """Delete the batch, or leave what is not answered to others; 0 if it is not ours."""
        assert self.held is not None
        after = answered[-1][0].pk if answered else self.held.after
        if whole or after >= self.held.last:
            return self._mine().delete()[0]
        return self._mine().update(after=after, seen_at=None)

    def _count(self, job: Job, report: RunReport, seconds: float) -> None:
        total = add_reports(RunReport(**job.result), report)
        workers, name = dict(job.options.get("workers", {})), worker_name()
        workers[name] = workers.get(name, 0) + report.done
        seconds += job.options.get("seconds", 0)
        of_all = max(job.total or 0, total.done)
        speed = {
            "seconds": seconds,
            "pace": pace.in_words(total.done, of_all, seconds, len(workers)),
            "writing": "",
        }
        # Questions may have been added while the job ran.
        self.work.save(
            done=total.done,
            total=of_all,
            options=job.options | speed | {"workers": workers},
            result=total.as_json(),
        )

    def _ask_for_help(self) -> bool:
        """Tell another worker of this run, if it is heavy and has questions left."""
        job = Job.objects.only("options").get(pk=self.work.job.pk)
        more = self.run.select_questions().filter(pk__gt=job.options["after"])
        if job.options.get("heavy") and more.exists():
            try:
                queue.send_task(JOIN, job_id=job.pk)
            except Exception:  # whatever the broker's library raises; alone it takes longer
                logger.exception("no worker could be asked to help with job %s", job.pk)
        return True


def add_reports(first: RunReport, second: RunReport) -> RunReport:
    """Return the counts of two parts of a run together."""
    one, two = first.as_json(), second.as_json()
    cost = [Decimal(report.cost) for report in (first, second) if report.cost]
    sums = {key: one[key] + two[key] for key in one if isinstance(one[key], int)}
    errors = [*first.errors, *second.errors][:NAMED]
    return RunReport(**sums, cost=str(sum(cost)) if cost else "", errors=errors)


@transaction.atomic
def note_absence(*, job: Job, reason: str) -> bool:
    """Record why this worker cannot help with a run; people read it on the page of the job.

    Return whether that is news.
    """
    row = Job.objects.select_for_update(no_key=True).get(pk=job.pk)
    absent, name = row.options.get("absent", {}), worker_name()
    if row.ended_at is None:
        options = row.options | {"absent": absent | {name: reason}}
        Job.objects.filter(pk=job.pk).update(options=options)
    return name not in absent


def forget_ended() -> None:
    """Delete batches of runs that ended while a worker had them in hand."""
    Batch.objects.filter(job__ended_at__isnull=False).delete()


_here: set[int] = set()
_lock = Lock()


@contextmanager
def at_work(job_id: int) -> Iterator[bool]:
    """Note that this process works on a run; gives whether another thread of it does so already."""
    with _lock:
        before = job_id in _here
        _here.add(job_id)
    try:
        yield before
    finally:
        if not before:
            with _lock:
                _here.discard(job_id)
