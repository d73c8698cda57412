"""/metrics: who may read it, what it says, and that it adds up over processes."""

import datetime as dt
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Assignment, Job
from annotation.work import taking
from benchmarks.serving import free_port, served
from operations import heartbeats, prometheus
from tests import factories

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]


def read(text):
    """Return the value of each line of an exposition."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


@pytest.fixture
def figures(client):
    def get():
        response = client.get("/metrics")
        assert response.status_code == 200
        assert response["Content-Type"].startswith("text/plain; version=0.0.4")
        return read(response.text)

    cache.clear()
    return get


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("10.0.0.7", {}, 403),
        ("", {}, 403),  # a Unix socket, behind which is a proxy
        ("127.0.0.1", {"Host": "127.0.0.1:8000"}, 200),
        ("::1", {"Host": "[::1]:8000"}, 200),
        ("127.0.0.1", {"Host": "ambit.example"}, 200),
        ("127.0.0.1", {"Host": "evil.example"}, 403),
        ("127.0.0.1", {"Host": "evil.example:8000"}, 403),
        ("127.0.0.1", {"Host": "127.0.0.1.evil.example"}, 403),
        ("127.0.0.1", {"Host": ""}, 403),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 403),
        ("127.0.0.1", {"X-Forwarded-Proto": "https"}, 403),
        ("127.0.0.1", {"Forwarded": "for=127.0.0.1"}, 403),
    ],
)
def test_without_a_token_this_machine_alone_may_read(client, settings, address, headers, status):
    settings.ALLOWED_HOSTS = ["ambit.example"]
    headers = {"Host": "localhost"} | headers
    response = client.get("/metrics", REMOTE_ADDR=address, headers=headers)
    assert response.status_code == status
    if status == 403:
        assert "set METRICS_TOKEN" in response.text
        assert "ambit_" not in response.text


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ("Bearer s3cret", 200),
        ("Bearer s3cre", 401),
        ("s3cret", 401),
        ("Bearer ü", 401),
        (None, 401),
    ],
)
def test_with_a_token_whoever_has_it_may_read(client, settings, given, status):
    settings.METRICS_TOKEN = "s3cret"
    headers = {"X-Forwarded-For": "10.0.0.7"} | ({"Authorization": given} if given else {})
    response = client.get("/metrics", headers=headers)
    assert response.status_code == status
    assert ("ambit_up" in response.text) is (status == 200)


def test_requests_are_counted_by_the_name_of_their_address(client, figures):
    def count(status, view, method="GET"):
        key = f'ambit_requests_total{{method="{method}",status="{status}",view="{view}"}}'
        return figures().get(key, 0)

    before = count(200, "account_login"), count(404, "none"), count(405, "account_login", "other")
    client.get("/account/login/")
    client.get("/no/such/page/")
    client.generic("BREW", "/account/login/")
    after = count(200, "account_login"), count(404, "none"), count(405, "account_login", "other")
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1, 1]
    assert figures()['ambit_request_seconds_count{view="account_login"}'] >= 1


def test_jobs_leases_workers_and_snapshots(figures, project, ann, rosa):
    now = timezone.now()
    factories.make_task(project)
    taken = taking.take_next(project=project, stage="generation", by=ann, now=now)
    Assignment.objects.filter(pk=taken.pk).update(lease_ends_at=now - dt.timedelta(hours=1))
    Job.objects.create(
        project=project, kind="import", created_by=rosa, created_at=now - dt.timedelta(minutes=10)
    )
    heartbeats.write_heartbeat(
        name="default@one", kind="worker", now=now - dt.timedelta(seconds=30)
    )
    given = figures()
    assert given['ambit_assignments{stage="generation",state="active"}'] == 1
    assert given['ambit_leases{stage="generation"}'] == 1
    assert given['ambit_leases_overdue{stage="generation"}'] == 1
    assert given['ambit_jobs{kind="import",state="queued"}'] == 1
    assert 600 <= given['ambit_job_waiting_seconds{kind="import"}'] < 700
    assert 30 <= given['ambit_heartbeat_age_seconds{kind="worker",name="default@one"}'] < 130
    assert given[f'ambit_snapshot_usable{{snapshot="{project.snapshot.name}"}}'] == 0
    assert given['ambit_queue_messages{queue="default"}'] >= 0
    assert given["ambit_storage_free_bytes"] > 0
    assert given['ambit_up{part="storage"}'] == 1
    assert given['ambit_up{part="database"}'] == given['ambit_up{part="jobs"}'] == 1


def test_what_cannot_be_read_is_named_and_hides_nothing_else(figures, monkeypatch):
    def broken(now):
        raise OSError("no route")
        yield

    monkeypatch.setitem(prometheus.PARTS, "queues", broken)
    given = figures()
    assert given['ambit_up{part="queues"}'] == 0
    assert given['ambit_up{part="jobs"}'] == 1
    assert not [name for name in given if name.startswith("ambit_queue_messages")]


def test_statements_do_not_grow_with_rows(figures, project, rosa):
    def statements():
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            figures()
        return len(queries)

    before = statements()
    for kind in ("import", "export", "bring"):
        Job.objects.create(project=project, kind=kind, created_by=rosa, created_at=timezone.now())
        heartbeats.write_heartbeat(name=f"{kind}@one", kind="worker", now=timezone.now())
        factories.make_snapshot()
    assert statements() == before


def test_several_processes_add_up(tmp_path):
    """Two processes answer; either gives the figures of both."""
    port = free_port()
    command = [sys.executable, "manage.py", "web", "--port", str(port), "--workers", "2"]
    environment = os.environ | {"DEBUG": "True", "TMPDIR": str(tmp_path)}
    with (
        (tmp_path / "lines").open("w") as lines,
        served(command, port, cwd=ROOT, env=environment, stdout=lines, stderr=lines),
    ):
        for _ in range(20):
            ask(port, "account/password/reset/")
        given = read(ask(port, "metrics"))
        folders = list(tmp_path.glob("ambit-figures-*"))
        pids = {re.sub(r"\D", "", path.stem) for path in folders[0].glob("counter_*.db")}
    key = 'ambit_requests_total{method="GET",status="200",view="account_reset_password"}'
    assert 20 <= given[key] <= 21  # one is asked as the server starts
    assert len(pids) >= 2
    assert not folders[0].exists()


def ask(port, path):
    """Ask over a connection of its own."""
    command = ["curl", "--silent", "--fail", f"http://127.0.0.1:{port}/{path}"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout
