"""What compares two databases sees every difference; what brings one up tells it."""

import shutil
import subprocess

import pytest
from django.db import connection

from tests.upgrades import __main__ as upgrades
from tests.upgrades.schema import compare_schemas, count_rows, read_schema

CHANGES = {
    "a column more": "ALTER TABLE annotation_faqentry ADD hint text",
    "a default": "ALTER TABLE annotation_faqentry ALTER position SET DEFAULT 1",
    "a column that may be empty": "ALTER TABLE annotation_faqentry ALTER position DROP NOT NULL",
    "a longer name": "ALTER TABLE accounts_user ALTER name TYPE varchar(151)",
    "another way to store": "ALTER TABLE accounts_user ALTER name SET STORAGE EXTERNAL",
    "a constraint less": "ALTER TABLE accounts_user DROP CONSTRAINT user_keys_object",
    "a constraint not checked": "ALTER TABLE accounts_user DROP CONSTRAINT user_keys_object,"
    " ADD CONSTRAINT user_keys_object CHECK (jsonb_typeof(keys) = 'object') NOT VALID",
    "an index less": "DROP INDEX audit_of_project",
    "a trigger less": "DROP TRIGGER event_append_only ON annotation_event",
    "a trigger that sleeps": "ALTER TABLE annotation_event DISABLE TRIGGER event_append_only",
    "another function": "CREATE OR REPLACE FUNCTION event_append_only() RETURNS trigger"
    " LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    "a storage parameter": "ALTER TABLE annotation_event SET (fillfactor = 50)",
    "rows that are secured": "ALTER TABLE annotation_event ENABLE ROW LEVEL SECURITY",
    "other numbers": "ALTER SEQUENCE annotation_event_id_seq INCREMENT 2",
    "a view": "CREATE VIEW people AS SELECT name FROM accounts_user",
    "a type": "CREATE TYPE mood AS ENUM ('glad', 'sad')",
    "statistics": "CREATE STATISTICS both_ways ON name, email FROM accounts_user",
    "a comment": "COMMENT ON TABLE annotation_event IS 'A log.'",
    "a policy": "CREATE POLICY own ON annotation_event USING (true)",
}


@pytest.mark.django_db
class TestSchema:
    @pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
    def test_a_change_is_seen(self, change):
        with connection.cursor() as cursor:
            before = read_schema(cursor)
            cursor.execute(change)
            assert compare_schemas(before, read_schema(cursor))

    def test_the_order_of_columns_is_no_change(self):
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE later (one int, two int)")
            before = read_schema(cursor)
            cursor.execute("ALTER TABLE later DROP one, ADD one int")
            assert compare_schemas(before, read_schema(cursor)) == []
            assert len(before) > 3000

    def test_rows_are_compared_by_what_is_in_them(self, stan):
        with connection.cursor() as cursor:
            before = count_rows(cursor)
            cursor.execute("UPDATE accounts_user SET name = 'Stan'")
            less, more = compare_schemas(before, count_rows(cursor))
        assert less.startswith("-accounts_user 1 ")
        assert more.startswith("+accounts_user 1 ")
        assert less[1:] != more[1:]

    def test_numbers_of_permissions_are_no_rows(self):
        with connection.cursor() as cursor:
            before = count_rows(cursor)
            cursor.execute("UPDATE auth_permission SET id = -id WHERE codename = 'add_faqentry'")
            assert count_rows(cursor) == before
            cursor.execute("UPDATE auth_permission SET codename = 'x' WHERE id < 0")
            changed = compare_schemas(before, count_rows(cursor))
        assert {line[1:].split()[0] for line in changed} == {"auth_permission"}


