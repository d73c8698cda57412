"""/healthz says how every part is; /livez and /readyz tell programs what to do about it."""

import datetime as dt
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Job
from config.models import Heartbeat
from operations import health, heartbeats
from tests import factories
from wikipedia.search.index import FORMAT

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html,application/xhtml+xml;q=0.9"}


@pytest.fixture
def running():
    """A worker and the clock."""
    beat("default@one", queues="default")
    beat("clock@one", kind="clock")


def beat(name, ago=0, kind="worker", queues=""):
    now = timezone.now() - dt.timedelta(seconds=ago)
    heartbeats.write_heartbeat(name=name, kind=kind, queues=queues, now=now)


@pytest.fixture
def without(monkeypatch):
    """Make looking at a part fail."""

    def break_part(name):
        def broken(now):
            raise OSError("no route to 10.0.0.7")

        checks = [
            health.Check(check.name, check.label, check.about, broken)
            if check.name == name
            else check
            for check in health.CHECKS
        ]
        monkeypatch.setattr(health, "CHECKS", tuple(checks))

    return break_part


def test_all_is_well_without_signing_in(client, running):
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json() == {
        "status": "ok",
        "database": "ok",
        "version": "ok",
        "broker": "ok",
        "storage": "ok",
        "workers": "ok: 1 run",
        "clock": "ok",
        "jobs": "ok: none waits",
        "index": "ok",
        "mail": "ok: no server is set, so they are kept as files",
    }
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize("part", ["database", "broker"])
def test_a_part_that_every_page_needs(client, running, without, part):
    without(part)
    told = client.get("/healthz")
    assert (told.status_code, told.json()["status"]) == (503, "down")
    assert told.json()[part] == "not usable: OSError"  # and no addresses
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()[part]) == (503, "not usable: OSError")
    assert client.get("/livez").status_code == 200


def test_readiness_asks_only_for_what_every_page_needs(client):
    assert client.get("/readyz").json() == {"database": "ok", "broker": "ok"}
    assert client.get("/healthz").status_code == 503  # no worker


def test_life_needs_no_database(client):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get("/livez").content == b"ok\n"
    assert len(queries) == 0


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_probes_need_neither_a_host_name_nor_https(client, settings, path):
    settings.SECURE_SSL_REDIRECT = True
    settings.ALLOWED_HOSTS = ["ambit.example"]
    assert client.get(path, HTTP_HOST="10.0.0.7:8000").status_code == 200
    assert client.get("/account/login/", HTTP_HOST="10.0.0.7:8000").status_code == 400


def test_one_bad_archive_leaves_the_site_as_it_is(client, running, monkeypatch):
    factories.make_snapshot(name="lost", archive="/srv/private/lost.zim")
    factories.make_snapshot(name="odd", archive="/srv/private/odd.zim")
    from wikipedia.snapshots import queries as snapshots_queries

    look = snapshots_queries.index_problem

    def sometimes(snapshot):
        if snapshot.name == "odd":
            raise PermissionError("/srv/private")
        return look(snapshot)

    monkeypatch.setattr(snapshots_queries, "index_problem", sometimes)
    told = client.get("/healthz")
    assert (told.status_code, told.json()["status"]) == (200, "warning")
    assert told.json()["index"] == "not usable: lost, odd"
    assert client.get("/readyz").status_code == 200


def test_an_index_of_another_version_is_named_with_what_to_do(client, running, settings, tmp_path):
    settings.AMBIT_DATA = tmp_path
    for name, format in (("dpr", 2), ("enwiki", 1), ("new", FORMAT)):
        folder = tmp_path / "index" / name
        (folder / "v-1").mkdir(parents=True)
        pointer = {"format": format, "folder": "v-1", "kind": "passages", "fingerprint": "f"}
        pointer |= {"language": "eng", "articles": 1, "passages": 1}
        (folder / "current.json").write_text(json.dumps(pointer))
    factories.make_snapshot(name="enwiki", archive=__file__)  # whose index is too old
    told = client.get("/healthz")
    assert (told.status_code, told.json()["status"]) == (200, "warning")
    assert told.json()["index"] == (
        "not usable: enwiki; made by another version of Ambit, to be built again with "
        "manage.py index_wikipedia or index_passages: dpr"
    )


