"""An installation is destroyed and comes back from its backup: rows, files, exports."""

import datetime as dt
import json
import shutil
import zipfile
from types import SimpleNamespace

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import override_settings
from knox.models import AuthToken

from accounts.models import Session, User
from annotation.models import Invitation, PayEntry
from annotation.webhooks import services as webhooks_services
from operations.backup import making, manifest, restoring
from operations.backup.after_restore import list_to_do
from tests import archives, factories
from tests.config import installation
from tests.upgrades.schema import compare_schemas, read_schema

KEYS = {"SECRET_KEY": "the first secret of all", "PSEUDONYM_KEY": "whose name is this"}


@pytest.fixture
def own_database(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), installation.own_database():
        yield


@pytest.fixture(scope="module")
def filled(django_db_setup, django_db_blocker, tmp_path_factory):
    """A backup of a filled installation, with what was in its tables and its exports."""
    folder = tmp_path_factory.mktemp("filled")
    static = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    own = {
        **{"MEDIA_ROOT": folder / "files", "AMBIT_DATA": folder, "WHITENOISE_AUTOREFRESH": True},
        "STORAGES": settings.STORAGES | {"staticfiles": static},
    }
    with (
        override_settings(**KEYS, **own),
        django_db_blocker.unblock(),
        installation.own_database(),
    ):
        installation.fill()
        exports = installation.exports()
        tables = installation.tables()
        assert Session.objects.exists()
        call_command("backup", str(folder / "backup.zip"))
    return folder / "backup.zip", tables, exports


@pytest.fixture
def backup(filled, settings, tmp_path):
    """The same backup in a folder of the test, on a host that has the keys and nothing else."""
    for name, value in KEYS.items():
        setattr(settings, name, value)
    settings.AMBIT_DATA = tmp_path / "data"
    return shutil.copy(filled[0], tmp_path / "backup.zip")


def refused(*args, **options):
    with pytest.raises(CommandError) as error:
        call_command(*args, **options)
    assert error.value.returncode == 2
    return str(error.value)


class TestRestore:
    def test_everything_that_was_destroyed_comes_back(self, own_database, filled, backup, capsys):
        _, tables, exports = filled
        installation.make_database()  # not even a table
        assert not default_storage.exists("jobs/waiting.jsonl")

        call_command("restore", str(backup))

        assert installation.tables() == tables
        assert installation.exports() == exports
        assert len(exports) > 60
        assert sum(len(content) > 5 for content in exports.values()) > 40
        with default_storage.open("jobs/waiting.jsonl") as file:
            assert file.read() == b'{"id": "1"}\n' * 1000
        assert "Restored the backup of 20" in capsys.readouterr().out
        assert not Session.objects.exists(), "an ended session must not come back"

    def test_people_go_on_working_in_it(self, own_database, backup):
        installation.make_database()
        call_command("restore", str(backup))

        assert factories.make_project(slug="next").pk  # the counters of ids go on
        with pytest.raises(DatabaseError, match="never changed or deleted"):
            PayEntry.objects.update(note="")

    def test_a_restored_installation_can_be_backed_up_and_restored(
        self, own_database, filled, backup, tmp_path
    ):
        installation.make_database()
        call_command("restore", str(backup))
        call_command("backup", str(tmp_path / "second.zip"))
        connection.close()
        call_command("restore", str(tmp_path / "second.zip"), replace=True)
        assert installation.tables() == filled[1]

    def test_who_owns_the_database_need_not_be_a_superuser(self, own_database, filled, backup):
        installation.make_database_of_its_owner()
        call_command("restore", str(backup))
        connection.close()
        call_command("restore", str(backup), replace=True)
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_user, rolsuper FROM pg_roles WHERE rolname = user")
            assert cursor.fetchone() == (installation.OWNER, False)
        assert installation.tables() == filled[1]

    def test_people_in_the_database_are_replaced_only_when_asked_to(self, own_database, backup):
        factories.make_user(name="Nora North", email="nora@example.org")
        sentence = refused("restore", str(backup))
        assert "it holds 1 person" in sentence
        assert "--replace" in sentence
        assert User.objects.get().name == "Nora North"

        call_command("restore", str(backup), replace=True)
        assert not User.objects.filter(email="nora@example.org").exists()
        assert User.objects.count() > 10

    def test_tables_of_another_version_do_not_stay(self, own_database, backup):
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE TABLE later (user_id bigint REFERENCES accounts_user DEFERRABLE)"
            )
        call_command("restore", str(backup))
        assert "later" not in connection.introspection.table_names()

    def test_an_older_backup_is_brought_up_to_this_version(
        self, own_database, filled, backup, tmp_path
    ):
        with connection.cursor() as cursor:
            schema = read_schema(cursor)
        installation.make_database()
        call_command("restore", str(backup))
        call_command("migrate", "account", "0008", verbosity=0)
        forget_new_names()
        older = tmp_path / "older.zip"
        call_command("backup", str(older))
        installation.make_database()

        call_command("restore", str(older))

        assert set(made_by(older)["migrations"]) < set(made_by(backup)["migrations"])
        assert installation.tables().keys() == filled[1].keys()
        assert installation.exports() == filled[2]
        with connection.cursor() as cursor:
            assert compare_schemas(schema, read_schema(cursor)) == []


