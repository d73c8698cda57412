"""A backup has the files of a bucket, byte for byte, and restores them wherever files are kept."""

import random

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import User
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from operations.backup.making import stored_files
from tests import factories
from tests.config import installation
from tests.config.test_storage import DOWN, LINES, bucket, keys, server, use  # noqa: F401
from tests.operations.test_backup import own_database, refused  # noqa: F401 - fixture

FILES = {
    "jobs/waiting.upload": LINES,
    "jobs/deep/er/long.upload": random.Random(1).randbytes(3_000_000),
    "jobs/empty.upload": b"",
    "name with spaces + ü.txt": b"\x00\xff\r\n",
}


@pytest.fixture
def waiting(own_database, bucket):  # noqa: F811
    """An installation in which a job waits; its file is in the bucket, with others."""
    for name, content in FILES.items():
        assert default_storage.save(name, ContentFile(content)) == name
    project = factories.make_project()
    return Job.objects.create(
        project=project, kind="import", created_by=factories.make_member(project, "researcher"),
        created_at=timezone.now(), file="jobs/waiting.upload", file_name="q.jsonl",
        options={"format": "jsonl", "split": "dev", "strict": False},
    )  # fmt: skip


def contents():
    """Return the bytes of every stored file, by name."""
    files = {}
    for name in stored_files():
        with default_storage.open(name) as file:
            files[name] = file.read()
    return files


@pytest.mark.parametrize("place", ["the same bucket", "another folder of it", "a folder"])
def test_files_come_back_byte_for_byte_and_their_job_is_done(
    waiting,
    bucket,  # noqa: F811
    server,  # noqa: F811
    settings,
    tmp_path,
    place,
):
    call_command("backup", str(tmp_path / "b.zip"))
    for key in keys(bucket):
        bucket.delete_object(Bucket="lab-ambit", Key=key)
    installation.make_database()
    if place == "another folder of it":
        use(settings, f"s3://key:hush@lab-ambit/two?endpoint={server}&region=us-east-1")
    elif place == "a folder":
        use(settings, f"file://{tmp_path}/files")

    call_command("restore", str(tmp_path / "b.zip"))

    assert contents() == FILES
    assert len(keys(bucket)) == (0 if place == "a folder" else len(FILES))
    jobs_services.claim_and_run(job_id=waiting.pk, clock=timezone.now)
    assert Job.objects.get().state == "done"
    assert Question.objects.count() == 2
    assert set(contents()) == set(FILES) - {"jobs/waiting.upload"}


def test_files_that_are_there_are_replaced_under_their_own_names(waiting, bucket, tmp_path):  # noqa: F811
    call_command("backup", str(tmp_path / "b.zip"))
    bucket.put_object(Bucket="lab-ambit", Key="one/jobs/waiting.upload", Body=b"changed since")
    call_command("restore", str(tmp_path / "b.zip"), replace=True)
    assert contents() == FILES


def test_a_bucket_that_is_down_is_named_before_anything_is_changed(waiting, settings, tmp_path):
    up = settings.STORAGES
    call_command("backup", str(tmp_path / "b.zip"))
    factories.make_user(name="Nora North", email="nora@example.org")
    use(settings, DOWN)
    with pytest.raises(CommandError, match=r"cannot be used \(EndpointConnectionError") as no:
        call_command("backup", str(tmp_path / "second.zip"))
    assert "hush" not in str(no.value)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".zip"] == ["b.zip"]
    assert "Nothing was changed" in refused("restore", str(tmp_path / "b.zip"), replace=True)
    assert User.objects.filter(name="Nora North").exists()
    settings.STORAGES = up
    assert contents() == FILES


def test_one_that_fails_in_the_middle_says_what_is_there(waiting, bucket, tmp_path, monkeypatch):  # noqa: F811
    from annotation.uploads.storage import StorageDown

    call_command("backup", str(tmp_path / "b.zip"))

    def down(self, name, content):
        raise StorageDown("EndpointConnectionError")

    with monkeypatch.context() as patch:
        patch.setattr("config.bucket.Bucket._save", down)
        with pytest.raises(CommandError, match="The database is restored, and not all") as error:
            call_command("restore", str(tmp_path / "b.zip"), replace=True)
    assert error.value.returncode == 1
    call_command("restore", str(tmp_path / "b.zip"), replace=True)
    assert contents() == FILES
