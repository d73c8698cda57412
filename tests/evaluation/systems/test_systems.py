"""Systems: files in, long answers of the project in, what does not match, what may change."""

import datetime as dt
import io
import json
import threading

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import transaction
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.imports.formats import WrongFormat
from annotation.models import AuditEntry
from evaluation.models import Output, System
from evaluation.studies import services as studies_services
from evaluation.systems import formats, matching
from evaluation.systems import queries as systems_queries
from evaluation.systems import services as systems_services
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.annotation.work.helpers import in_parallel, wait_until_one_is_blocked
from tests.evaluation import factories as studies

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
TEXT = "It opened to walkers in 1843 and to trains in 1869."


@pytest.fixture
def project(db):
    project = asqa.make_project()
    studies.make_questions(project, 3)
    return project


@pytest.fixture
def staff(project):
    return factories.make_member(project, "researcher")


def bring(project, content, **fields):
    if not isinstance(content, bytes):
        content = json.dumps(content).encode()
    given = {"name": "Reader", "by": None, "now": NOW} | fields
    return systems_services.import_outputs(project=project, file=io.BytesIO(content), **given)


def texts(system):
    return dict(system.outputs.values_list("question__external_id", "text"))


LAYOUTS = {
    "an object": json.dumps({"key-1": "One.", "key-2": "Two."}),
    "an object of many lines": json.dumps({"key-1": "One.", "key-2": "Two."}, indent=1),
    "lines": '{"id": "key-1", "answer": "One."}\n{"id": "key-2", "answer": "Two."}\n',
    "lines with other fields first": '{"n": 1, "id": "key-1", "answer": "One."}\n\n'
    '{"n": 2, "id": "key-2", "answer": "Two."}',
    "a list": '\ufeff[{"answer": "One.", "id": "key-1"}, {"id": "key-2", "answer": "Two."}]',
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_layout_is_read(project, layout):
    system, report = bring(project, LAYOUTS[layout].encode())

    assert texts(system) == {"key-1": "One.", "key-2": "Two."}
    assert (report.created, report.missing.first, report.bad.count) == (2, ["key-3"], 0)


def test_one_record_on_one_line_is_a_record(project):
    system, _ = bring(project, b'{"id": "key-1", "answer": "One."}')
    assert texts(system) == {"key-1": "One."}


def test_what_does_not_match_is_named(project):
    lines = [
        {"id": "key-1", "answer": "One."},
        {"id": "key-1", "answer": "Again."},
        {"id": "key-2", "answer": " \u200b\n"},
        {"id": "key-9", "answer": "Who knows."},
        {"id": "key-3", "answer": 3},
        {"answer": "Nameless."},
    ]
    content = "\n".join(map(json.dumps, lines)).encode()

    system, report = bring(project, content)

    assert texts(system) == {"key-1": "One."}
    assert report.as_json() == {
        "created": 1,
        "changed": 0,
        "unchanged": 0,
        "unknown": {"count": 1, "first": ["key-9"]},
        "repeated": {"count": 1, "first": ["key-1"]},
        "empty": {"count": 1, "first": ["key-2"]},
        "bad": {
            "count": 2,
            "first": [
                "“key-3”: “answer” should be text in quotes, and is the number 3.",
                "Line 6: “id” is missing.",
            ],
        },
        "missing": {"count": 2, "first": ["key-2", "key-3"]},
    }
    entry = AuditEntry.objects.get(action="outputs_imported", target=f"system:{system.pk}")
    assert entry.data["unknown"] == {"count": 1, "first": ["key-9"]}
    assert systems_queries.last_import(system) == entry


def test_many_mismatches_are_counted_and_the_first_named(project):
    content = {f"other-{n}": "Text." for n in range(1500)} | {"key-1": "One."}
    _, report = bring(project, content)
    assert (report.unknown.count, len(report.unknown.first)) == (1500, matching.NAMED)


DEEP = b'{"key-1": ' + b"[" * 5000 + b"]" * 5000 + b"}"
REFUSED = {
    "": "The file is empty.",
    "{}": "The file holds no records.",
    "[]": "The file holds no records.",
    "id,answer\nkey-1,One": "one object per line",
    "<html>": "web page",
    '{"dev": {"key-1": {"ambiguous_question": "who"}}}': "say which of its annotations",
    '{"other": "One."}': "“other”: not the id of a question in this project",
    '{"key-1": "\\u0000"}': "NUL",
    '{"key-1": "a\x00b"}': "NUL",
    '{"key-1": "\\ud800"}': "not JSON",
    '{"key-1": 1e999}': "Its only record cannot be imported",
    '{"id": 9007199254740993, "answer": "One."}': "should be text in quotes",
    '{"key-1": null}': "should be text in quotes",
    '{"key-1": "One."': "incomplete",
    '[["key-1", "One."]]': "should be an object",
    '["key-1"': "incomplete",
    DEEP: "Its only record cannot be imported",
    b'{"key-1": "\xff"}': "not UTF-8",
    b'{"key-1": "\xed\xa0\x80"}': "not UTF-8",
    b"\x1f\x8b\x08\x00": "gzip",
    '{"key-1": "One."}'.encode("utf-16"): "UTF-16",
    json.dumps({"key-1": "x" * 60_000}): "60,000 characters",
    json.dumps({"key-1": "x" * 1_100_000}): "longer than 1 MB",
}


@pytest.mark.parametrize("content", REFUSED, ids=lambda content: repr(content[:40]))
def test_a_file_of_which_nothing_can_be_taken_changes_nothing(project, content):
    raw = content if isinstance(content, bytes) else content.encode()

    with pytest.raises(WrongFormat) as refusal:
        bring(project, raw)

    assert REFUSED[content] in str(refusal.value)
    assert not System.objects.exists()
    assert not AuditEntry.objects.filter(action="outputs_imported").exists()


def test_a_file_that_ends_too_early_brings_its_whole_records(project):
    system, report = bring(project, b'{"key-1": "One.", "key-2": "Tw')
    assert texts(system) == {"key-1": "One."}
    assert "incomplete" in report.bad.first[0]


def test_a_file_with_too_many_records_is_refused(project, monkeypatch):
    monkeypatch.setattr(matching, "MOST_RECORDS", 2)
    with pytest.raises(WrongFormat, match="more than 2 records"):
        bring(project, {"key-1": "1", "key-2": "2", "key-3": "3"})


def test_a_file_that_is_too_large_is_refused(project, monkeypatch):
    monkeypatch.setattr(systems_services, "MOST_BYTES", 10)
    with pytest.raises(WrongFormat, match="The maximum is"):
        bring(project, {"key-1": "One."})


def test_the_same_file_again_changes_nothing_and_another_one_the_texts(project):
    bring(project, {"key-1": "One.", "key-2": "Two."})
    system, again = bring(project, {"key-1": "One.", "key-2": "Two."})
    assert (again.created, again.changed, again.unchanged) == (0, 0, 2)

    system, other = bring(project, {"key-1": "One.", "key-2": "2", "key-3": "3"})
    assert (other.created, other.changed, other.unchanged) == (1, 1, 1)
    assert texts(system) == {"key-1": "One.", "key-2": "2", "key-3": "3"}
    assert System.objects.count() == 1


@pytest.mark.parametrize(("state", "refused"), [("draft", 0), ("running", 1), ("closed", 1)])
def test_texts_that_people_judge_stay_as_they_are(project, state, refused):
    system, _ = bring(project, {"key-1": "One."})
    studies.make_study(project, [system], state, title="First study")

    bring(project, {"key-1": "One.", "key-2": "Two."})  # more texts are welcome
    if refused:
        with pytest.raises(Conflict, match=r"changes 1 text of Reader, .* “First study”"):
            bring(project, {"key-1": "Other.", "key-3": "Three."})
    else:
        bring(project, {"key-1": "Other.", "key-3": "Three."})

    assert texts(system)["key-1"] == ("One." if refused else "Other.")
    assert ("key-3" in texts(system)) == (not refused)


def test_the_oldest_study_that_uses_a_system_is_named(project, staff):
    system, _ = bring(project, {"key-1": "One."})
    studies.make_study(project, [studies.make_system(project, "Other")], title="Of another")
    for title, state in (("Draft", "draft"), ("Older", "closed"), ("Newer", "running")):
        studies.make_study(project, [system], state, title=title)
    with pytest.raises(Conflict, match="“Older”"):
        bring(project, {"key-1": "Other."})
    with pytest.raises(Conflict, match="“Draft”"):
        systems_services.delete_system(system=system, by=staff, now=NOW)


def test_a_version_of_its_own_is_a_system_of_its_own(project):
    one, _ = bring(project, {"key-1": "One."})
    two, _ = bring(project, {"key-1": "Other."}, version="2")
    assert (str(one), str(two)) == ("Reader", "Reader 2")
    with pytest.raises(Conflict, match="Reader 2"):
        bring(project, {"key-1": "Other."}, name="Reader 2")


@pytest.mark.parametrize(("name", "words"), [(" \n", "a name"), ("x" * 81, "The maximum is 80")])
def test_a_bad_name_is_refused(project, name, words):
    with pytest.raises(Conflict, match=words):
        bring(project, {"key-1": "One."}, name=name)


def test_only_staff_import_and_delete(project, staff):
    annotator = factories.make_member(project, "annotator")
    with pytest.raises(Denied):
        bring(project, {"key-1": "One."}, by=annotator)
    system, _ = bring(project, {"key-1": "One."}, by=staff)
    with pytest.raises(Denied):
        systems_services.delete_system(system=system, by=annotator, now=NOW)
    assert system.created_by == staff


def test_a_system_that_no_study_uses_can_be_deleted(project, staff):
    system, _ = bring(project, {"key-1": "One."})
    study = studies.make_study(project, [system], "draft")
    with pytest.raises(Conflict, match="cannot be deleted"):
        systems_services.delete_system(system=system, by=staff, now=NOW)

    study.systems.clear()
    systems_services.delete_system(system=system, by=staff, now=NOW)

    assert not System.objects.exists()
    assert not Output.objects.exists()
    assert AuditEntry.objects.get(action="system_deleted").data == {"system": "Reader", "texts": 1}


# --- what people wrote -----------------------------------------------------------------------


def test_a_reference_is_made_of_the_long_answers_with_their_authors(db):
    project, now = asqa.make_project(), timezone.now()
    one, two = (asqa.open_question(project, now, external_id=f"key-{n}") for n in (1, 2))
    ann, ben = (factories.make_member(project, "annotator") for _ in range(2))
    for user in (ann, ben):
        asqa.answer(project, user, now)
    left_out = asqa.answer(project, ann, now)
    type(left_out).objects.filter(pk=left_out.pk).update(used=False)

    first, report = systems_services.from_long_answers(
        project=project, name="Human", by=None, now=now
    )
    second, _ = systems_services.from_long_answers(
        project=project, name="Human", version="2", nth=2, by=None, now=now
    )

    assert list(first.outputs.values_list("question", "author")) == [(one.pk, ann.pk)]
    assert list(second.outputs.values_list("question", "author")) == [(one.pk, ben.pk)]
    assert (report.created, report.missing.first) == (1, [two.external_id])
    assert first.kind == "human"
    assert first.options == {"source": "long answers", "inputs": "any", "number": 1}
    with pytest.raises(Conflict, match="No question of this project"):
        systems_services.from_long_answers(
            project=project, name="Human", inputs="question", by=None, now=now
        )


def test_a_reference_is_made_of_the_annotations_of_an_asqa_file(project):
    def record(*texts):
        pairs = asqa.TUNNEL["qa_pairs"]
        annotations = [{"long_answer": text, "knowledge": []} for text in texts]
        return {"ambiguous_question": "when", "qa_pairs": pairs, "annotations": annotations}

    file = {"dev": {"key-1": record("One.", "Another."), "key-2": record("Two.")}}

    first, _ = bring(project, file, name="Human 1", kind="human", annotation=1)
    second, report = bring(project, file, name="Human 2", kind="human", annotation=2)

    assert texts(first) == {"key-1": "One.", "key-2": "Two."}
    assert texts(second) == {"key-1": "Another."}
    assert report.empty.first == ["key-2"]
    assert set(first.outputs.values_list("author", flat=True)) == {None}


# --- the list --------------------------------------------------------------------------------


def test_the_list_counts_answers_words_and_studies(project, django_assert_num_queries):
    system, _ = bring(project, {"key-1": "One two three.", "key-2": "Two."})
    factories.make_question(project, split="train")
    studies.make_study(project, [system])
    studies.make_system(project, "Zero")

    with django_assert_num_queries(4):
        rows = systems_queries.list_systems(project)

    assert [
        (str(row.system), row.answers, row.questions, row.words, row.studies) for row in rows
    ] == [
        ("Reader", 2, 3, 2.0, 1),
        ("Zero", 0, 0, 0.0, 0),
    ]


@pytest.mark.realdata
def test_the_predictions_for_asqa_are_read(realdata):
    with (realdata / "reference" / "asqa" / "predictions.json").open("rb") as file:
        read = list(formats.read_records(file))
    assert len(read) == 948
    assert sum(isinstance(row.found, str) for row in read) > 900


# --- the command -----------------------------------------------------------------------------


def run(*args):
    out, err = io.StringIO(), io.StringIO()
    call_command("import_outputs", *args, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def refused(*args):
    with pytest.raises(CommandError) as refusal:
        run(*args)
    assert refusal.value.returncode == 2
    return str(refusal.value)


def test_the_command_imports_and_prints_the_report(project, tmp_path):
    path = tmp_path / "t5.json"
    path.write_text(json.dumps({"key-1": "One.", "key-9": "Nine."}))
    args = (project.slug, str(path), "--system", "T5", "--version", "2", "--options", '{"k": 5}')

    found = json.loads(run(*args, "--json")[0])

    assert (found["system"], found["created"], found["unknown"]["first"]) == ("T5 2", 1, ["key-9"])
    system = System.objects.get()
    assert (system.version, system.kind, system.options) == ("2", "model", {"k": 5})
    out, err = run(*args)
    assert out == "T5 2: 0 new, 0 changed, 1 unchanged.\n"
    assert "1 not the id of a question in this project: key-9\n" in err


def test_the_command_refuses_bad_input_with_status_2(project, tmp_path):
    path = tmp_path / "t5.json"
    path.write_text('{"key-9": "Nine."}')
    system = ("--system", "T5")
    assert "Nothing was imported." in refused(project.slug, str(path), *system)
    assert "cannot be read: No such file" in refused(project.slug, "missing.json", *system)
    assert "cannot be read: Is a directory" in refused(project.slug, str(tmp_path), *system)
    assert "--options: The settings" in refused(project.slug, str(path), *system, "--options", "5")
    assert "Name a file" in refused(project.slug, *system)
    assert "count from 1" in refused(project.slug, str(path), *system, "--annotation", "-1")
    assert "has such a long" in refused(project.slug, *system, "--from-long-answers")
    assert "no project" in refused("other", str(path), *system)
    assert not System.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_study_that_starts_and_an_import_wait_for_each_other():
    """Whoever comes first: no text changes once the study has started."""
    project = asqa.make_project()
    studies.make_questions(project, 1)
    rosa = factories.make_member(project, "researcher")
    for name in ("Reader", "Other"):
        bring(project, {"key-1": "Before."}, name=name)
    draft = studies.make_study(project, System.objects.all(), "draft", size=1, raters=1)
    begun = threading.Event()

    def start():
        with transaction.atomic():
            studies_services.start_study(study=draft, by=rosa, now=NOW)
            begun.set()
            wait_until_one_is_blocked()

    def change():
        assert begun.wait(10)
        bring(project, {"key-1": "After."})

    started, refused = in_parallel([start, change])

    assert started is None
    assert isinstance(refused, Conflict)
    assert set(Output.objects.values_list("text", flat=True)) == {"Before."}
