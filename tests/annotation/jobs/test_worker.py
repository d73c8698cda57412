"""Jobs through a real worker process: the embedded broker and Redis, a kill half-way, a stop."""

import datetime as dt
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from celery import Celery
from django.conf import settings as django_settings
from django.core.files.base import ContentFile
from django.db import connection, transaction
from django.utils import timezone

from annotation.imports import services as imports_services
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question, Task
from config import embedded
from config.models import Heartbeat
from tests import factories
from tests.annotation.work.helpers import wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("worker")]
ROOT = Path(__file__).resolve().parents[3]


def on_test_database(folder, **more):
    """Return the environment of a process on the test's own database, broker and files."""
    variable = "DATABASE_URL" if os.environ.get("DATABASE_URL") else embedded.URL_VARIABLE
    name = connection.settings_dict["NAME"]
    return {
        **os.environ,
        **{"REDIS_URL": "", "BROKER_URL": ""},
        "AMBIT_DATA": str(folder),
        "SECRET_KEY": django_settings.SECRET_KEY,
        # The address of the test's database instead of the installation's.
        variable: urlunsplit(urlsplit(os.environ[variable])._replace(path=f"/{name}")),
        **more,
    }


@pytest.fixture
def worker(tmp_path, monkeypatch, settings):
    """Start `manage.py worker` processes on the test's own database, broker and files."""
    settings.MEDIA_ROOT = tmp_path / "files"
    started = []

    def start(*arguments, **environment):
        with (tmp_path / f"worker-{len(started)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "worker", *arguments],
                cwd=ROOT,
                env=on_test_database(tmp_path, **environment),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
    for log in tmp_path.glob("worker-*.log"):
        sys.stdout.write(log.read_text(errors="replace")[-3000:])


@pytest.fixture
def use_broker(monkeypatch):
    """Wake workers through the broker of this configuration."""
    apps = []

    def use(**configuration):
        apps.append(make_waker(monkeypatch, **configuration))

    yield use
    for app in apps:
        app.close()


def make_waker(monkeypatch, **configuration):
    app = Celery("test", set_as_current=False)
    app.conf.update(task_default_queue="default", **configuration)
    monkeypatch.setattr(
        jobs_services,
        "wake_workers",
        lambda job_id: app.send_task("annotation.tasks.run_job", kwargs={"job_id": job_id}),
    )
    return app


@pytest.fixture
def files_as_broker(tmp_path, use_broker):
    for folder in ("messages", "control"):
        (tmp_path / "queue" / folder).mkdir(parents=True)
    use_broker(
        broker_url="filesystem://",
        broker_transport_options={
            "data_folder_in": str(tmp_path / "queue" / "messages"),
            "data_folder_out": str(tmp_path / "queue" / "messages"),
            "control_folder": str(tmp_path / "queue" / "control"),
        },
    )


@pytest.fixture
def redis_address():
    """A redis-server of our own on a free port of the loopback interface."""
    program = shutil.which("redis-server")
    if not program:
        pytest.skip("redis-server is not on PATH; install Debian's redis-server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [program, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
    )

    def up():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    wait_for(up)
    yield f"redis://127.0.0.1:{port}/0"
    server.terminate()
    server.wait()


def upload(count):
    """Upload `count` questions as a researcher; returns the job."""
    project = factories.make_project()
    content = b"".join(
        json.dumps({"id": f"q{n}", "question": f"what is the number {n}"}).encode() + b"\n"
        for n in range(count)
    )
    with transaction.atomic():
        return imports_services.start_import(
            project=project,
            file=ContentFile(content, name="many.jsonl"),
            file_name="many.jsonl",
            format="jsonl",
            split="dev",
            strict=False,
            by=factories.make_member(project, "researcher", name="Rosa Reed"),
            now=timezone.now(),
        )


def over(job):
    def finished():
        job.refresh_from_db()
        return job.ended_at

    wait_for(finished)
    return job


def test_a_killed_worker_leaves_nothing_undone_and_nothing_twice(worker, files_as_broker):
    """10,000 questions; SIGKILL half-way; another worker finishes. Progress is seen meanwhile."""
    job = upload(10_000)
    first = worker()
    steps = set()

    def half_way():
        job.refresh_from_db()
        steps.add(job.done)
        return job.done >= 3_000

    wait_for(half_way)
    first.kill()
    first.wait()
    job.refresh_from_db()
    assert (job.state, job.total) == ("running", 10_000)
    assert 3_000 <= job.done < 10_000
    assert len(steps) >= 3
    # What was saved and what was counted are of the same moment.
    assert Question.objects.count() == job.done == job.result["created"]

    # Half a minute passes.
    Job.objects.update(
        heartbeat_at=timezone.now() - jobs_services.STALE_AFTER - dt.timedelta(seconds=1)
    )
    worker()
    over(job)
    assert (job.state, job.done, job.attempts) == ("done", 10_000, 2)
    assert job.result == {
        "created": 10_000,
        "updated": 0,
        "unchanged": 0,
        "rejected": 0,
        "errors": [],
    }
    assert Question.objects.count() == Task.objects.count() == 10_000
    assert Question.objects.values("external_id").distinct().count() == 10_000


def test_a_running_job_is_stopped(worker, files_as_broker):
    job = upload(10_000)
    worker()

    def begun():
        job.refresh_from_db()
        return job.done

    wait_for(begun)
    jobs_services.cancel_job(job=job, by=job.created_by, now=timezone.now())
    over(job)
    assert job.state == "cancelled"
    assert 0 < job.done < 10_000
    assert Question.objects.count() == job.done == job.result["created"]


@pytest.mark.redis
def test_an_import_over_redis(worker, redis_address, use_broker):
    use_broker(broker_url=redis_address)
    job = upload(1_000)
    worker(REDIS_URL=redis_address)
    over(job)
    assert (job.state, job.result["created"]) == ("done", 1_000)
    assert Question.objects.count() == 1_000


def test_worker_and_clock_show_signs_of_life_until_they_are_stopped(worker, files_as_broker):
    process = worker()

    def both():
        return set(Heartbeat.objects.values_list("kind", "queues")) == {
            ("worker", "default"),
            ("clock", ""),
        }

    wait_for(both)
    assert timezone.now() - Heartbeat.objects.earliest("at").at < dt.timedelta(seconds=30)
    process.terminate()
    process.wait(timeout=60)
    assert not Heartbeat.objects.exists()


def test_a_killed_worker_leaves_its_last_sign(worker, files_as_broker):
    process = worker("--no-clock", "--queues", "models")
    wait_for(Heartbeat.objects.exists)
    process.kill()
    process.wait()
    row = Heartbeat.objects.get()
    assert (row.kind, row.queues) == ("worker", "models")
    assert row.name.startswith("models@")
