"""Jobs: their states, who may run and stop them, and what happens when a worker is lost."""

import datetime as dt
import json
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError, OperationalError, transaction
from django.utils import timezone

from annotation import tasks
from annotation.core.refusals import Conflict, Denied
from annotation.imports import services as imports_services
from annotation.jobs import services as jobs_services
from annotation.jobs.services import SOURCES, JobCancelled, JobLost, JobProblem, RunningJob
from annotation.models import AuditEntry, Job, Question
from tests.extensions import run_for_the_test

pytestmark = pytest.mark.django_db
LATER = dt.timedelta(seconds=31)


@pytest.fixture
def woken(monkeypatch):
    """The ids of the jobs that workers were told of."""
    ids = []
    monkeypatch.setattr(jobs_services, "wake_workers", ids.append)
    return ids


@pytest.fixture
def upload(project, rosa, now, woken, django_capture_on_commit_callbacks):
    """Upload lines as Rosa; returns the waiting job."""

    def upload(content=None, count=3, strict=False, **options):
        if content is None:
            content = b"".join(
                json.dumps({"id": f"q{n}", "question": f"what is {n}"}).encode() + b"\n"
                for n in range(count)
            )
        with django_capture_on_commit_callbacks(execute=True):
            return imports_services.start_import(
                project=project,
                file=ContentFile(content, name="questions.jsonl"),
                file_name="questions.jsonl",
                strict=strict,
                by=rosa,
                now=now,
                **{"format": "jsonl", "split": "dev"} | options,
            )

    return upload


@pytest.fixture
def run(django_capture_on_commit_callbacks):
    """Run a job as a worker does; returns it as it is afterwards."""

    def run(job):
        with django_capture_on_commit_callbacks(execute=True):
            jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        return job

    return run


@pytest.fixture
def kind(monkeypatch):
    """Register a kind of job that does what the test says."""

    def register(function):
        run_for_the_test(monkeypatch, imports_services.JOB_KIND, function)

    return register


def test_every_state_is_reachable_and_over_means_over():
    assert set(SOURCES) == set(Job.State.values)
    assert {source for sources in SOURCES.values() for source in sources} == {"queued", "running"}


def test_an_import_from_upload_to_done(upload, run, woken, rosa, project):
    job = upload()
    assert (job.state, job.created_by, woken) == ("queued", rosa, [job.pk])
    name = job.file.name
    assert default_storage.exists(name)
    run(job)
    assert (job.state, job.done, job.total, job.unit, job.attempts) == ("done", 3, 3, "lines", 1)
    assert job.result == {
        "created": 3,
        "updated": 0,
        "unchanged": 0,
        "rejected": 0,
        "errors": [],
    }
    assert job.started_at
    assert job.ended_at
    assert not job.file
    assert not default_storage.exists(name)
    entries = AuditEntry.objects.filter(target=f"job:{job.pk}").order_by("pk")
    assert [(entry.action, entry.actor) for entry in entries] == [
        ("job_created", rosa.pk),
        ("job_done", rosa.pk),
    ]
    assert entries[1].data["created"] == 3


def test_a_message_that_comes_twice_does_nothing(upload, run):
    job = run(upload())
    ended = job.ended_at
    run(job)
    assert (job.ended_at, job.attempts) == (ended, 1)


def test_a_running_job_is_not_claimed_again(upload, now):
    job = upload()
    assert jobs_services.claim_job(job_id=job.pk, now=now).attempts == 1
    assert jobs_services.claim_job(job_id=job.pk, now=now) is None
    assert jobs_services.claim_job(job_id=0, now=now) is None


