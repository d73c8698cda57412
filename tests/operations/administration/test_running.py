"""Jobs of all projects, health, storage and backups, the audit of the installation."""

import csv
import datetime as dt
import io
import json

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core import audit
from annotation.core.models.audit import OF_STAFF
from annotation.models import AuditEntry, Job
from operations.administration.audit.queries import AuditFilter, find_entries
from operations.administration.jobs.queries import build_page
from operations.administration.storage import measuring
from operations.backup import manifest as manifests
from operations.backup.notes import list_backups, note_backup
from operations.heartbeats import write_heartbeat
from tests import factories
from tests.annotation.consent.helpers import agree, publish

pytestmark = pytest.mark.django_db
JOBS, HEALTH, STORAGE, AUDIT = (
    reverse(f"administration-{name}") for name in ("jobs", "health", "storage", "audit")
)


@pytest.fixture(autouse=True)
def nothing_known():
    cache.clear()


def make_job(project, by, now, *, ago=0, **fields):
    at = now - dt.timedelta(minutes=ago)
    state = fields.get("state", "queued")
    over = {"ended_at": at} if state in ("done", "failed", "cancelled") else {}
    given = {"kind": "import", "created_by": by, "created_at": at, "heartbeat_at": at}
    return Job.objects.create(project=project, **given | over | fields)


def queries_of(client, address):
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


# --- jobs ----------------------------------------------------------------------------------------


def test_jobs_of_all_projects_stand_by_their_queues(client, project, ada, now):
    other = factories.make_project()
    make_job(project, ada, now, ago=3)
    running = {"state": "running", "started_at": now - dt.timedelta(minutes=2), "attempts": 1}
    make_job(other, ada, now, ago=2, done=25, total=100, **running)
    make_job(other, ada, now, kind="predict", options={"heavy": True})
    write_heartbeat(name="a@one", kind="worker", queues="default", now=now)
    write_heartbeat(name="b@one", kind="worker", queues="default", now=now - dt.timedelta(hours=1))
    page = build_page(now)
    queues = {row.name: row for row in page.queues}
    default, models = queues["default"], queues["models"]
    assert (default.running, default.waiting, default.alive, default.lost) == (1, 1, 1, 1)
    assert default.oldest == dt.timedelta(minutes=3)
    assert (models.waiting, models.alive) == (1, 0)
    first = page.unfinished[0]
    assert (first.percent, first.left, first.queue) == (25, 360, "default")
    assert "No worker takes its jobs." in client.get(JOBS).content.decode()


def test_a_failed_job_is_told_until_one_like_it_is_done(client, project, ada, now):
    make_job(project, ada, now, ago=9, state="failed", problem="Line 88 cannot be read.")
    text = client.get(JOBS).content.decode()
    assert "Line 88 cannot be read." in text
    assert "1 failed</span>" in text  # beside the name of the section
    make_job(factories.make_project(), ada, now, state="done")
    make_job(project, ada, now, state="done", kind="export")
    assert "Line 88 cannot be read." in client.get(JOBS).content.decode()
    make_job(project, ada, now, state="done", started_at=now - dt.timedelta(seconds=30))
    text = client.get(f"{JOBS}?ended=1").content.decode()
    assert "Line 88 cannot be read." not in text
    assert "1 failed</span>" not in text
    assert "3 done, 1 failed" in text
    assert "the longest 30 s" in text


def test_a_job_is_stopped_and_tried_again(client, project, root, now):
    job = make_job(project, root, now)
    client.post(reverse("administration-job-stop", args=[job.pk]))
    job.refresh_from_db()
    assert job.state == "cancelled"
    assert client.post(reverse("administration-job-stop", args=[job.pk])).status_code == 409
    assert AuditEntry.objects.filter(action="job_cancel_asked", actor=root.pk).exists()
    again = client.post(reverse("administration-job-retry", args=[job.pk]))
    assert again.status_code == 409  # its file is gone, which the sentence says
    missing = client.post(reverse("administration-job-stop", args=[job.pk + 99]))
    assert missing.status_code == 404


