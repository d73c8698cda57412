"""Files in a folder: a full disk, one that is read-only, one that hangs. Nothing half is kept."""

import errno
import os
import subprocess
import sys
import time
from threading import Event

import psycopg2
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage, storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, transaction
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from annotation.imports import services as imports_services
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from annotation.uploads.storage import StorageDown
from config import embedded, errors
from operations import health, watch
from operations.health import check_storage
from tests.annotation.jobs.test_worker import ROOT, on_test_database

pytestmark = pytest.mark.django_db
LINES = b"".join(b'{"id": "q%d", "question": "when did it open"}\n' % n for n in range(2_000))
FULL = "The server’s disk is full"
TOKEN = "b" * 32
READ_ONLY = "The server cannot write"
UNREACHABLE = "Ambit cannot reach the storage of its files"


@pytest.fixture(autouse=True)
def asked_anew():
    watch.watch.forget()
    yield
    watch.watch.forget()


@pytest.fixture
def disk(tmp_path, settings):
    """A disk of its own of 64 kB, for the files of this test."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here: that needs root")
    settings.MEDIA_ROOT = place / "files"
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def read_only(disk):
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)


def files(disk):
    return [path for path in disk.rglob("*") if path.is_file()]


def run(words, environment):
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True,
        timeout=200,
    )  # fmt: skip


def upload(client, project, content=LINES):
    file = SimpleUploadedFile("q.jsonl", content)
    fields = {"format": "jsonl", "split": "dev", "file": file, "csrfmiddlewaretoken": TOKEN}
    return client.post(reverse("import-create", args=[project.slug]), fields)


class TestFullDisk:
    def test_an_upload_is_refused_and_no_half_of_it_stays(self, disk, client_as, rosa, project):
        answer = upload(client_as(rosa), project)
        assert len(LINES) > 64 * 1024
        assert (answer.status_code, FULL in answer.text) == (503, True)
        assert files(disk) == []
        assert not Job.objects.exists()
        assert upload(client_as(rosa), project, LINES[:990]).status_code == 302

    def test_programs_get_the_sentence_as_json(self, disk, client_as, rosa, project):
        fields = {"format": "jsonl", "split": "dev", "file": SimpleUploadedFile("q.jsonl", LINES)}
        answer = client_as(rosa).post(f"/api/v1/projects/{project.slug}/imports/", fields)
        assert answer.status_code == 503
        assert answer.json()["detail"].startswith(FULL)

    def test_an_upload_that_fills_the_disk_while_it_is_read(
        self, disk, client, rosa, project, settings
    ):
        """It is written down before any view: for the token of the form."""
        settings.FILE_UPLOAD_TEMP_DIR = str(disk)
        client.handler.enforce_csrf_checks = True
        client.raise_request_exception = False
        client.force_login(rosa)
        client.cookies[settings.CSRF_COOKIE_NAME] = TOKEN
        answer = upload(client, project, LINES * 40)  # more than is kept in memory
        assert (answer.status_code, FULL in answer.text) == (503, True)
        assert "<h1>This was not stored</h1>" in answer.text
        assert files(disk) == []
        assert not Job.objects.exists()

    def test_what_is_there_can_be_read_and_is_imported(self, disk, client_as, rosa, project):
        upload(client_as(rosa), project, LINES[:990])
        job = Job.objects.get()
        with pytest.raises(OSError, match="No space left"):
            (disk / "filler").write_bytes(b"x" * 100_000)
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        assert Job.objects.get().state == "done"
        assert Question.objects.exists()

    def test_a_backup_that_finds_no_room_leaves_nothing(self, disk):
        with pytest.raises(CommandError, match="No space left on device") as error:
            call_command("backup", str(disk / "b.zip"))
        assert error.value.returncode == 1
        assert files(disk) == []

    def test_little_room_is_a_warning(self, disk):
        part = check_storage(timezone.now())
        assert (part.state, part.sentence) == ("warning", "0 MB free")


class TestReadOnlyDisk:
    def test_an_upload_is_refused(self, disk, client_as, rosa, project):
        read_only(disk)
        answer = upload(client_as(rosa), project)
        assert (answer.status_code, READ_ONLY in answer.text) == (503, True)
        assert not Job.objects.exists()

    def test_a_job_is_done_and_its_file_is_deleted_later(self, disk, client_as, rosa, project):
        upload(client_as(rosa), project, LINES[:990])
        read_only(disk)
        jobs_services.claim_and_run(job_id=Job.objects.get().pk, clock=timezone.now)
        assert Job.objects.get().state == "done"
        assert Question.objects.count() > 10

    def test_an_installation_in_it_does_not_start(self, disk):
        read_only(disk)
        hidden = (embedded.URL_VARIABLE, "DATABASE_URL", "REDIS_URL")
        outside = {name: value for name, value in os.environ.items() if name not in hidden}
        ended = run(["manage.py", "check"], outside | {"AMBIT_DATA": str(disk / "data")})
        assert ended.returncode == 1
        assert ended.stderr.splitlines() == [
            f"AMBIT_DATA cannot be written: {disk}/data: Read-only file system. Give the folder to "
            "the user that runs Ambit, or make room on its disk."
        ]

    def test_a_clock_in_it_ends_and_names_its_file(self, disk):
        read_only(disk)
        ended = run(
            ["-m", "celery", "--app", "config", "beat"],
            on_test_database(disk, REDIS_URL="redis://127.0.0.1:1/0"),
        )
        assert ended.returncode == 1
        sentence = "the clock cannot write its schedule into AMBIT_DATA: "
        assert f"{sentence}{disk}/celerybeat-schedule: Read-only" in ended.stderr

    def test_health_says_so(self, disk, client):
        read_only(disk)
        part = client.get("/healthz").json()["storage"]
        assert part == "not usable: cannot be written"
        assert set(client.get("/readyz").json()) == {"database", "broker"}


def test_a_folder_that_others_own(settings, tmp_path, client_as, rosa, project, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    answer = upload(client_as(rosa), project)
    assert (answer.status_code, UNREACHABLE in answer.text) == (503, True)


def test_a_disk_that_cannot_be_read_is_not_the_fault_of_the_job(
    client_as, rosa, project, monkeypatch
):
    upload(client_as(rosa), project)

    def broken(*args, **kwargs):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("django.core.files.storage.FileSystemStorage._open", broken)
    with pytest.raises(StorageDown):
        jobs_services.claim_and_run(job_id=Job.objects.get().pk, clock=timezone.now)
    assert Job.objects.get().state == "running"  # until the clock finds it without a sign of life


def test_a_file_that_is_missing_is_missing():
    with pytest.raises(FileNotFoundError):
        default_storage.open("jobs/none")
    default_storage.delete("jobs/none")


@pytest.mark.parametrize(
    ("code", "sentence"), [("53100", FULL), ("25006", READ_ONLY), ("53300", ""), (None, "")]
)
def test_what_the_database_says(code, sentence):
    class Refusal(psycopg2.OperationalError):
        pgcode = code

    error = OperationalError("could not extend file")
    error.__cause__ = Refusal()
    assert errors.cannot_write(error).startswith(sentence)
    assert bool(errors.cannot_write(error)) is bool(sentence)


def test_a_database_that_takes_nothing_is_explained(client_as, rosa, project, monkeypatch):
    start = imports_services.start_import

    def in_a_standby(**given):
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION READ ONLY")
            return start(**given)

    monkeypatch.setattr(imports_services, "start_import", in_a_standby)
    answer = upload(client_as(rosa), project)
    assert (answer.status_code, READ_ONLY in answer.text) == (503, True)


def test_a_fault_of_the_program_stays_one(rf):
    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        answer = errors.show_server_error(rf.get("/"))
    assert (answer.status_code, type(answer)) == (500, HttpResponse)
    assert "Something broke on the server" in answer.text


class Slow:
    """A storage that answers when it is told to."""

    def __init__(self):
        self.asked, self.answer = 0, Event()

    def check_storage(self):
        self.asked += 1
        self.answer.wait(30)


@pytest.fixture
def slow(monkeypatch):
    slow = Slow()
    monkeypatch.setattr(watch, "storages", {"default": slow})
    monkeypatch.setattr(watch, "WAIT_SECONDS", 0.2)
    yield slow
    slow.answer.set()


class TestWatch:
    def test_a_storage_that_hangs_holds_up_nobody(self, slow, client):
        begun = time.monotonic()
        for _ in range(3):
            part = health.check_storage(timezone.now())
            assert (part.state, part.sentence) == ("down", "not usable: no answer within 0.2 s")
        assert time.monotonic() - begun < 10
        assert slow.asked == 1, "each visitor would leave a thread behind"
        assert client.get("/readyz").status_code == 200
        slow.answer.set()
        watch.watch.thread.join()
        assert health.check_storage(timezone.now()).state == "ok"

    def test_it_is_asked_again_after_some_seconds_only(self, slow, monkeypatch):
        slow.answer.set()
        for _ in range(5):
            assert health.check_storage(timezone.now()).state == "ok"
        assert slow.asked == 1
        monkeypatch.setattr(watch, "KEPT_SECONDS", 0)
        assert health.check_storage(timezone.now()).state == "ok"
        assert slow.asked == 2

    def test_the_page_shows_no_place(self, monkeypatch, client):
        def refuse():
            raise PermissionError(errno.EACCES, "Permission denied", "/srv/private")

        monkeypatch.setattr(storages["default"], "check_storage", refuse)
        told = client.get("/healthz")
        assert told.json()["storage"] == "not usable: PermissionError"
        assert "/srv/private" not in told.text


def test_a_folder_before_its_first_file(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "not" / "yet"
    assert storages["default"].check_storage() > 0
    default_storage.save("a", ContentFile(b"1"))
    assert storages["default"].check_storage() > 0
