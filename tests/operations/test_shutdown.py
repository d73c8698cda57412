"""A termination signal in the middle of work: what was begun is brought to its end, or undone."""

import http.client
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from annotation.imports import services as imports_services
from annotation.models import Annotation, Assignment, Question, Task
from benchmarks.serving import free_port, served
from operations.server import STOP_SECONDS
from tests.annotation.jobs.test_worker import (  # noqa: F401 - fixtures
    ROOT,
    files_as_broker,
    on_test_database,
    over,
    upload,
    use_broker,
    wait_for,
    worker,
)
from tests.stages.scene import make_scene, taken

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("worker")]
TOKEN = "b" * 32


# As `manage.py web --workers 1`, but for the time that running requests have to end.
PROGRAM = """
import sys
from operations import server

server.STOP_SECONDS = int(sys.argv[2])
server.run_server(port=int(sys.argv[1]), workers=1)
"""


@pytest.fixture
def web(tmp_path, request):
    """A web server on the test's database; its process and its port."""
    port = free_port()
    seconds = getattr(request, "param", STOP_SECONDS)
    command = [sys.executable, "-c", PROGRAM, str(port), str(seconds)]
    environment = on_test_database(tmp_path, DEBUG="True")
    with (
        (tmp_path / "web.log").open("wb") as log,
        served(command, port, cwd=ROOT, env=environment, stdout=log, stderr=log) as pid,
    ):
        yield pid, port
    sys.stdout.write((tmp_path / "web.log").read_text(errors="replace")[-3000:])


@pytest.fixture
def window():
    """Somebody who has written an answer and is about to submit it."""
    scene = make_scene("generation", timezone.now())
    window = taken(scene.worker, scene.project, "generation")
    window.fields = scene.example.write(window.fields, "costermongers")
    return window


def submit(window, port):
    """Post the answer; return the status of the reply, None if the connection was cut."""
    session = window.client.cookies[settings.SESSION_COOKIE_NAME].value
    cookies = f"{settings.SESSION_COOKIE_NAME}={session}; {settings.CSRF_COOKIE_NAME}={TOKEN}"
    headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
    body = urlencode({**window.fields, "csrfmiddlewaretoken": TOKEN}, doseq=True)
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        asked.request("POST", window.url("submit"), body, headers)
        return asked.getresponse().status
    except (ConnectionError, http.client.HTTPException):
        return None
    finally:
        asked.close()


def waits_for_a_lock():
    """Whether a program waits for rows that this test holds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # kept until a transaction ends
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return cursor.fetchone()[0]


def hold(window):
    """Have everyone else wait for the assignment and its task until the transaction ends."""
    list(Task.objects.select_for_update().filter(pk=window.assignment.task_id))
    list(Assignment.objects.select_for_update().filter(pk=window.assignment.pk))


def test_a_submission_under_way_is_answered_and_stored(web, window):
    pid, port = web
    with ThreadPoolExecutor(1) as person:
        with transaction.atomic():
            hold(window)
            status = person.submit(submit, window, port)
            wait_for(waits_for_a_lock)
            os.kill(pid, signal.SIGTERM)
            time.sleep(1)
            assert not status.done()
        assert status.result() == 302
    assert window.row().state == "submitted"
    assert Annotation.objects.count() == 1


@pytest.mark.parametrize("web", [2], indirect=True)
def test_one_that_takes_too_long_is_cut_off_and_nothing_of_it_is_stored(web, window):
    pid, port = web
    with ThreadPoolExecutor(1) as person:
        with transaction.atomic():
            hold(window)
            status = person.submit(submit, window, port)
            wait_for(waits_for_a_lock)
            os.kill(pid, signal.SIGTERM)
            assert status.result() is None  # after 2 s
        wait_for(lambda: not waits_for_a_lock())
    assert window.row().state == "active"
    assert not Annotation.objects.exists()
    assert window.post("submit").status_code == 302, "once the server is back"
    assert window.row().state == "submitted"
    assert Annotation.objects.count() == 1


def test_a_worker_ends_its_job_before_it_stops(worker, files_as_broker, tmp_path):  # noqa: F811
    with transaction.atomic():
        job = upload(600)
    with transaction.atomic():
        imports_services.take_turn(job.project)
        process = worker()
        wait_for(waits_for_a_lock)
        process.terminate()
        wait_for(lambda: "Warm shutdown" in (tmp_path / "worker-0.log").read_text())
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
    assert process.wait(timeout=60) == 0
    over(job)
    assert (job.state, job.attempts, job.done) == ("done", 1, 600)
    assert Question.objects.count() == 600