def test_the_page_of_jobs_takes_no_more_queries_with_more_jobs(client, project, ada, now):
    make_job(project, ada, now)
    few = queries_of(client, f"{JOBS}?ended=1")
    for state in ("queued", "failed", "done") * 3:
        make_job(factories.make_project(), factories.make_user(), now, state=state)
    assert queries_of(client, f"{JOBS}?ended=1") == few <= 11


# --- health --------------------------------------------------------------------------------------


def test_health_says_each_part_and_the_other_pages_remember(client, now):
    assert "to look at" not in client.get(JOBS).content.decode()
    text = client.get(HEALTH).content.decode()
    assert "Workers" in text
    assert "Down" in text  # no worker shows a sign of life here
    assert "No worker runs" in text
    assert "answered in" in text.lower()
    assert "to look at</span>" in client.get(JOBS).content.decode()


# --- storage -------------------------------------------------------------------------------------


@pytest.fixture
def data(settings, tmp_path):
    settings.AMBIT_DATA = tmp_path
    return tmp_path


def test_files_are_measured_up_to_a_limit_and_links_are_not_followed(data, monkeypatch):
    (data / "index" / "deep").mkdir(parents=True)
    for number in range(4):
        (data / "index" / "deep" / f"{number}").write_bytes(b"x" * 1000)
    (data / "index" / "link").symlink_to("/usr")
    assert measuring.measure_folder(data / "index") == (4000, True)
    assert measuring.measure_folder(data / "absent") == (0, True)
    monkeypatch.setattr(measuring, "MOST_FILES", 2)
    assert measuring.measure_folder(data / "index") == (2000, False)


def test_sizes_are_kept_for_minutes_and_measured_again_when_asked(client, data):
    text = client.get(STORAGE).content.decode()
    assert "Largest tables" in text
    assert "annotation_" in text or "accounts_" in text
    assert queries_of(client, STORAGE) <= 5
    (data / "index").mkdir()
    (data / "index" / "big").write_bytes(b"x" * 5_000_000)
    assert "<dd>5.0 MB</dd>" not in client.get(STORAGE).content.decode()
    assert "<dd>5.0 MB</dd>" in client.get(f"{STORAGE}?again=1").content.decode()


def test_graphs_of_wikidata_are_measured_where_there_are_some(client, data):
    assert "Graphs of Wikidata" not in client.get(STORAGE).content.decode()
    (data / "wikidata" / "all").mkdir(parents=True)
    (data / "wikidata" / "all" / "graph.sqlite").write_bytes(b"x" * 6_000_000)
    text = client.get(f"{STORAGE}?again=1").content.decode()
    assert "Graphs of Wikidata" in text
    assert "6.0 MB" in text


def a_manifest():
    part = manifests.BackupFile(3, "0" * 64)
    return manifests.Manifest(
        ambit="1", made_at="x", postgresql="16", migrations=(), keys=manifests.key_fingerprints(),
        parts={manifests.DATABASE: part, "files/a": part}, archives=(), indexes=(),
    )  # fmt: skip


def test_a_backup_is_noted_and_told_of_as_its_file_is(client, data, now):
    assert "No backup was made yet." in client.get(STORAGE).content.decode()
    target = data / "one.zip"
    call_command("backup", str(target), verbosity=0)
    [note] = list_backups()
    assert (note.file, note.bytes, note.problem) == (str(target), target.stat().st_size, "")
    assert note.manifest is not None
    text = client.get(STORAGE).content.decode()
    assert str(target) in text
    assert "as in the newest backup here" in text
    assert (data / "backups.json").stat().st_mode & 0o077 == 0
    target.write_bytes(b"cut")
    assert list_backups()[0].problem == "the file has another size than when it was made"
    target.unlink()
    assert "the file is not here any more" in client.get(STORAGE).content.decode()


