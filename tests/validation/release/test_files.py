"""The command: all files or none, the data alone on standard output, exit status."""

import hashlib
import io
import json
import os
import zipfile

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.models import Question
from tests import factories
from tests.validation.release.conftest import ambignq, record, single
from validation.release.services import Release

pytestmark = pytest.mark.django_db
ENDINGS = ("", ".manifest.json", ".card.md", ".croissant.json", ".dev.table.json.gz")


def run(*args):
    out, err = io.StringIO(), io.StringIO()
    call_command(*args, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def refused(*args):
    with pytest.raises(CommandError) as refusal:
        run(*args)
    return str(refusal.value), refusal.value.returncode


@pytest.fixture
def filled(project, bring_in):
    bring_in(ambignq(*[record(n, single("1843", "“é”")) for n in range(3)]))
    return project


@pytest.fixture
def release(filled, tmp_path):
    target = tmp_path / "dev.json"

    def release(*options):
        args = options or ("--format=ambignq-light",)
        return run("release", filled.slug, *args, f"--output={target}")

    release.target = target
    return release


def there(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_that_speak_of_each_other(release, tmp_path):
    _, err = release()
    assert sorted(there(tmp_path)) == sorted(f"dev.json{ending}" for ending in ENDINGS)
    data = release.target.read_bytes()
    manifest = json.loads((tmp_path / "dev.json.manifest.json").read_bytes())
    assert manifest["sha256"] == hashlib.sha256(data).hexdigest()
    assert (manifest["bytes"], manifest["file"]) == (len(data), "dev.json")
    assert "`dev.json`" in (tmp_path / "dev.json.card.md").read_text(encoding="utf-8")
    assert err == f"Wrote {release.target}: 3 questions, {len(data):,} bytes. Left out: none.\n"


@pytest.mark.parametrize("options", [(), ("--parquet",)])
def test_the_same_rows_give_the_same_files(release, tmp_path, options):
    release("--format=ambignq-light", *options)
    before = there(tmp_path)
    release("--format=ambignq-light", *options)
    assert there(tmp_path) == before


def test_a_zip_holds_what_the_files_hold(filled, release, tmp_path):
    target = tmp_path / "dev.zip"
    run("release", filled.slug, "--format=ambignq-light", "--parquet", f"--output={target}")
    with zipfile.ZipFile(target) as archive:
        name = f"{filled.slug}-ambignq-light.json"
        data = archive.read(name)
        assert {each.removeprefix(name) for each in archive.namelist()} == {
            *("", ".manifest.json", "README.md", ".croissant.json", ".dev.parquet")
        }
    release()
    assert data == release.target.read_bytes()
    before = target.read_bytes()
    _, status = refused(
        "release", "nowhere", "--format=ambignq", f"--output={tmp_path / 'dev.zip'}"
    )
    assert status == 2
    assert target.read_bytes() == before


def test_a_zip_that_cannot_be_written_leaves_the_earlier_one(filled, tmp_path, monkeypatch):
    target = tmp_path / "dev.zip"
    target.write_bytes(b"before")

    def fails(self, name):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Release, "build_card", fails)
    arguments = ("release", filled.slug, "--format=ambignq-light", f"--output={target}")
    sentence, status = refused(*arguments)
    assert (sentence.endswith("No part of it was kept."), status) == (True, 1)
    assert there(tmp_path) == {"dev.zip": b"before"}


def test_standard_output_has_no_tables(filled):
    sentence, status = refused(
        "release", filled.slug, "--format=ambignq-light", "--parquet", "--output=-"
    )
    assert ("Name a file" in sentence, status) == (True, 2)


def test_standard_output_gets_the_data_and_nothing_else(filled, release, tmp_path):
    release()
    out, err = run("release", filled.slug, "--format=ambignq-light", "--output=-")
    assert out.encode() == release.target.read_bytes()
    assert "3 questions" in err


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("there_before", [True, False])
def test_all_or_none(release, tmp_path, filled, monkeypatch, ending, there_before):
    """A file that cannot be put in its place leaves everything as it was."""
    if there_before:
        release()
    before = there(tmp_path)
    Question.objects.filter(external_id="r1").update(state="excluded")
    target = release.target.with_name(f"dev.json{ending}")
    replace = type(target).replace

    def fails(self, to):
        if self.name.endswith(".part") and str(to) == str(target):
            raise OSError(28, "No space left on device")
        return replace(self, to)

    monkeypatch.setattr(type(target), "replace", fails)
    sentence, status = refused(
        "release", filled.slug, "--format=ambignq-light", f"--output={release.target}"
    )
    assert (sentence.endswith("No part of it was kept."), status) == (True, 1)
    assert there(tmp_path) == before
    monkeypatch.undo()
    release()
    assert json.loads(release.target.read_bytes())[1]["id"] == "r2"
    assert sorted(there(tmp_path)) == sorted(f"dev.json{each}" for each in ENDINGS)


def test_nothing_is_left_when_the_data_breaks_off(release, tmp_path, monkeypatch):
    monkeypatch.setattr(
        Release, "build_manifest", lambda self, name: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    with pytest.raises(KeyboardInterrupt):
        release()
    assert there(tmp_path) == {}


def test_bad_input(filled, tmp_path):
    light = "--format=ambignq-light"
    cases = [
        (("nowhere", light, f"--output={tmp_path / 'a'}"), "There is no project 'nowhere'."),
        ((filled.slug, light, f"--output={tmp_path}"), "is a folder"),
        ((filled.slug, light, f"--output={tmp_path / 'no' / 'a'}"), "is a folder"),
        ((filled.slug, light, "--output="), "is a folder"),
        (
            (factories.make_project(protocol="asqa").slug, light, f"--output={tmp_path / 'a'}"),
            "another protocol",
        ),
        (
            (filled.slug, "--format=nope", f"--output={tmp_path / 'a'}"),
            "There is no format 'nope'. This project is released as ambignq-light",
        ),
    ]
    for args, words in cases:
        sentence, status = refused("release", *args)
        assert (words in sentence, status) == (True, 2), sentence
    assert there(tmp_path) == {}


def test_the_import_command_takes_finished_work(project, tmp_path):
    path = tmp_path / "in.json"
    path.write_bytes(ambignq(record(1, single("a")), record(2)).getvalue())
    args = ["import_questions", project.slug, str(path), "--split=dev", "--json", "--finished"]
    out, _ = run(*args, "--format=ambignq")
    found = json.loads(out)
    assert list(found) == ["created", "updated", "unchanged", "rejected", "errors"]
    assert (found["created"], found["rejected"]) == (1, 1)
    assert Question.objects.get().state == "accepted"
    sentence, status = refused(*args, "--format=jsonl")
    assert ("Choose an AmbigNQ file" in sentence, status) == (True, 2)


def test_a_stopped_release_cleans_up(filled, tmp_path):
    """The part files carry the number of the process, so that two never meet."""
    part = tmp_path / f".dev.json.{os.getpid()}.part"
    part.write_bytes(b"x")
    sentence, status = refused(
        "release", filled.slug, "--format=ambignq", f"--output={tmp_path / 'dev.json'}"
    )
    assert status == 1
    assert "could not be written" in sentence
