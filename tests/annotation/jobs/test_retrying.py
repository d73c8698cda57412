"""Trying a job again, and the log of a job."""

import datetime as dt

import pytest
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.imports.queries import log_of
from annotation.jobs import retrying
from annotation.jobs import services as jobs_services
from annotation.jobs.services import LOG_LINES, JobProblem, RunningJob
from annotation.models import Job
from tests.extensions import add_for_the_test, job_kind

pytestmark = pytest.mark.django_db
KIND = "tested"


@pytest.fixture
def job(project, rosa, now, monkeypatch):
    """A job of a kind that fails the first time, and can be tried again."""

    def run(work):
        work.write_log_line("Began.\0")
        if not work.job.options.get("better"):
            raise JobProblem("It was too dark.")

    again = lambda job, by, now: create(project, by, now, better=True)  # noqa: E731
    add_for_the_test(monkeypatch, jobs=(job_kind(KIND, run, retry=again),))
    return create(project, rosa, now)


def create(project, by, now, **options):
    return jobs_services.create_job(project=project, kind=KIND, options=options, by=by, now=now)


def run(job):
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    return job


def test_only_what_failed_or_was_stopped_is_tried_again(job, rosa, now):
    with pytest.raises(Conflict, match="cannot be tried again"):
        retrying.retry_job(job=job, by=rosa, now=now)
    assert run(job).state == "failed"
    again = run(retrying.retry_job(job=job, by=rosa, now=now))
    assert (again.state, again.options) == ("done", {"better": True})
    with pytest.raises(Conflict, match="cannot be tried again"):
        retrying.retry_job(job=again, by=rosa, now=now)
    Job.objects.filter(pk=again.pk).update(state="cancelled")
    again.refresh_from_db()
    assert retrying.can_retry_job(again)


def test_the_file_of_an_import_is_gone(job, rosa, now):
    Job.objects.filter(pk=run(job).pk).update(kind="import")
    job.refresh_from_db()
    with pytest.raises(Conflict, match="cannot be tried again"):
        retrying.retry_job(job=job, by=rosa, now=now)


def test_annotators_do_not_try_again(job, ann, now):
    with pytest.raises(Denied):
        retrying.retry_job(job=run(job), by=ann, now=now)
    assert Job.objects.count() == 1


def test_the_log_is_in_the_order_of_time(job, rosa, now):
    run(job)
    assert [sentence for _, sentence in log_of(job)] == [
        "Started by Rosa Reed.",
        "A worker began.",
        "Began.\ufffd",
        "Failed.",
    ]


def test_the_log_says_that_a_worker_was_lost(job, now):
    later = now + dt.timedelta(seconds=31)
    jobs_services.claim_job(job_id=job.pk, now=now)
    assert jobs_services.requeue_stale_jobs(now=later) == 1
    job.refresh_from_db()
    assert job.log == [[later.isoformat(), "Its worker was lost, so it waits for another."]]


def test_the_log_keeps_the_newest_lines(job, now):
    work = RunningJob(jobs_services.claim_job(job_id=job.pk, now=now), lambda: now)
    for number in range(LOG_LINES + 5):
        work.write_log_line(f"Line {number}.")
    job.refresh_from_db()
    assert len(job.log) == LOG_LINES
    assert job.log[-1][1] == f"Line {LOG_LINES + 4}."