def test_a_job_whose_worker_died_goes_on_where_it_was(
    upload, run, woken, now, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(imports_services, "BATCH", 2)
    job = upload(count=5)
    claimed = jobs_services.claim_job(job_id=job.pk, now=now)

    class Killed(BaseException):
        pass

    saved = RunningJob.save

    def die_in_the_second_batch(self, **changes):
        saved(self, **changes)
        if changes.get("done") == 4:
            raise Killed

    monkeypatch.setattr(RunningJob, "save", die_in_the_second_batch)
    with pytest.raises(Killed):
        imports_services.run_job(RunningJob(claimed, timezone.now))
    monkeypatch.setattr(RunningJob, "save", saved)
    job.refresh_from_db()
    assert (job.state, job.done, job.result["created"]) == ("running", 2, 2)
    assert Question.objects.count() == 2

    woken.clear()
    assert jobs_services.requeue_stale_jobs(now=timezone.now()) == 0  # it may still be alive
    with django_capture_on_commit_callbacks(execute=True):
        assert jobs_services.requeue_stale_jobs(now=timezone.now() + LATER) == 1
    assert woken == [job.pk]
    run(job)
    assert (job.state, job.done, job.attempts) == ("done", 5, 2)
    assert job.result["created"] == 5
    assert Question.objects.count() == 5


def test_a_lost_message_is_sent_again_but_not_every_time(
    upload, woken, now, django_capture_on_commit_callbacks
):
    job = upload()
    woken.clear()
    with django_capture_on_commit_callbacks(execute=True):
        assert jobs_services.requeue_stale_jobs(now=now + LATER) == 1
        assert jobs_services.requeue_stale_jobs(now=now + LATER) == 0
    assert woken == [job.pk]


def test_a_worker_that_was_taken_for_dead_can_no_longer_write(upload, now):
    job = upload()
    old = RunningJob(jobs_services.claim_job(job_id=job.pk, now=now), timezone.now)
    jobs_services.requeue_stale_jobs(now=now + LATER)
    with pytest.raises(JobLost):
        old.save(done=1)
    new = RunningJob(jobs_services.claim_job(job_id=job.pk, now=now), timezone.now)
    with pytest.raises(JobLost):
        old.save(done=1)
    assert not jobs_services.end_job(job=old.job, state=Job.State.DONE, now=now)
    new.save(done=2)
    job.refresh_from_db()
    assert (job.state, job.done, job.attempts) == ("running", 2, 2)


def test_a_job_that_kills_its_workers_is_given_up(upload, now):
    job = upload()
    Job.objects.filter(pk=job.pk).update(state="running", attempts=5)
    assert jobs_services.requeue_stale_jobs(now=now + LATER) == 0
    job.refresh_from_db()
    assert job.state == "failed"
    assert "was started 5 times" in job.problem


def test_an_attempt_that_got_further_is_not_counted_as_lost(upload, now):
    job = upload()

    def lose(*, further):
        work = RunningJob(jobs_services.claim_job(job_id=job.pk, now=now), lambda: now)
        if further:
            work.note_advance()
        jobs_services.requeue_stale_jobs(now=now + LATER)
        Job.objects.filter(pk=job.pk, state="queued").update(heartbeat_at=now)
        job.refresh_from_db()
        return job.state

    assert [lose(further=True) for _ in range(7)] == ["queued"] * 7
    assert [lose(further=False) for _ in range(5)] == [*["queued"] * 4, "failed"]
    assert (job.attempts, job.advanced) == (12, 7)
    assert "was started 5 times without getting further and its worker was lost" in job.problem


def test_a_worker_that_lost_its_job_cannot_say_that_it_got_further(upload, now):
    job = upload()
    old = RunningJob(jobs_services.claim_job(job_id=job.pk, now=now), timezone.now)
    jobs_services.requeue_stale_jobs(now=now + LATER)
    with pytest.raises(JobLost):
        old.note_advance()
    with pytest.raises(IntegrityError, match="job_advanced_in_an_attempt"), transaction.atomic():
        Job.objects.filter(pk=job.pk).update(advanced=2)


def test_stopping_a_waiting_job(upload, run, rosa, now):
    job = jobs_services.cancel_job(job=upload(), by=rosa, now=now)
    assert (job.state, job.ended_at) == ("cancelled", now)
    run(job)
    assert job.state == "cancelled"
    assert not Question.objects.exists()
    with pytest.raises(Conflict, match="This job is over: cancelled"):
        jobs_services.cancel_job(job=job, by=rosa, now=now)


def test_stopping_a_running_job_keeps_what_is_imported(upload, run, rosa, monkeypatch):
    monkeypatch.setattr(imports_services, "BATCH", 2)
    job = upload(count=6)
    saved = RunningJob.save

    def ask_after_the_first_batch(self, **changes):
        saved(self, **changes)
        if changes.get("done") == 2:
            jobs_services.cancel_job(job=job, by=rosa, now=timezone.now())

    monkeypatch.setattr(RunningJob, "save", ask_after_the_first_batch)
    run(job)
    assert (job.state, job.done, job.result["created"]) == ("cancelled", 2, 2)
    assert Question.objects.count() == 2


def test_stopping_a_job_whose_worker_is_gone(upload, rosa, now):
    job = upload()
    jobs_services.claim_job(job_id=job.pk, now=now)
    assert jobs_services.cancel_job(job=job, by=rosa, now=now + LATER).state == "cancelled"


def test_a_worker_that_dies_while_being_stopped(upload, rosa, now):
    job = upload()
    jobs_services.claim_job(job_id=job.pk, now=now)
    assert jobs_services.cancel_job(job=job, by=rosa, now=now).state == "running"
    jobs_services.requeue_stale_jobs(now=now + LATER)
    job.refresh_from_db()
    assert job.state == "cancelled"


def test_only_staff_stop_jobs(upload, ann, now):
    with pytest.raises(Denied):
        jobs_services.cancel_job(job=upload(), by=ann, now=now)


def test_another_format_fails_with_the_sentence(upload, run):
    job = run(upload(b'[{"id": "a"}]'))
    assert job.state == "failed"
    assert job.problem == (
        "This looks like one JSON array. Choose AmbigNQ or Label Studio export or doccano export. "
        "Nothing was imported."
    )


def test_strict_fails_with_the_lines_and_the_rest_can_follow(
    upload, run, rosa, now, woken, django_capture_on_commit_callbacks
):
    job = run(upload(b'{"id": "a", "question": "q"}\n{\n', strict=True))
    assert job.state == "failed"
    assert job.problem == "1 of 2 lines were rejected, so nothing was imported."
    assert (job.result["created"], job.result["errors"][0]["line"]) == (0, 2)
    assert not Question.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        rest = imports_services.import_the_rest(job=job, by=rosa, now=now)
    assert woken[-1] == rest.pk
    run(rest)
    assert (rest.state, rest.result["created"], rest.result["rejected"]) == ("done", 1, 1)
    job.refresh_from_db()
    with pytest.raises(Conflict, match="no longer here"):
        imports_services.import_the_rest(job=job, by=rosa, now=now)


def test_left_over_uploads_go_after_a_day(upload, run, now, django_capture_on_commit_callbacks):
    job = run(upload(b"{\n", strict=True))
    name = job.file.name
    for hours, left in ((23, True), (25, False)):
        with django_capture_on_commit_callbacks(execute=True):
            jobs_services.requeue_stale_jobs(now=now + dt.timedelta(hours=hours))
        assert default_storage.exists(name) == left


def test_an_upload_that_a_new_job_took_over_is_left_to_it(
    upload, run, rosa, now, django_capture_on_commit_callbacks
):
    swept = run(upload(b'{"id": "a", "question": "q"}\n{\n', strict=True))
    with django_capture_on_commit_callbacks(execute=True):
        rest = imports_services.import_the_rest(job=Job.objects.get(pk=swept.pk), by=rosa, now=now)
        jobs_services.forget_file(swept)  # as it looked when the sweep began
    assert run(rest).state == "done"


def test_an_upload_that_is_gone_is_said(upload, run):
    job = upload()
    default_storage.delete(job.file.name)
    assert "no longer here. Upload it again." in run(job).problem


def test_a_fault_in_the_program_is_a_sentence_and_no_trace(upload, run, kind, caplog):
    def broken(work):
        raise ZeroDivisionError("secret detail")

    kind(broken)
    job = run(upload())
    assert job.state == "failed"
    assert "because of a fault in the program (ZeroDivisionError)" in job.problem
    assert "secret" not in job.problem
    assert "secret detail" in caplog.text


def test_a_database_that_is_away_leaves_the_job_to_the_sweep(upload, run, kind):
    def away(work):
        raise OperationalError

    kind(away)
    job = upload()
    with pytest.raises(OperationalError):
        run(job)
    job.refresh_from_db()
    assert job.state == "running"


def test_other_outcomes_of_the_function(upload, run, kind):
    def stopped(work):
        raise JobCancelled

    def problem(work):
        raise JobProblem("A sentence.")

    kind(stopped)
    assert run(upload()).state == "cancelled"
    kind(problem)
    assert run(upload()).problem == "A sentence."


def test_a_broker_that_is_down_does_not_undo_the_upload(
    upload, monkeypatch, django_capture_on_commit_callbacks
):
    def down(job_id):
        raise ConnectionError

    monkeypatch.setattr(jobs_services, "wake_workers", down)
    assert upload().state == "queued"


def test_heartbeats_come_every_two_seconds(upload, now):
    clock = iter(now + dt.timedelta(seconds=n) for n in (0, 1, 1.5, 2, 2, 2.5))
    job = upload()
    work = RunningJob(jobs_services.claim_job(job_id=job.pk, now=now - LATER), lambda: next(clock))
    work.write_heartbeat()
    work.write_heartbeat()
    assert Job.objects.get(pk=job.pk).heartbeat_at == now - LATER
    work.write_heartbeat()
    assert Job.objects.get(pk=job.pk).heartbeat_at == now + dt.timedelta(seconds=2)


def test_waking_sends_a_message_to_the_broker(settings):
    """The name and the arguments are what the worker's task takes."""
    if not settings.CELERY_BROKER_URL.startswith("filesystem"):
        pytest.skip("another broker than the embedded one is configured")
    folder = Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_out"])
    before = set(folder.iterdir())
    jobs_services.wake_workers(987_654_321)
    [message] = [path for path in folder.iterdir() if path not in before]
    sent = json.loads(message.read_text())
    message.unlink()
    assert sent["headers"]["task"] == tasks.run_job.name
    assert sent["headers"]["kwargsrepr"] == "{'job_id': 987654321}"