def forget_new_names():
    """Have the migrations as the version before left them, each under its own name."""
    recorder = MigrationRecorder(connection)
    for key, migration in MigrationLoader(None).disk_migrations.items():
        if migration.replaces:
            recorder.record_unapplied(*key)


@pytest.fixture(scope="class")
def used(django_db_setup, django_db_blocker):
    """A database with one person in it."""
    with django_db_blocker.unblock(), installation.own_database():
        factories.make_user(name="Nora North")
        yield


class TestRefusals:
    """One database for all of them: each has to leave it as it is."""

    @pytest.fixture(autouse=True)
    def nora(self, used):
        yield
        assert User.objects.get().name == "Nora North"

    def test_a_database_that_others_write_to(self, backup):
        from psycopg2 import connect

        other = connect(**connection.get_connection_params())
        try:
            sentence = refused("restore", str(backup), replace=True)
        finally:
            other.close()
        assert "1 other connection" in sentence
        assert "Stop web servers" in sentence

    def test_another_key_of_pseudonyms(self, backup, settings):
        settings.PSEUDONYM_KEY = "another"
        assert "another pseudonym in exports" in refused("restore", str(backup), replace=True)

    def test_a_newer_version(self, backup):
        changed(backup, migrations=["annotation.9999_things_to_come"])
        assert "does not know annotation.9999" in refused("restore", str(backup), replace=True)

    def test_a_version_that_is_too_old(self, backup):
        lacking = ("annotation.0006_pay_ledger", "annotation.0001_squashed")
        before = [each for each in made_by(backup)["migrations"] if not each.startswith(lacking)]
        changed(backup, migrations=before)
        sentence = refused("restore", str(backup), replace=True)
        assert "too old for this version of Ambit: it lacks annotation.0" in sentence
        assert "annotation.0006_pay_ledger" in sentence
        assert "Restore it with commit" in sentence

    def test_another_format(self, backup):
        changed(backup, format=2)
        assert "another version of Ambit (format 2" in refused("restore", str(backup))

    def test_a_manifest_without_end(self, backup):
        """Packed it is small: so it is read no further than one can be long."""
        rewritten(backup, **{manifest.MANIFEST: b" " * (manifest.MOST_BYTES + 1)})
        assert "its manifest is longer than" in refused("restore", str(backup), replace=True)

    @pytest.mark.parametrize(
        "content", [b"", b"[]", b'{"format": 1}', b"\xff", b'{"format": 1.5}', b"[" * 100_000]
    )
    def test_a_manifest_that_cannot_be_read(self, backup, content):
        rewritten(backup, **{manifest.MANIFEST: content})
        assert "was not restored" in refused("restore", str(backup), replace=True)

    def test_a_database_that_was_changed(self, backup):
        with zipfile.ZipFile(backup) as bundle:
            content = bundle.read(manifest.DATABASE)
        # As long as it was, in an archive that is whole.
        rewritten(backup, **{manifest.DATABASE: content[:-1] + bytes([content[-1] ^ 1])})
        assert "database.dump is not what" in refused("restore", str(backup), replace=True)

    def test_a_file_that_is_cut_off(self, backup):
        backup.write_bytes(backup.read_bytes()[:-2000])
        assert "damaged" in refused("restore", str(backup), replace=True)

    def test_bytes_that_were_changed(self, backup):
        content = bytearray(backup.read_bytes())
        content[len(content) // 2] ^= 1
        backup.write_bytes(content)
        assert "damaged" in refused("restore", str(backup), replace=True)

    @pytest.mark.parametrize(
        "name", ["files/../../etc/cron.d/x", "/etc/passwd", "files//x", "files/./x", "other/x"]
    )
    def test_a_name_that_leads_out_of_the_folder(self, backup, name):
        rewritten(backup, **{name: b"x"})
        parts = made_by(backup)["parts"]
        changed(backup, parts=parts | {name: {"bytes": 1, "sha256": "0" * 64}})
        assert "is not the name of a file" in refused("restore", str(backup), replace=True)

    def test_a_file_that_is_no_backup(self, tmp_path):
        (tmp_path / "notes.txt").write_text("Hello.")
        assert "not a backup" in refused("restore", str(tmp_path / "notes.txt"), replace=True)

    def test_no_file(self, tmp_path):
        assert "cannot be read" in refused("restore", str(tmp_path / "none.zip"), replace=True)

    def test_a_database_that_cannot_be_loaded_leaves_the_old_one(self, backup, monkeypatch):
        def fail(dump_file):
            with connection.cursor() as cursor:
                cursor.execute("CREATE TABLE half (id int)")
            raise restoring.postgres.ProgramFailed("pg_restore failed: no space left.")

        monkeypatch.setattr(restoring.postgres, "load_dump", fail)
        with pytest.raises(CommandError, match="no space left") as error:
            call_command("restore", str(backup), replace=True)
        assert error.value.returncode == 1
        assert "half" not in connection.introspection.table_names()

    def test_one_that_was_killed_in_between_is_put_right_by_the_next(self, backup, monkeypatch):
        restoring._swap()  # and then the machine stopped
        assert "accounts_user" not in connection.introspection.table_names()
        monkeypatch.setattr(restoring.postgres, "load_dump", lambda dump_file: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            call_command("restore", str(backup))


class TestNotes:
    """What is not in a backup, and is named where it is missing."""

    @pytest.fixture
    def noted(self, own_database, tmp_path, settings):
        """A backup of an installation with an archive and its index."""
        folder = tmp_path / "first"
        folder.mkdir()
        archive = archives.make_demo(folder)
        archives.use(settings, folder, archive, "demo")
        call_command("backup", str(tmp_path / "noted.zip"))
        return tmp_path / "noted.zip", archive

    def test_archives_and_indexes_that_are_there(self, noted, capsys):
        call_command("restore", str(noted[0]), json=True)
        assert json.loads(capsys.readouterr().out.splitlines()[-1])["to_do"] == []

    def test_archives_and_indexes_that_are_not(self, noted, tmp_path, settings, capsys):
        noted[1].unlink()
        settings.AMBIT_DATA = tmp_path / "second"
        settings.SECRET_KEY = "another"
        call_command("restore", str(noted[0]), other_keys=True)
        to_do = capsys.readouterr().out
        checksum = made_by(noted[0])["archives"][0]["checksum"]
        assert f"“demo” is not at {noted[1]}" in to_do
        assert checksum in to_do
        assert "index_wikipedia FILE --name demo" in to_do
        assert "SECRET_KEY is another" in to_do

    def test_another_archive_in_its_place(self, noted, capsys):
        content = bytearray(noted[1].read_bytes())
        content[8] ^= 1  # of its UUID
        noted[1].write_bytes(content)
        call_command("restore", str(noted[0]))
        assert "is another archive than the one of snapshot “demo”" in capsys.readouterr().out


@pytest.mark.django_db
def test_messages_that_wait_in_it_are_named(project, ada, now, settings):
    """The programs that get them may have had them, and may have been removed since."""
    made = made_here()
    settings.WEBHOOK_HOSTS = ["lab.example"]
    kept, removed = (
        webhooks_services.add_webhook(
            project=project, url=f"https://lab.example/{name}", by=ada, now=now
        )
        for name in ("kept", "removed")
    )
    for webhook in (kept, removed):
        webhooks_services.send_test_message(webhook=webhook, by=ada, now=now)
    webhooks_services.stop_webhook(webhook=removed, by=ada, now=now)
    [sentence] = list_to_do(made, now=now)
    assert sentence.startswith("Messages to webhooks that wait: 1.")
    webhooks_services.stop_webhook(webhook=kept, by=ada, now=now)
    assert list(list_to_do(made, now=now)) == []


@pytest.mark.django_db
def test_what_may_have_been_ended_since_is_named(project, ada, ann, now, settings):
    made = made_here()
    AuthToken.objects.create(ada)
    AuthToken.objects.update(expiry=None)
    AuthToken.objects.create(ann)
    AuthToken.objects.create(ann, expiry=dt.timedelta(days=-1))
    Authenticator.objects.create(user=ada, type="totp", data={})
    Authenticator.objects.create(user=ada, type="recovery_codes", data={})
    for days in (1, -1):
        Invitation.objects.create(
            project=project,
            email=f"{days}@example.org",
            roles=["annotator"],
            invited_by=ada,
            created_at=now,
            expires_at=now + dt.timedelta(days=days),
        )

    tokens, invitations, factors = list_to_do(made, now=now)
    assert tokens.startswith("2 API tokens are valid as of 2026-11-22T03:00:00: revoke again")
    assert invitations.startswith("1 invitation is open")
    assert factors.startswith("1 second factor is there")

    settings.SECRET_KEY = "another"  # then the link of an invitation is of no use
    assert [s for s in list_to_do(made, now=now) if "invitation is open" in s] == []


class TestBackup:
    def test_no_key_and_no_session_is_in_it(self, filled):
        with zipfile.ZipFile(filled[0]) as bundle:
            everything = b"".join(bundle.read(name) for name in bundle.namelist())
        for key in KEYS.values():
            assert key.encode() not in everything

    def test_only_its_maker_may_read_it(self, filled):
        assert filled[0].stat().st_mode & 0o777 == 0o600

    def test_what_others_have_put_there_is_neither_followed_nor_used(self, db, tmp_path):
        """A name that can be guessed could be a link, or a file that others have opened."""
        theirs = tmp_path / "theirs"
        theirs.write_text("Theirs.")
        (tmp_path / ".b.zip.part").symlink_to(theirs)
        call_command("backup", str(tmp_path / "b.zip"))
        assert theirs.read_text() == "Theirs."
        assert not (tmp_path / "b.zip").is_symlink()
        assert (tmp_path / "b.zip").stat().st_mode & 0o777 == 0o600

    def test_two_at_once_do_not_write_into_one_file(self, db, tmp_path, monkeypatch):
        fill, target = making._fill, tmp_path / "b.zip"

        def fill_twice(bundle, now):
            monkeypatch.setattr(making, "_fill", fill)
            making.make_backup(target, now=now)  # another one is done while this one runs
            return fill(bundle, now)

        monkeypatch.setattr(making, "_fill", fill_twice)
        assert "is there already" in refused("backup", str(target))
        with zipfile.ZipFile(target) as bundle:
            assert bundle.testzip() is None
        assert [path.name for path in tmp_path.iterdir()] == ["b.zip"]

    def test_a_file_that_is_there_is_kept(self, db, tmp_path):
        (tmp_path / "b.zip").write_text("Yesterday's.")
        assert "is there already" in refused("backup", str(tmp_path / "b.zip"))
        assert (tmp_path / "b.zip").read_text() == "Yesterday's."

    def test_a_disk_without_links(self, db, tmp_path, monkeypatch):
        def refuse(source, target):
            raise PermissionError("Operation not permitted")

        monkeypatch.setattr("os.link", refuse)
        call_command("backup", str(tmp_path / "b.zip"))
        assert made_by(tmp_path / "b.zip")["format"] == 1
        assert [path.name for path in tmp_path.iterdir()] == ["b.zip"]

    def test_a_folder_that_is_missing(self, db, tmp_path):
        assert "no folder" in refused("backup", str(tmp_path / "none" / "b.zip"))

    def test_one_that_fails_leaves_nothing(self, db, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr("operations.backup.postgres._embedded_programs", lambda: str(tmp_path))
        with pytest.raises(CommandError, match="pg_dump is not installed"):
            call_command("backup", str(tmp_path / "b.zip"))
        assert list(tmp_path.iterdir()) == []


def made_here():
    """Return what matters here of the manifest of a backup of this host."""
    keys = manifest.key_fingerprints()
    return SimpleNamespace(keys=keys, made_at="2026-11-22T03:00:00", archives=(), indexes=())


def made_by(backup):
    """Return the manifest of a backup."""
    with zipfile.ZipFile(backup) as bundle:
        return json.loads(bundle.read(manifest.MANIFEST))


def changed(backup, **values):
    rewritten(backup, **{manifest.MANIFEST: json.dumps(made_by(backup) | values).encode()})


def rewritten(backup, **content):
    """Write a backup again with other parts."""
    with zipfile.ZipFile(backup) as bundle:
        parts = {name: bundle.read(name) for name in bundle.namelist()} | content
    with zipfile.ZipFile(backup, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, part in parts.items():
            bundle.writestr(name, part)
