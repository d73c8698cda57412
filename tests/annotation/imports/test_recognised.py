"""Files of twelve shapes, imported by the command without a format; and what else is recognised."""

import gzip
import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.imports import nq_open
from annotation.imports.columns import made_id
from annotation.models import AuditEntry, Question, RememberedColumns
from tests import factories

pytestmark = pytest.mark.django_db
FILES = Path(__file__).parent / "files"
PROMPT = "when did the thames tunnel open"
TUNNEL = "When did the Thames Tunnel open?"


def run(project, path, *args):
    """Import a file; return what was printed, and the exit status."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("import_questions", project.slug, str(path), *args, stdout=out, stderr=err)
    except CommandError as error:
        return f"{out.getvalue()}{error}", error.returncode
    except SystemExit as ended:
        return out.getvalue() + err.getvalue(), ended.code
    return out.getvalue() + err.getvalue(), 0


def make_project(key):
    """A project of a protocol that takes what comes."""
    settings = {"target_dev": 1} if key == "qampari" else {}
    return factories.make_project(protocol=key, policies=False, rule_settings=settings)


def rows(project):
    """Id, text, split, answers and names of what is kept of each question."""
    return [
        (each.external_id, each.text, each.split, each.known_answers, sorted(each.context))
        for each in Question.objects.filter(project=project).order_by("pk")
    ]


def first(name, key="ambigqa"):
    """Import a file into a new project; return what was said, and the first question."""
    project = make_project(key)
    said, status = run(project, FILES / name)
    assert status == 0, said
    again, _ = run(project, FILES / name)
    assert "0 created, 0 updated" in again
    return said, rows(project)


WAYS = [
    (
        *("ambignq.json", "ambigqa", "AmbigNQ, light or full", 3),
        ("-3101", TUNNEL, "dev", [], ["annotations"]),
    ),
    (
        *("asqa.json", "asqa", "ASQA", 2),
        ("7201", TUNNEL, "dev", [], ["annotations", "qa_pairs", "wikipages"]),
    ),
    (
        *("nq_open.jsonl", "ambigqa", "NQ-open JSONL", 3),
        (
            *(nq_open.made_id(PROMPT), PROMPT, "dev"),
            *(["25 March 1843", "1843"], []),
        ),
    ),
    (
        *("natural_questions.jsonl", "nq", "Natural Questions", 2),
        (
            *("41", "how many lamps has pump lane", "dev", []),
            ["annotations", "form", "kinds", "page", "title", "url"],
        ),
    ),
    (
        *("qampari.jsonl", "qampari", "QAMPARI JSONL", 2),
        (
            *("1__wikidata_simple__dev", "Which bridges did John Rennie design?", "dev", []),
            ["answer_list", "entities"],
        ),
    ),
    (
        *("squad.json", "ambigqa", "SQuAD", 3),
        (
            *("5733be28", "When did the tunnel open to walkers?", "dev"),
            *(["25 March 1843", "March 1843"], ["context", "is_impossible", "page"]),
        ),
    ),
    (
        *("hotpotqa.json", "ambigqa", "HotpotQA", 2),
        (
            "5a8b57f2",
            "Were the Thames Tunnel and the Menai Bridge both opened before 1850?",
            *("dev", ["yes"], ["context", "level", "supporting_facts", "type"]),
        ),
    ),
    (
        *("triviaqa.json", "ambigqa", "TriviaQA", 2),
        (
            "tc_1",
            "Which tunnel under a river was the first to be opened, in 1843?",
            *("dev", ["Thames Tunnel", "The Thames Tunnel"]),
            ["EntityPages", "QuestionSource", "SearchResults"],
        ),
    ),
    (
        *("label_studio.json", "ambigqa", "Label Studio export", 2),
        (
            *("101", "When did the tunnel open?", "dev", ["25 March 1843", "7 December 1869"]),
            ["annotations", "context", "kind", "spans"],
        ),
    ),
    (
        *("doccano.jsonl", "ambigqa", "doccano export", 3),
        (
            *("11", "When did the tunnel open?", "dev", ["25 March 1843", "7 December 1869"]),
            ["Comments", "annotations"],
        ),
    ),
    (
        *("excel.csv", "ambigqa", "CSV with semicolons", 3),
        (
            *("B-0117", "Wann wurde die Brücke eröffnet?", "dev", ["1911", "1958"]),
            ["Gefragt von"],
        ),
    ),
    (
        *("lines.txt", "ambigqa", "Plain lines", 3),
        (made_id(TUNNEL), TUNNEL, "dev", [], []),
    ),
    (
        *("utf16.tsv", "ambigqa", "TSV", 2),
        ("t-1", "When did the tunnel open?", "dev", ["1843"], []),
    ),
    (
        *("first.jsonl", "ambigqa", "Plain JSONL", 2),
        (made_id(TUNNEL), TUNNEL, "dev", [], []),
    ),
]


@pytest.mark.parametrize(("name", "key", "label", "number", "question"), WAYS)
def test_a_file_is_recognised_and_imported_once(name, key, label, number, question):
    said, found = first(name, key)
    assert f"Recognised as {label}." in said
    assert (len(found), found[0]) == (number, question)


def test_what_becomes_of_each_column_is_said_with_the_first_questions():
    said, found = first("excel.csv")
    assert "  Nr → id\n  Frage → question\n  Gold → answers\n  Set → split\n" in said
    assert "  Gefragt von → keep with the question\nThe first 3:\n" in said
    assert "  B-0118  Wer baute den Tunnel; und wann? (Brunel)\n" in said
    assert [each[2] for each in found] == ["dev", "train", "train"]


def test_what_a_person_cancelled_in_label_studio_is_no_answer():
    assert first("label_studio.json")[1][1][3] == []


def test_equal_lines_are_said_once_and_kept_once():
    said, found = first("lines.txt")
    assert "3 created, 0 updated, 0 unchanged, 0 rejected, 1 repeated." in said
    assert "Line 5: the same question as on line 1, kept once." in said
    assert "into dev" in said
    assert len(found) == 3


def test_texts_that_differ_only_in_their_bytes_are_the_same_question(project, tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [{"question": "Où est le café ?"}, {"question": "Ou\u0300 est le cafe\u0301 ?"}]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert "1 created, 0 updated, 0 unchanged, 0 rejected, 1 repeated" in run(project, path)[0]
    assert made_id(lines[0]["question"]) == made_id(lines[1]["question"])


def test_ids_of_the_file_do_not_make_two_questions_of_one_text(project, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("nr,text\n1,Who?\n2,Who?\n1,When?\n")
    said, _ = run(project, path, "--dry-run")
    assert "nr → keep" in said  # what occurs twice is not proposed as an id
    said, _ = run(project, path, "--map", "id=nr")
    assert "Line 3: the same question as on line 2, kept once." in said
    assert "The id “1” was on line 2 already, with something else." in said
    assert [each[:2] for each in rows(project)] == [("1", "Who?")]


def test_a_file_packed_with_gzip_is_read(project, tmp_path):
    path = tmp_path / "squad.json.gz"
    path.write_bytes(gzip.compress((FILES / "squad.json").read_bytes()))
    assert "3 created" in run(project, path)[0]


def test_bad_lines_are_named_and_the_others_are_imported(project, tmp_path):
    path = tmp_path / "a.jsonl"
    bad = [b'{"question": "Who', b'{"question": ""}', b"[1]", b'{"question": "a\xff?"}']
    path.write_bytes(b"\n".join([b'{"question": "Who?"}', *bad, b'{"question": "When?"}']))
    said, status = run(project, path)
    assert status == 0
    assert "2 created, 0 updated, 0 unchanged, 4 rejected" in said
    assert "Line 2: It is not JSON" in said
    assert "Line 3: The question is empty." in said
    assert "Line 4: It should be an object" in said
    assert "Line 5: Byte 16 (0xff)" in said


class TestDryRun:
    def test_it_changes_nothing(self, project):
        said, status = run(project, FILES / "excel.csv", "--dry-run", "--map", "page=Gefragt von")
        assert status == 0
        assert "excel.csv, nothing was changed: 3 created" in said
        assert not Question.objects.exists()
        assert not RememberedColumns.objects.exists()
        assert not AuditEntry.objects.filter(project=project.pk).exists()

    def test_it_ends_with_status_1_where_lines_cannot_be_taken(self, project, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("id,question\n1,Who?\n2,When?,now\n")
        said, status = run(project, path, "--dry-run")
        assert status == 1
        assert "Line 3: The row has 3 cells and the header 2." in said
        assert not Question.objects.exists()

    def test_as_json(self, project):
        said, _ = run(project, FILES / "lines.txt", "--dry-run", "--json")
        counts = json.loads(said)
        assert counts["created"] == 3
        assert counts["repeats"] == [{"line": 5, "first": 1}]


class TestMapping:
    @pytest.fixture
    def odd(self, tmp_path):
        """A table whose columns say nothing by their names."""
        path = tmp_path / "odd.csv"
        path.write_text("alpha,beta,gamma\nwho built it,x-1,first\nwhen was it built,x-2,last\n")
        return path

    def test_a_file_that_shows_no_question_asks_for_its_column(self, project, odd):
        said, status = run(project, odd)
        assert status == 2
        assert "Say which column holds the question." in said
        assert "Nothing was imported." in said

    def test_columns_are_mapped_and_remembered_for_the_project(self, project, odd):
        maps = ["--map", "question=alpha", "--map", "id=beta"]
        splits = ["--map", "split=gamma", "--map-split", "first=test", "--map-split", "last=train"]
        assert run(project, odd, *maps, *splits)[1] == 0
        expected = [
            ("x-1", "who built it", "test", [], []),
            ("x-2", "when was it built", "train", [], []),
        ]
        assert rows(project) == expected
        odd.write_text("beta,alpha,gamma\nx-3,who owns it,last\n")
        said, status = run(project, odd)
        assert status == 0
        assert "columns as last time" in said
        assert rows(project)[2] == ("x-3", "who owns it", "train", [], [])
        assert run(factories.make_project(), odd)[1] == 2  # another project remembers nothing

    def test_a_value_that_is_no_split_is_named(self, project, odd):
        said, _ = run(project, odd, "--map", "question=alpha", "--map", "split=gamma")
        assert "“gamma” is “first”. It should be train, dev or test, or be mapped" in said

    @pytest.mark.parametrize(
        ("argument", "sentence"),
        [
            ("question=delta", "The file has no column “delta”. It has “alpha”, “beta”, “gamma”."),
            ("alpha", "“alpha” should be USE=COLUMN"),
            ("title=alpha", "“title=alpha” should be USE=COLUMN"),
        ],
    )
    def test_what_cannot_be_mapped_is_said(self, project, odd, argument, sentence):
        said, status = run(project, odd, "--map", argument)
        assert (sentence in said, status) == (True, 2)

    def test_a_released_file_can_be_mapped(self, project):
        _said, status = run(project, FILES / "ambignq.json", "--map", "leave=annotations")
        assert status == 0
        assert rows(project)[0] == ("-3101", TUNNEL, "dev", [], [])

    def test_a_format_leaves_nothing_to_map(self, project):
        said, status = run(
            project, FILES / "first.jsonl", "--format=jsonl", "--split=dev", "--map", "id=a"
        )
        assert status == 2
        assert "cannot be combined" in said


@pytest.mark.parametrize(
    ("name", "key", "sentence"),
    [
        ("natural_questions.jsonl", "qampari", "Natural Questions does not fit a project of"),
        ("first.jsonl", "nq", "Plain JSONL does not fit a project of Natural Questions"),
        ("lines.txt", "qampari", "Plain lines does not fit a project of QAMPARI"),
    ],
)
def test_a_file_that_does_not_fit_says_which_project_takes_it(name, key, sentence):
    said, status = run(make_project(key), FILES / name)
    assert (sentence in said, status) == (True, 2)


def test_what_another_protocol_takes_is_read_by_its_columns():
    said, found = first("qampari.jsonl", "ambigqa")
    assert "Recognised as QAMPARI JSONL." in said
    assert found[0][3] == ["Kelso Bridge", "Waterloo Bridge", "the Strand Bridge"]
