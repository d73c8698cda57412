"""import_questions and export from the command line: output, exit status, whole files only."""

import hashlib
import io
import json
import os

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.exports.arrangements import Entry
from annotation.exports.services import Export
from annotation.models import AuditEntry, Question
from tests.annotation.exports.submissions import submit

pytestmark = pytest.mark.django_db
GOOD = b'{"id": "a", "question": "who"}\n'


def run(*args, **options):
    out, err = io.StringIO(), io.StringIO()
    call_command(*args, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def questions(tmp_path):
    def write(content):
        path = tmp_path / "questions.jsonl"
        path.write_bytes(content)
        return str(path)

    return write


def test_a_pipe_is_refused(project):
    reading, writing = os.pipe()
    with open(writing, "wb") as end:
        end.write(GOOD)
    try:
        sentence, status, _ = refused(
            "import_questions", project.slug, f"/dev/fd/{reading}", "--format=jsonl", "--split=dev"
        )
    finally:
        os.close(reading)
    assert ("is a pipe" in sentence, status) == (True, 2)


def refused(*args):
    out = io.StringIO()
    with pytest.raises(CommandError) as refusal:
        call_command(*args, stdout=out, stderr=io.StringIO())
    return str(refusal.value), refusal.value.returncode, out.getvalue()


def test_import_prints_the_counts_as_json(project, questions):
    path = questions(GOOD + b"{\n")
    args = ["import_questions", project.slug, path, "--format", "jsonl", "--split", "dev", "--json"]
    out, _ = run(*args)
    found = json.loads(out)
    assert list(found) == ["created", "updated", "unchanged", "rejected", "errors"]
    assert (found["created"], found["rejected"]) == (1, 1)
    assert found["errors"][0]["line"] == 2
    assert json.loads(run(*args)[0])["unchanged"] == 1
    assert AuditEntry.objects.filter(action="questions_imported").count() == 2


def test_import_prints_a_sentence_and_the_bad_lines(project, questions):
    path = questions(GOOD + b"{\n" * 25)
    out, err = run("import_questions", project.slug, path, "--format=jsonl", "--split=dev")
    assert out == "questions.jsonl: 1 created, 0 updated, 0 unchanged, 25 rejected.\n"
    assert "Line 2: It is not JSON" in err
    assert "And 5 more." in err


def test_strict_import_of_a_broken_file(project, questions):
    path = questions(GOOD + b"{\n")
    sentence, status, out = refused(
        *("import_questions", project.slug, path),
        *("--format=jsonl", "--split=dev", "--strict", "--json"),
    )
    assert status == 2
    assert "1 of 2 lines were rejected, so nothing was imported." in sentence
    assert json.loads(out)["created"] == 0
    assert json.loads(out)["errors"][0]["line"] == 2
    assert not Question.objects.exists()


def test_import_of_another_format(project, questions):
    args = ["import_questions", project.slug, questions(b"[]")]
    sentence, status, out = refused(*args, "--format=jsonl", "--split=dev", "--json")
    assert status == 2
    assert "looks like one JSON array" in sentence
    assert json.loads(out)["errors"][0]["line"] == 0


def test_import_names_what_is_missing(project, tmp_path, questions):
    path = questions(GOOD)
    rest = ["--format=jsonl", "--split=dev"]
    assert refused("import_questions", "nope", path, *rest)[:2] == (
        "There is no project 'nope'.",
        2,
    )
    sentence, status, _ = refused("import_questions", project.slug, f"{tmp_path}/no.jsonl", *rest)
    assert (status, "no.jsonl cannot be read: No such file" in sentence) == (2, True)
    sentence, status, _ = refused("import_questions", project.slug, path, "--format=nq-open")
    assert (status, "give one with --split" in sentence) == (2, True)


def test_a_long_import_says_how_far_it_is(project, questions, capsys, monkeypatch):
    monkeypatch.setattr("wikipedia.management.progress._SECONDS_BETWEEN_LINES", 0)
    run("import_questions", project.slug, questions(GOOD), "--format=jsonl", "--split=dev")
    assert capsys.readouterr().err == "Importing: 1 of 1 lines (100%)\n"


@pytest.fixture
def answered(project, ann):
    from tests import factories

    question = factories.make_question(project, external_id="a", split="dev")
    submit(question, ann, pairs=[("", ["1843", "é"])])
    return question


def test_export_writes_the_file(project, answered, tmp_path):
    path = tmp_path / "out.json"
    path.write_text("old")
    args = ["export", project.slug, "--format=ambignq-light", "--split=dev", f"--output={path}"]
    _, err = run(*args)
    [record] = json.loads(path.read_bytes())
    assert record["annotations"] == [{"type": "singleAnswer", "answer": ["1843", "é"]}]
    assert f"Wrote {path}: 1 records, {path.stat().st_size} bytes." in err
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "out.json",
        "out.json.manifest.json",
    ]
    manifest = json.loads((tmp_path / "out.json.manifest.json").read_bytes())
    assert manifest == {
        "schema_version": 1,
        "format": "ambignq-light",
        "filters": {
            "split": "dev",
            "state": None,
            "person": None,
            "since": None,
            "until": None,
            "study": None,
        },
        "file": "out.json",
        "bytes": path.stat().st_size,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "counts": {"records": 1},
        "project": {
            "slug": project.slug,
            "title": project.title,
            "protocol": "ambigqa",
            "reference_date": project.reference_date.isoformat(),
        },
        "snapshot": {
            "name": project.snapshot.name,
            "title": project.snapshot.title,
            "language": "en",
            "as_of": "2024-01-02",
            "licence": "CC BY-SA",
        },
        "licence": "CC BY-SA",
        "software": {"name": "Ambit", "version": settings.VERSION},
    }


