"""A backup made by a press: one at a time, with its size, and seen by administrators alone."""

import zipfile

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.home.staff_queries import list_current_jobs
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Delivery, Job, Webhook
from operations.administration.storage import services
from operations.backup.after_restore import end_backup_jobs
from operations.backup.notes import list_backups
from operations.backup.postgres import ProgramFailed
from tests import factories
from tests.annotation.work.helpers import in_parallel

pytestmark = pytest.mark.django_db
PAGE, PRESS = reverse("administration-storage"), reverse("administration-backup")


@pytest.fixture(autouse=True)
def data(settings, tmp_path):
    settings.AMBIT_DATA = tmp_path
    return tmp_path


def run():
    """Run the job that waits; return it."""
    job = Job.objects.get(kind="backup", state="queued")
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    return job


def text_of(client):
    return " ".join(client.get(PAGE).text.split())


def test_a_press_makes_a_backup_and_a_second_one_finds_it(client, project, root, data):
    assert "Make a backup now" in text_of(client)
    for _ in range(2):
        assert client.post(PRESS).url == PAGE
    assert "A backup waits for a worker" in text_of(client)
    job = run()
    [file] = (data / "backups").iterdir()
    assert (job.state, job.problem, job.result) == ("done", "", {"bytes": file.stat().st_size})
    assert job.done == job.total == file.stat().st_size
    assert (data / "backups").stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(file) as bundle:
        assert "manifest.json" in bundle.namelist()
    [note] = list_backups()
    assert (note.file, note.bytes, note.problem) == (str(file), file.stat().st_size, "")
    text = text_of(client)
    assert str(file) in text
    assert "Make a backup now" in text
    assert AuditEntry.objects.get(action="backup_asked").actor == root.pk


def test_the_page_says_how_much_is_written(client, project, monkeypatch, data, now):
    client.post(PRESS)
    run()
    client.post(PRESS)
    half = list_backups()[0].bytes // 2
    asked = []

    def make_backup(target, *, now, told):
        monkeypatch.setattr(jobs_services, "BEAT_EVERY", 0 * jobs_services.BEAT_EVERY)
        told(half)
        asked.append(client.get(PAGE))
        raise ProgramFailed("pg_dump is not installed.")

    monkeypatch.setattr("operations.backup.making.make_backup", make_backup)
    job = run()
    assert asked[0].context["percent"] in (49, 50)
    assert "A backup is being made" in asked[0].text
    assert (job.state, job.done) == ("failed", half)
    assert "was not made. pg_dump is not installed. Nothing was written." in text_of(client)
    client.post(reverse("administration-job-retry", args=[job.pk]))
    assert Job.objects.filter(kind="backup", state="queued").count() == 1


def test_one_that_is_stopped_leaves_no_part_of_it(client, project, monkeypatch, data):
    client.post(PRESS)
    monkeypatch.setattr(jobs_services, "BEAT_EVERY", 0 * jobs_services.BEAT_EVERY)
    monkeypatch.setattr(
        "operations.backup.postgres.dump_database",
        lambda target, without_rows: (
            Job.objects.update(cancel_asked_at=timezone.now()),
            target.write(b"x" * 1_000_000),
        ),
    )
    assert run().state == "cancelled"
    assert list((data / "backups").iterdir()) == []
    assert list_backups() == []


def test_a_folder_that_cannot_be_written_to_is_told_before_the_press(client, project, root, data):
    (data / "backups").write_text("a file in its place")
    text = text_of(client)
    assert f"Ambit cannot write into {data / 'backups'}." in text
    assert 'disabled aria-describedby="cannot-back-up"' in text
    assert client.post(PRESS).status_code == 409
    (data / "backups").unlink()
    client.post(PRESS)
    (data / "backups").write_text("since then")
    assert "could not be written: File exists. No part of it was kept." in run().problem


def test_who_may_not_and_what_cannot(project, ada, root, now):
    with pytest.raises(Denied):
        services.start_backup(by=ada, now=now)
    project.delete()
    with pytest.raises(Conflict, match="there is none yet"):
        services.start_backup(by=root, now=now)


def test_the_people_of_its_project_know_nothing_of_it(client, browser_of, project, ada, root, now):
    Webhook.objects.create(
        project=project, url="https://hooks.example/", secret="s" * 32, created_by=ada,
        created_at=now,
    )  # fmt: skip
    job = services.start_backup(by=root, now=now)
    of_job = [project.slug, job.pk]
    for name in ("job-detail", "api-job"):
        assert client.get(reverse(name, args=of_job)).status_code == 200
        assert browser_of(ada).get(reverse(name, args=of_job)).status_code == 404
    for name in ("job-cancel", "api-job-cancel", "api-job-retry"):
        assert browser_of(ada).post(reverse(name, args=of_job)).status_code == 404
    assert list_current_jobs([project], now=now) == []
    run()
    assert not Delivery.objects.exists()
    assert not AuditEntry.objects.filter(project=project.pk, target=f"job:{job.pk}").exists()


def test_the_database_refuses_a_second_one(project, root, now):
    services.start_backup(by=root, now=now)
    with pytest.raises(IntegrityError, match=services.ONE_AT_A_TIME), transaction.atomic():
        jobs_services.create_job(
            project=factories.make_project(), kind="backup", options={}, by=root, now=now
        )


@pytest.mark.django_db(transaction=True)
def test_two_presses_at_once_make_one_job(project, root, now):
    def start():
        return services.start_backup(by=root, now=now).pk

    assert len(set(in_parallel([start, start]))) == 1


def test_a_restored_backup_does_not_go_on_making_itself(project, root, now):
    job = services.start_backup(by=root, now=now)
    jobs_services.claim_job(job_id=job.pk, now=now)
    end_backup_jobs(now)
    job.refresh_from_db()
    assert job.state == "cancelled"