@pytest.fixture
def repository(tmp_path):
    """A repository of two commits, of which the first says "old"."""
    if not shutil.which("git"):
        pytest.skip("git is not on PATH")
    folder = tmp_path / "repository"

    def git(*arguments):
        who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
        command = ["git", "-C", str(folder), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    folder.mkdir()
    git("init", "--quiet")
    for text in ("old", "new"):
        (folder / "says.txt").write_text(text)
        git("add", "--all")
        git("commit", "--quiet", "--message", text)
    return folder


class TestCommits:
    def test_the_files_of_a_commit_are_there_for_as_long_as_they_are_needed(self, repository):
        with upgrades.checked_out(repository, "HEAD~1") as tree:
            assert (tree / "says.txt").read_text() == "old"
        assert not tree.exists()
        listed = subprocess.run(
            ["git", "-C", str(repository), "worktree", "list"], capture_output=True, text=True
        )
        assert len(listed.stdout.splitlines()) == 1

    def test_a_commit_that_is_not_there_is_said_to_be_missing(self, repository):
        with (
            pytest.raises(upgrades.Ended, match="invalid reference: f00"),
            upgrades.checked_out(repository, "f00"),
        ):
            raise AssertionError("there is no such commit")


class TestRuns:
    """The programs themselves are run by hand: they take minutes."""

    @pytest.fixture
    def runs(self, monkeypatch, repository, tmp_path):
        """Which programs were run on the data of what, and what they will print."""
        ran, prints = [], {}

        def run(tree, data, *arguments):
            ran.append((data.name, *arguments[:2]))
            if data.name == "used":
                data.mkdir(exist_ok=True)
                (data / "secret_key").touch()
            return prints.get((data.name, *arguments), "table a\ntable b\n")

        monkeypatch.setattr(upgrades, "run", run)
        monkeypatch.setattr(upgrades, "ROOT", repository)
        return ran, prints

    def test_an_installation_is_migrated_and_its_backup_restored(self, runs, tmp_path, capsys):
        assert upgrades.main("HEAD", str(tmp_path / "up")) == 0
        assert [each for each in runs[0] if "tests.upgrades.schema" not in each] == [
            ("used", str(upgrades.HERE / "working.py")),
            ("used", "manage.py", "backup"),
            ("used", "manage.py", "migrate"),
            ("restored", "manage.py", "restore"),
            ("new", "manage.py", "migrate"),
            ("new", "manage.py", "createcachetable"),
        ]
        assert (tmp_path / "up" / "restored" / "secret_key").exists()
        assert "both are like a new one" in capsys.readouterr().out

    @pytest.mark.parametrize("which", [("used",), ("restored",), ("used", "r"), ("restored", "r")])
    def test_what_is_not_like_a_new_one_is_told(self, runs, tmp_path, capsys, which):
        data, *rows = which
        runs[1][data, "-m", "tests.upgrades.schema", *rows] = "table a\ntable c\n"
        assert upgrades.main("HEAD", str(tmp_path / "up")) == 1
        assert "table c" in capsys.readouterr().out

    def test_a_program_that_fails_says_why(self, runs, tmp_path, capsys, monkeypatch):
        def fail(tree, data, *arguments):
            raise upgrades.Ended("migrate ended with 1: The database is too old.")

        monkeypatch.setattr(upgrades, "run", fail)
        assert upgrades.main("HEAD", str(tmp_path / "up")) == 1
        assert "too old" in capsys.readouterr().out

    def test_a_folder_that_is_there_is_left_alone(self, tmp_path, capsys):
        assert upgrades.main("HEAD", str(tmp_path)) == 2
        assert "not there yet" in capsys.readouterr().out


def test_a_program_runs_on_the_data_that_is_named(tmp_path):
    ask = "import os; print(os.environ['AMBIT_DATA'], os.environ.get('DATABASE_URL'), os.getcwd())"
    told = upgrades.run(tmp_path, tmp_path / "data", "-c", ask)
    assert told.split() == [str(tmp_path / "data"), "None", str(tmp_path)]
    with pytest.raises(upgrades.Ended, match=r"ended with 3:\nNo\."):
        upgrades.run(tmp_path, tmp_path, "-c", "import sys; print('No.', file=sys.stderr); exit(3)")