@pytest.mark.parametrize(
    ("ago", "queues", "status", "sentence"),
    [
        (50, "default,models", 200, "ok: 1 run"),
        (70, "default", 503, "no worker runs; last sign 70 s ago"),
        (7300, "default", 503, "no worker runs; last sign 2 h ago"),
        (0, "models", 503, "no worker runs; last sign 0 s ago"),
    ],
)
def test_a_worker_shows_signs_of_life(client, ago, queues, status, sentence):
    beat("clock@one", kind="clock")
    beat("default@one", ago=ago, queues=queues)
    told = client.get("/healthz")
    assert (told.status_code, told.json()["workers"]) == (status, sentence)


def test_a_worker_that_is_lost_beside_others(client, running):
    beat("default@two", ago=300, queues="default")
    told = client.get("/healthz")
    assert (told.status_code, told.json()["workers"]) == (200, "1 of 2 run; 1 lost")
    heartbeats.delete_heartbeat(name="default@two")
    assert client.get("/healthz").json()["workers"] == "ok: 1 run"


def test_the_clock_runs_once(client, running):
    Heartbeat.objects.filter(kind="clock").update(at=timezone.now() - dt.timedelta(minutes=3))
    told = client.get("/healthz")
    assert told.status_code == 503
    assert told.json()["clock"] == "the clock does not run; last sign 3 min ago"
    beat("clock@one", kind="clock")
    beat("clock@two", kind="clock")
    assert client.get("/healthz").json()["clock"] == "2 clocks run; stop all but one"


def test_what_has_been_silent_for_a_day_is_forgotten(running):
    beat("default@gone", ago=25 * 3600, queues="default")
    heartbeats.forget_old(now=timezone.now())
    assert set(Heartbeat.objects.values_list("name", flat=True)) == {"default@one", "clock@one"}


def test_the_oldest_waiting_job(client, running, project, rosa):
    job = Job.objects.create(
        project=project,
        kind="import",
        created_by=rosa,
        created_at=timezone.now() - dt.timedelta(minutes=5),
    )
    assert client.get("/healthz").json()["jobs"] == "ok: the oldest has waited 5 min"
    job.created_at = timezone.now() - dt.timedelta(hours=3)
    job.save()
    told = client.get("/healthz").json()
    assert (told["jobs"], told["status"]) == ("the oldest has waited 3 h", "warning")


def test_people_get_a_page_that_needs_no_database(client, running, without):
    factories.make_snapshot(name="lost", archive="/srv/private/lost.zim")
    page = client.get("/healthz", headers=HTML)
    assert page.status_code == 200
    assert "Something needs a look" in page.text
    assert "Not usable: lost" in page.text
    assert "/srv/private" not in page.text
    without("database")
    page = client.get("/healthz", headers=HTML)
    assert page.status_code == 503
    assert "Something is down" in page.text


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/metrics"])
def test_they_reject_post(client, path):
    assert client.post(path).status_code == 405


def test_a_mail_server_that_lets_nobody_in_is_a_warning(client, running, settings, monkeypatch):
    asked = []

    class Server:
        def open(self):
            asked.append(settings.EMAIL_URL)
            raise ConnectionRefusedError("mail.internal:25")

    monkeypatch.setattr("operations.watch.get_connection", lambda timeout: Server())
    settings.EMAIL_URL = "smtp://mail.internal"
    for _ in range(2):
        told = client.get("/healthz")
        assert (told.status_code, told.json()["status"]) == (200, "warning")
        said = told.json()["mail"]
        assert said == "the server takes no e-mail: ConnectionRefusedError"  # and no host
    assert len(asked) == 1