def test_the_newest_notes_are_kept_and_one_that_was_edited_is_passed_over(data, now):
    target = data / "one.zip"
    target.write_bytes(b"PK")
    for minute in range(20):
        at = now + dt.timedelta(minutes=minute)
        note_backup(file=target, manifest=a_manifest(), now=at, seconds=1)
    assert len(list_backups()) == 14
    assert list_backups()[0].at == at.replace(microsecond=0)
    assert list_backups()[0].problem == "the file cannot be read as a backup"
    (data / "backups.json").write_text(json.dumps([{"at": "yesterday"}, 7, {}]))
    assert list_backups() == []
    (data / "backups.json").write_text("{")
    assert list_backups() == []


# --- audit ---------------------------------------------------------------------------------------


@pytest.fixture
def deeds(project, root, ann, ben, now):
    """Four rows of staff, the newest last, and one of work."""
    record = audit.record_action
    record("person_deactivated", ann, by=root, now=now, user=ann.pk, reason="=left")
    record("role_added", ben, by=root, now=now, project=project, user=ben.pk, role="judge")
    record("exported", project, by=ben, now=now - dt.timedelta(days=3), project=project)
    record("assignment_taken", project, by=ann, now=now, project=project)
    record("project_state", project, by=root, now=now, project=project, state="paused")


def actions(**chosen):
    return [entry.action for entry in find_entries(AuditFilter(**chosen))]


def test_the_audit_is_narrowed_down(deeds, project, ann, ben, now):
    everything = ["project_state", "exported", "role_added", "person_deactivated"]
    assert actions() == everything
    assert actions(kind="accounts") == actions(text="LEFT") == ["person_deactivated"]
    assert actions(kind="accounts", text=ann.name) == ["person_deactivated"]
    assert actions(text=ben.email) == ["exported", "role_added"]
    assert actions(text=project.title) == everything[:3]
    assert actions(text="project state") == ["project_state"]
    assert actions(until=(now - dt.timedelta(days=2)).date()) == ["exported"]
    assert "exported" not in actions(since=now.date())
    assert actions(text="%") == actions(kind="odd", text="nobody") == []


def test_consent_is_in_the_audit(client, project, root, ann, now):
    publish(project, root, now)
    agree(project, ann, now)
    assert set(actions(kind="consent")) == {"consent_text_published", "consent_given"}
    text = client.get(f"{AUDIT}?kind=consent").text
    assert "Agreed to version 1 of" in text
    assert ">Consent</option>" in text


def test_the_page_of_the_audit_and_its_file_say_the_same(client, deeds, ann):
    page = client.get(f"{AUDIT}?kind=accounts&since=odd&before=x")
    text = page.content.decode()
    assert f"Deactivated {ann.name}" in text
    assert "Changed" not in text.split("<tbody>")[1]
    answer = client.get(reverse("administration-audit-file"), {"kind": "accounts"})
    assert "attachment" in answer["Content-Disposition"]
    rows = list(csv.reader(io.StringIO(b"".join(answer).decode())))
    assert rows[0] == ["at", "who", "what", "project", "reason"]
    assert rows[1][1:] == ["Rudi Root", f"Deactivated {ann.name}.", "", "'=left"]


def test_older_rows_are_on_another_page(client, root, ann, now, monkeypatch):
    monkeypatch.setattr("operations.administration.audit.queries.PAGE", 2)
    for number in range(3):
        audit.record_action("sessions_ended", ann, by=root, now=now, user=ann.pk, n=number)
    page = client.get(AUDIT)
    assert len(page.context["entries"]) == 2
    older = client.get(AUDIT, {"before": page.context["older"]})
    assert len(older.context["entries"]) == 1
    assert older.context["older"] is None


def test_the_audit_takes_no_more_queries_with_more_rows(client, deeds, root, ann, now):
    few = queries_of(client, AUDIT)
    for _ in range(20):
        audit.record_action("sessions_ended", ann, by=root, now=now, user=ann.pk)
    assert queries_of(client, AUDIT) == few <= 9


def test_the_index_of_the_audit_serves_every_kind(deeds):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
    for kind in ("", "accounts", "data"):
        plan = find_entries(AuditFilter(kind=kind))[:50].explain()
        assert "audit_of_staff" in plan, plan
    assert len(OF_STAFF) == len(set(OF_STAFF)) < 100  # more, and PostgreSQL no longer sees it