def test_export_to_standard_output(project, answered):
    out, _ = run("export", project.slug, "--format=annotations", "--output=-")
    assert json.loads(out)["response"]["answer"] == ["1843", "é"]


def test_an_export_that_fails_leaves_what_was_there(project, answered, tmp_path, monkeypatch):
    path = tmp_path / "out.json"
    path.write_text("old")

    def break_off(self):
        yield Entry(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Export, "iterate_entries", break_off)
    sentence, status, _ = refused(
        "export", project.slug, "--format=annotations", f"--output={path}"
    )
    assert status == 1
    assert "No space left on device. No part of it was kept." in sentence
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.json"]


def test_export_names_what_is_missing(project, tmp_path):
    rest = ["--format=annotations"]
    assert refused("export", "nope", *rest, "--output=-")[1] == 2
    sentence, status, _ = refused("export", project.slug, "--format=nope", "--output=-")
    assert sentence.startswith("There is no format 'nope'. This project is exported as ambignq")
    assert status == 2
    assert refused("export", project.slug, *rest, f"--output={tmp_path}")[1] == 2
    assert refused("export", project.slug, *rest, f"--output={tmp_path}/no/out")[1] == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--person=person-000000000000"], "--person: No one who worked in this project"),
        (["--since=1 May"], "--since: Write a day as 2026-03-01"),
        (["--until=9999-12-31"], "--until: Write a day as 2026-03-01"),
        (["--since=2026-03-02", "--until=2026-03-01"], "--until: The last day is before the first"),
        (["--state=done"], "invalid choice: 'done'"),
    ],
)
def test_an_export_refuses_filters_it_does_not_know(project, tmp_path, options, sentence):
    found = refused(
        *("export", project.slug, "--format=annotations", f"--output={tmp_path / 'a'}", *options)
    )
    assert sentence in found[0]
    assert options[0] == "--state=done" or found[1] == 2  # argparse's own exit status is 2
    assert not list(tmp_path.iterdir())
    assert not AuditEntry.objects.exists()
