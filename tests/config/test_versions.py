"""A program does not start on a database that is newer, or too old; one that runs says so."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config import versions
from operations import heartbeats
from tests.annotation.jobs.test_worker import on_test_database
from tests.config import installation

ROOT = Path(__file__).resolve().parents[2]
MANAGE = [sys.executable, "manage.py"]
CELERY = [sys.executable, "-m", "celery", "--app", "config"]


@pytest.fixture
def newer(monkeypatch):
    """Let the database be one of a newer version; nobody has noticed so far."""
    monkeypatch.setattr(versions, "noticed", "")
    recorder = MigrationRecorder(connection)
    recorder.record_applied("annotation", "9999_future")
    yield
    recorder.record_unapplied("annotation", "9999_future")


@pytest.fixture
def too_old(monkeypatch):
    """Let the database be one of before a migration that the files have in another one now."""
    monkeypatch.setattr(versions, "noticed", "")
    recorder, lacking = MigrationRecorder(connection), [("annotation", "0006_pay_ledger")]
    lacking += [key for key in squashed() if key[0] == "annotation"]
    for app, name in lacking:
        recorder.record_unapplied(app, name)
    yield
    for app, name in lacking:
        recorder.record_applied(app, name)


def squashed():
    """Return the migrations that took the place of others, by app and name."""
    disk = MigrationLoader(None).disk_migrations
    return {key: migration for key, migration in disk.items() if migration.replaces}


def ended(folder, command):
    """Run a program on the test's database to its end; return its status and its words."""
    run = subprocess.run(
        command,
        cwd=ROOT,
        env=on_test_database(folder, DEBUG="True"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return run.returncode, run.stderr


class TestStart:
    pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("worker")]

    @pytest.mark.parametrize(
        "command",
        [
            [*MANAGE, "web", "--port", "0"],
            [sys.executable, "-c", "import config.wsgi"],  # as gunicorn does
            [*MANAGE, "worker"],
            [*CELERY, "worker", "--concurrency", "1"],
            [*CELERY, "beat"],
            [*MANAGE, "search_wikipedia", "bridge"],
            [*MANAGE, "migrate"],
        ],
        ids=" ".join,
    )
    def test_a_program_that_does_not_know_a_migration_is_refused(self, newer, tmp_path, command):
        status, words = ended(tmp_path, command)

        assert status == 1
        assert "does not know annotation.9999_future" in words
        assert "Start the newer version, or restore the backup" in words
        assert "Traceback" not in words

    @pytest.mark.parametrize(
        "command",
        [[*MANAGE, "web", "--port", "0"], [*CELERY, "beat"], [*MANAGE, "migrate"]],
        ids=" ".join,
    )
    def test_a_database_that_is_too_old_is_left_as_it_is(self, too_old, tmp_path, command):
        status, words = ended(tmp_path, command)

        assert status == 1
        assert "it lacks annotation.0006_pay_ledger" in words
        assert f"`migrate` of commit {versions.STEPPING_STONE} on it first" in words
        assert "Traceback" not in words

    @pytest.mark.parametrize("command", ["backup", "restore"])
    def test_the_way_back_stays_open(self, newer, tmp_path, command):
        status, words = ended(tmp_path, [*MANAGE, command, str(tmp_path / "none" / "backup.zip")])

        assert status == 2  # it looked for the folder
        assert "9999_future" not in words

    def test_a_fresh_database_is_not_newer(self):
        with installation.own_database():
            installation.make_database()
            assert versions.find_misfit() == ""


@pytest.mark.django_db
class TestRunning:
    def test_health_says_it_and_pages_go_on(self, client, newer, caplog):
        heartbeats.write_heartbeat(
            name="default@one", kind="worker", queues="default", now=timezone.now()
        )
        heartbeats.write_heartbeat(name="clock@one", kind="clock", now=timezone.now())
        with caplog.at_level(logging.WARNING):
            told = [client.get("/healthz") for _ in range(2)]

        assert [(each.status_code, each.json()["status"]) for each in told] == [
            (200, "warning"),
            (200, "warning"),
        ]
        assert "does not know annotation.9999_future" in told[0].json()["version"]
        assert client.get("/readyz").status_code == 200
        assert client.get("/account/login/").status_code == 200
        assert caplog.text.count("9999_future") == 1

    @pytest.mark.parametrize("sign", ["worker", "clock"])
    def test_worker_and_clock_log_it_once(self, newer, caplog, sign, monkeypatch):
        monkeypatch.setattr(connection, "close", lambda: None)
        with caplog.at_level(logging.WARNING):
            for _ in range(2):
                if sign == "worker":
                    heartbeats._write("default@one", "default")
                else:
                    heartbeats.Clock._show_life(None)

        assert caplog.text.count("9999_future") == 1

    def test_a_check_of_the_database_finds_it(self, newer):
        assert [problem.id for problem in run_checks(databases=["default"])] == ["ambit.E001"]
        assert run_checks() == []

    def test_looking_is_one_statement(self, newer):
        with CaptureQueriesContext(connection) as queries:
            versions.find_misfit()
        assert len(queries) == 1

    def test_squashed_migrations_are_known_by_their_old_names(self):
        disk = MigrationLoader(None).disk_migrations
        old = [replaced for migration in disk.values() for replaced in migration.replaces]
        rows = [f"{app}.{name}" for app, name in [*disk, *old]]

        assert ("annotation", "0002_event_append_only") in old
        assert versions.unknown_migrations(rows) == []
        assert versions.unknown_migrations([*rows, "later.0001_initial"]) == ["later.0001_initial"]

    @pytest.mark.parametrize("key", squashed().keys(), ids=".".join)
    def test_a_database_with_all_that_it_replaces_needs_nothing(self, key):
        """As the version before left it, which had each of them and not this one."""
        recorder = MigrationRecorder(connection)
        recorder.record_unapplied(*key)
        assert versions.find_misfit() == ""
        call_command("migrate", check_unapplied=True)  # exits with 1 where something is to be done

        call_command("migrate", verbosity=0)
        assert key in recorder.applied_migrations()

    @pytest.mark.parametrize("key", squashed().keys(), ids=".".join)
    def test_a_database_with_only_some_of_them_is_too_old(self, key):
        replaced = {f"{app}.{name}" for app, name in squashed()[key].replaces}
        rows = {".".join(row) for row in MigrationRecorder(connection).applied_migrations()}
        for lacking in replaced:
            sentence = versions.describe_misfit(rows - {lacking, ".".join(key)})
            assert f"it lacks {lacking}. Run `migrate` of commit" in sentence
        assert versions.describe_misfit(rows - replaced - {".".join(key)}) == ""  # a new app

    def test_a_fresh_database_is_not_too_old(self):
        assert versions.describe_misfit([]) == ""

    def test_many_are_counted(self):
        rows = [f"annotation.9{number:03}_x" for number in range(5)]
        sentence = versions.describe_unknown(rows)
        assert "annotation.9000_x, annotation.9001_x, annotation.9002_x and 2 more" in sentence

    def test_the_database_of_this_version_is_fine(self):
        assert versions.find_misfit() == ""
        assert run_checks(databases=["default"]) == []
