"""STORAGE_URL: what is refused at start-up, and uploads in a bucket that several hosts read."""

import os
import subprocess
import sys
from pathlib import Path

import boto3
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import override_settings
from django.urls import reverse
from django.utils import timezone
from moto.server import ThreadedMotoServer

from annotation.imports import services as imports_services
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from annotation.uploads.storage import StorageDown
from config import storage_url
from operations.backup.making import stored_files

FOLDER = Path("/var/lib/ambit/files")
LINES = b"".join(b'{"id": "q%d", "question": "when did bridge %d open"}\n' % (n, n) for n in (1, 2))
DOWN = "s3://key:hush@lab-ambit?endpoint=http://127.0.0.1:1&region=us-east-1"  # nobody answers
PROBLEM = "Ambit cannot reach the storage of its files"


def described(value):
    return storage_url.parse_storage_url(value, default=FOLDER)


class TestValue:
    def test_without_one_files_are_in_the_folder_of_the_installation(self):
        storage, folder = described("")
        assert storage == {"BACKEND": "config.folder.Folder"}
        assert folder == FOLDER

    def test_a_shared_folder(self):
        storage, folder = described("file:///srv/our%20files")
        assert storage["BACKEND"] == "config.folder.Folder"
        assert folder == Path("/srv/our files")

    def test_a_bucket(self):
        storage, folder = described(
            "s3://key:a%2Fb%40c@lab-ambit/first/one?endpoint=http://10.0.0.5:9000&region=eu-north-1"
        )
        assert storage["OPTIONS"] == {
            "bucket_name": "lab-ambit",
            "location": "first/one",
            "access_key": "key",
            "secret_key": "a/b@c",
            "endpoint_url": "http://10.0.0.5:9000",
            "region_name": "eu-north-1",
        }
        assert folder == FOLDER

    @pytest.mark.parametrize(
        ("value", "sentence"),
        [
            ("https://hush@bucket", "must start with s3:// or file://"),
            ("/srv/files", "must start with s3:// or file://"),
            ("s3://", "names a bucket after the keys"),
            ("s3://key:hush@b", "names a bucket after the keys"),
            ("s3://key:hush@bucket:9000", "goes into .endpoint="),
            ("s3://key:hush@bucket:port", "cannot be read as an address"),
            ("s3://key:hu/sh@bucket", "cannot be read as an address"),
            ("s3://key@bucket", "one of two keys"),
            ("s3://:hush@bucket", "one of two keys"),
            ("s3://bucket/a/../../b", "a folder that no bucket can have"),
            ("s3://bucket/a#b", "a folder that no bucket can have"),
            ("s3://bucket?acl=public-read", "can have endpoint and region"),
            ("s3://bucket?region=", "can have endpoint and region"),
            ("s3://bucket?region=a&region=b", "can have endpoint and region"),
            ("s3://bucket?endpoint=10.0.0.5:9000", "an endpoint that is not"),
            ("s3://bucket?endpoint=http://hush:x", "an endpoint that is not"),
            ("file://srv/files", "with three slashes"),
            ("file:///", "with three slashes"),
            ("file:///srv/files?hush", "with three slashes"),
        ],
    )
    def test_what_cannot_be_meant_is_refused_without_showing_it(self, value, sentence):
        with pytest.raises(ImproperlyConfigured, match=sentence) as refusal:
            described(value)
        assert "STORAGE_URL" in str(refusal.value)
        assert "hush" not in str(refusal.value)

    def test_a_bucket_needs_the_extra(self, monkeypatch):
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(ImproperlyConfigured, match="install the extra s3"):
            described("s3://bucket")

    @pytest.mark.parametrize("variable", ["STORAGE_URL", "STORAGE_URL_FILE"])
    def test_it_is_read_at_start_up(self, variable, tmp_path):
        value = "ftp://key:hush@bucket"
        if variable.endswith("FILE"):
            (tmp_path / "address").write_text(value)
            value = str(tmp_path / "address")
        started = subprocess.run(
            [sys.executable, "-c", "import config.settings"],
            env=os.environ | {variable: value},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert started.returncode != 0
        assert "STORAGE_URL must start with s3:// or file://" in started.stderr
        assert "hush" not in started.stderr.splitlines()[-1]

    def test_the_library_is_loaded_by_who_opens_a_file_only(self):
        code = "import django; django.setup(); import sys; print('boto3' in sys.modules)"
        started = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ
            | {"STORAGE_URL": "s3://bucket", "DJANGO_SETTINGS_MODULE": "config.settings"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert started.stdout == "False\n", started.stderr


@pytest.fixture(scope="module")
def server():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def bucket(server, settings):
    """An empty bucket as the storage of this test."""
    client = boto3.client(
        "s3",
        endpoint_url=server,
        region_name="us-east-1",
        aws_access_key_id="key",
        aws_secret_access_key="hush",
    )
    client.create_bucket(Bucket="lab-ambit")
    for entry in client.list_objects_v2(Bucket="lab-ambit").get("Contents", ()):
        client.delete_object(Bucket="lab-ambit", Key=entry["Key"])
    use(settings, f"s3://key:hush@lab-ambit/one?endpoint={server}&region=us-east-1")
    return client


def use(settings, value):
    storage, _ = described(value)
    settings.STORAGES = {**settings.STORAGES, "default": storage}


def keys(client):
    entries = client.list_objects_v2(Bucket="lab-ambit").get("Contents", ())
    return [entry["Key"] for entry in entries]


def upload(client, project, content=LINES):
    fields = {"format": "jsonl", "split": "dev", "file": SimpleUploadedFile("q.jsonl", content)}
    return client.post(reverse("import-create", args=[project.slug]), fields)


@pytest.mark.django_db(transaction=True)
class TestBucket:
    def test_an_upload_is_imported_by_another_host(
        self, bucket, client_as, rosa, project, tmp_path, settings
    ):
        assert upload(client_as(rosa), project).status_code == 302
        job = Job.objects.get()
        assert keys(bucket) == [f"one/{job.file.name}"]
        assert not settings.MEDIA_ROOT.exists(), "nothing may depend on the folder of one host"

        with override_settings(MEDIA_ROOT=tmp_path / "another host"):
            jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)

        job.refresh_from_db()
        assert (job.state, job.problem) == ("done", "")
        assert Question.objects.filter(project=project).count() == 2
        assert keys(bucket) == [], "an upload is deleted once it is imported"

    def test_a_long_file_comes_whole_and_goes_to_the_disk(self, bucket, rosa, project):
        content = b"".join(
            b'{"id": "l%d", "question": "%s"}\n' % (n, b"when did it open " * 60)
            for n in range(9_000)
        )
        assert len(content) > 9_000_000  # in parts, then
        name = default_storage.save("jobs/long.upload", ContentFile(content))
        with default_storage.open(name) as file:
            assert file.file._rolled, "a file of 500 MB may not be held in memory"
            assert file.read() == content

    def test_a_name_is_given_once(self, bucket):
        first = default_storage.save("jobs/a.upload", ContentFile(b"1"))
        second = default_storage.save("jobs/a.upload", ContentFile(b"2"))
        assert first != second
        with default_storage.open(first) as file:
            assert file.read() == b"1"

    def test_a_file_that_is_gone_is_explained(self, bucket, client_as, rosa, project):
        upload(client_as(rosa), project)
        job = Job.objects.get()
        default_storage.delete(job.file.name)
        default_storage.delete(job.file.name)  # twice is no fault
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        assert job.state == "failed"
        assert "The uploaded file is no longer here" in job.problem

    def test_a_backup_sees_what_is_there_and_nothing_of_others(self, bucket):
        bucket.put_object(Bucket="lab-ambit", Key="two/theirs", Body=b"")
        for name in ("jobs/b", "jobs/a", "jobs/deep/c", "d"):
            default_storage.save(name, ContentFile(b"1"))
        assert list(stored_files()) == ["d", "jobs/a", "jobs/b", "jobs/deep/c"]
        with pytest.raises(FileNotFoundError):
            default_storage.open("theirs")

    def test_nothing_is_public(self, bucket):
        default_storage.save("jobs/a", ContentFile(b"1"))
        grants = bucket.get_object_acl(Bucket="lab-ambit", Key="one/jobs/a")["Grants"]
        assert [grant["Grantee"]["Type"] for grant in grants] == ["CanonicalUser"]

    def test_no_answer_loses_nothing(self, bucket, client_as, rosa, project, settings, caplog):
        up = settings.STORAGES
        upload(client_as(rosa), project)
        job = Job.objects.get()

        use(settings, DOWN)
        answer = upload(client_as(rosa), project)
        assert (answer.status_code, PROBLEM in answer.text) == (503, True)
        assert Job.objects.count() == 1
        assert "hush" not in caplog.text
        with pytest.raises(StorageDown):
            jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        assert (job.state, job.problem) == ("running", "")

        settings.STORAGES = up
        Job.objects.update(heartbeat_at=timezone.now() - 2 * jobs_services.STALE_AFTER)
        assert jobs_services.requeue_stale_jobs(now=timezone.now()) == 1
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        assert (job.state, job.attempts) == ("done", 2)

    def test_a_refusal_is_in_the_log_and_not_on_the_page(
        self, bucket, server, client_as, rosa, project, settings, caplog
    ):
        use(settings, f"s3://key:hush@no-such-bucket?endpoint={server}&region=us-east-1")
        answer = upload(client_as(rosa), project)
        assert (answer.status_code, PROBLEM in answer.text) == (503, True)
        assert "NoSuchBucket" in caplog.text
        assert "no-such-bucket" not in answer.text

    def test_programs_get_the_sentence_as_json(self, bucket, client_as, rosa, project, settings):
        use(settings, DOWN)
        file = SimpleUploadedFile("q.jsonl", LINES)
        fields = {"format": "jsonl", "split": "dev", "file": file}
        answer = client_as(rosa).post(f"/api/v1/projects/{project.slug}/imports/", fields)
        assert answer.status_code == 503
        assert answer.json()["detail"].startswith(PROBLEM)


def test_a_shared_folder_is_the_storage(settings, tmp_path, project, rosa):
    storage, settings.MEDIA_ROOT = described(f"file://{tmp_path}/shared")
    settings.STORAGES = {**settings.STORAGES, "default": storage}
    job = imports_services.start_import(
        project=project, file=ContentFile(LINES, name="q.jsonl"), file_name="q.jsonl",
        format="jsonl", split="dev", strict=False, by=rosa, now=timezone.now(),
    )  # fmt: skip
    assert (tmp_path / "shared" / job.file.name).read_bytes() == LINES
