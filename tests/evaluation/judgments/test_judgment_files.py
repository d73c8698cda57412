"""Judgments made elsewhere: the kit's rows and our exports in, the way round, equal figures."""

import datetime as dt
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.exports.selection import Selection
from annotation.exports.services import start_export
from annotation.imports.records import WrongFormat
from annotation.models import AuditEntry
from annotation.work import assignments
from evaluation.judging.sheet import CriterionChoice, JudgingResponse, Mark
from evaluation.judgments.imported_judgments import BadRows
from evaluation.judgments.services import import_judgments
from evaluation.models import Item, Judgment, Study, System
from evaluation.results.counts import compute_figures
from evaluation.studies import queries as studies_queries
from evaluation.studies import services as studies_services
from evaluation.systems.services import import_outputs
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
ROW = {
    "pair": 3,
    "numQA": 2,
    "accLeft": 2,
    "accRight": 1,
    "Ambiguity": "Paragraph 1",
    "Fluency": "Tie",
    "Overall": "Paragraph 2",
    "leftModel": "T5-O-5",
    "rightModel": "HP-w/o-C",
    "key": "key-1",
}


@pytest.fixture
def project(db):
    project = asqa.make_project()
    studies.make_questions(project, 3)
    return project


def bring(project, content, title="Elsewhere", **fields):
    if not isinstance(content, bytes):
        content = json.dumps(content).encode()
    given = {"by": None, "now": NOW} | fields
    return import_judgments(project=project, file=io.BytesIO(content), title=title, **given)


def table(rows):
    names = list(ROW)
    return "\n".join(
        ",".join(str(value) for value in line) for line in [names, *(r.values() for r in rows)]
    ).encode()


LAYOUTS = {
    "a list": lambda rows: json.dumps(rows).encode(),
    "lines": lambda rows: "\n".join(map(json.dumps, rows)).encode(),
    "a table": table,
    "a table with semicolons": lambda rows: table(rows).replace(b",", b";"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_kits_rows_become_a_closed_study(project, layout):
    swapped = ROW | {"leftModel": ROW["rightModel"], "rightModel": ROW["leftModel"]}
    other = ROW | {"pair": 5, "key": "key-2"}
    studies.make_system(project, "T5-O-5")

    study, imported = bring(project, LAYOUTS[layout]([ROW, swapped, other]))

    assert (study.state, study.title, study.raters, study.size) == ("closed", "Elsewhere", 2, 2)
    assert (imported.judgments, imported.questions, imported.judges) == (3, 2, 2)
    assert imported.systems == ["HP-w/o-C"]
    assert System.objects.count() == 2
    assert [item.position for item in study.items.all()] == [3, 5]
    one, two, _ = studies_queries.list_counted_judgments(study)
    assert (one.question, one.pair, one.left, one.right) == ("key-1", 3, "T5-O-5", "HP-w/o-C")
    assert (one.left_found, one.right_found) == ((True, True), (True, False))
    assert one.choices == {"comp": -1, "fluency": 0, "overall": 1}
    assert (two.pair, two.left, two.judge) == (3, "HP-w/o-C", "Rater 2")
    assert list(Judgment.objects.values_list("swapped", flat=True)) == [False, True, False]
    entry = AuditEntry.objects.get(action="judgments_imported")
    assert (entry.data["judgments"], entry.target) == (3, f"study:{study.pk}")


@pytest.mark.parametrize(
    ("word", "choice"),
    [("TIE", 0), (" left ", -1), ("paragraph 2", 1), ("t5-o-5", -1), ("HP-W/O-C", 1)],
)
def test_a_choice_can_be_said_in_several_ways(project, word, choice):
    study, _ = bring(project, [ROW | {"Overall": word}])
    assert studies_queries.list_counted_judgments(study)[0].choices["overall"] == choice


def test_columns_in_any_case_numbers_as_text_and_named_raters(project):
    row = {name.upper(): str(value) for name, value in ROW.items()} | {"Rater": "R7"}
    study, _ = bring(project, [row])
    judged = studies_queries.list_counted_judgments(study)[0]
    assert (judged.judge, judged.pair, len(judged.left_found)) == ("R7", 3, 2)


def test_pairs_are_numbered_anew_where_the_file_uses_a_number_twice(project):
    study, _ = bring(project, [ROW, ROW | {"key": "key-2"}, ROW | {"pair": 1, "rater": "b"}])
    assert [(row.question, row.pair) for row in studies_queries.list_counted_judgments(study)] == [
        ("key-1", 0),
        ("key-1", 0),
        ("key-2", 1),
    ]


BAD = {
    "numQA": ("3", "numQA the number 3 is not 2, the number of disambiguations"),
    "accLeft": (3, "accLeft the number 3 is not a whole number from 0 to 2"),
    "accRight": (1.5, "accRight the number 1.5 is not a whole number"),
    "Ambiguity": ("", "Ambiguity “” is not Tie, Paragraph 1, Paragraph 2 or the name of a model"),
    "Fluency": (["Tie"], "Fluency a list is not Tie"),
    "Overall": ("Paragraph 3", "Overall “Paragraph 3” is not Tie"),
    "leftModel": (" ", "leftModel “ ” is not a name"),
    "rightModel": ("T5-O-5", "rightModel “T5-O-5” is the same system as leftModel"),
    "key": ("key-9", "key “key-9” is not the id of a question in this project"),
    "pair": (10**30, "is not a whole number from 0 to"),
    "rater": ("x" * 81, "is longer than 80 characters"),
}


@pytest.mark.parametrize("column", BAD)
def test_a_bad_row_is_named_and_nothing_is_imported(project, column):
    value, sentence = BAD[column]
    if column == "numQA":
        value = int(value)
    content = [ROW, ROW | {"key": "key-2", "pair": 4, column: value}]

    with pytest.raises(BadRows) as refusal:
        bring(project, content)

    assert str(refusal.value).startswith("1 row of 2 cannot be imported, so nothing was. Row 2: ")
    assert sentence in str(refusal.value)
    if column != "pair":
        assert refusal.value.as_json()[0]["column"] == column
    assert [model.objects.count() for model in (Study, System, Item)] == [0, 0, 0]


def test_a_missing_column_is_named(project):
    row = {name: value for name, value in ROW.items() if name != "Fluency"}
    with pytest.raises(BadRows, match=r"Row 1: Fluency is missing\.$"):
        bring(project, [row])


def test_every_bad_row_is_counted(project):
    content = [ROW | {"key": f"other-{number}"} for number in range(200)]
    with pytest.raises(BadRows) as refusal:
        bring(project, content)
    assert (refusal.value.count, len(refusal.value.sentences)) == (200, 50)


def test_nobody_judges_a_pair_twice(project):
    row = ROW | {"rater": "Ann"}
    with pytest.raises(BadRows, match="Row 2: rater “Ann” has judged the same pair in row 1"):
        bring(project, [row, row])
    with pytest.raises(BadRows, match="one more than the maximum of 25"):
        bring(project, [ROW] * 26)


REFUSED = {
    b"": "The file is empty.",
    b"[]": "holds no judgments",
    b"pair,numQA\n1,2\n": "accleft” is missing",
    b"PK\x03\x04": "packed (zip)",
    b'{"kind": "judgment"}': "begins with the record of its study",
    b'{"kind": "study", "title": 5}': "The study: criteria is missing.",
}
UNREADABLE = {
    b'[{"pair": "\\u0000"}]': "NUL",
    b'[{"pair": 1e999}]': "not JSON",
    b'[{"pair": "\\ud800"}]': "not JSON",
    b'[{"pair": "\xff"}]': "not UTF-8",
    b'[{"key": ' + b"[" * 5000 + b"]" * 5000 + b"}]": "Row 1",
    b'[{"key": ' + b"[" * 60 + b"]" * 60 + b"}]": "nested more than 40 levels",
    b"[5]": "should be an object",
    b'[{"key": "a"}': "incomplete",
    table([ROW]) + b',"\x00': "Row 1",
}


@pytest.mark.parametrize("content", REFUSED, ids=repr)
def test_a_file_of_something_else_is_refused_with_a_sentence(project, content):
    with pytest.raises(WrongFormat) as refusal:
        bring(project, content)
    assert REFUSED[content] in str(refusal.value)


@pytest.mark.parametrize("content", UNREADABLE, ids=lambda content: repr(content[:30]))
def test_a_row_that_cannot_be_read_is_named(project, content):
    with pytest.raises(BadRows) as refusal:
        bring(project, content)
    assert UNREADABLE[content] in str(refusal.value)
    assert not Study.objects.exists()


def test_files_are_bounded(project, monkeypatch):
    monkeypatch.setattr("evaluation.judgments.judgment_files.MOST_ROWS", 1)
    with pytest.raises(WrongFormat, match="more than 1 rows"):
        bring(project, [ROW, ROW])
    monkeypatch.setattr("evaluation.judgments.judgment_files.MOST_BYTES", 10)
    with pytest.raises(WrongFormat, match="The maximum is"):
        bring(project, [ROW])


def test_a_title_is_needed_and_only_staff_import(project):
    with pytest.raises(Conflict, match="Give the study a title"):
        bring(project, [ROW], title=" ")
    with pytest.raises(Conflict, match="The maximum is 120"):
        bring(project, [ROW], title="x" * 121)
    with pytest.raises(Denied):
        bring(project, [ROW], by=factories.make_member(project, "judge"))


# --- the way round ---------------------------------------------------------------------------


@pytest.fixture
def judged(project):
    """A study of three systems, started and judged by three people, with repeats, then closed."""
    now = timezone.now()
    rosa = factories.make_member(project, "researcher", name="Rosa Reed")
    names = ("Amber", "Blue", "Coral")
    systems = []
    for name in names:
        answers = {f"key-{n}": f"{name} says {n} of it." for n in (1, 2, 3)}
        file = io.BytesIO(json.dumps(answers).encode())
        system, _ = import_outputs(project=project, file=file, name=name, by=rosa, now=now)
        systems.append(system)
    study = studies.make_study(
        project, systems, "draft", size=3, raters=3, repeats=40, pairing="all", steps=5, seed=11
    )
    studies_services.start_study(study=study, by=rosa, now=now)
    project.policies.filter(stage=study.stage).update(minimum_seconds=0)
    for number in range(3):
        judge = factories.make_member(project, "judge", name=f"Judge {number}")
        judge_all(project, study, judge, number)
    study.refresh_from_db()
    studies_services.close_study(study=study, by=rosa, now=now)
    study.refresh_from_db()
    return study


def judge_all(project, study, judge, number):
    """Judge every item: the system whose name comes first is better, more or less often."""
    now = timezone.now()
    done = 0
    while turn := assignments.take_next(project=project, stage=study.stage, by=judge, now=now):
        place = (turn.pk + number + done) % 5
        better = ("left_much", "left", "tie", "right", "right_much")
        response = JudgingResponse(
            left=(Mark("yes", "says"), Mark("no" if place % 2 else "yes", "")),
            right=(Mark("no", ""), Mark("yes" if place % 3 else "no", "")),
            choices=tuple(CriterionChoice(better[(place + step) % 5]) for step in (0, 1, 3)),
            why="It says more." if place == 2 else "",
        )
        assignments.submit_response(assignment=turn, response=response, by=judge, now=now)
        done += 1
    assert done == study.items.count() == 13


def exported(study, format):
    export = start_export(
        project=study.project,
        format=format,
        chosen=Selection(study=study.pk),
        by=None,
        now=timezone.now(),
    )
    return b"".join(export.blocks())


def figures_of(study):
    return compute_figures(
        studies_queries.list_counted_judgments(study), criteria=study.criteria, seed=5, resamples=50
    )


def other_project():
    project = asqa.make_project()
    studies.make_questions(project, 3)
    return project


def test_our_export_comes_back_with_equal_figures(judged):
    content = exported(judged, "judgments")
    assert len({row.swapped for row in Judgment.objects.all()}) == 2

    study, _ = bring(other_project(), content, title="")

    assert studies_queries.list_counted_judgments(study) == studies_queries.list_counted_judgments(
        judged
    )
    assert figures_of(study) == figures_of(judged)
    assert figures_of(study)["counts"]["repeats"] == 12
    assert (study.title, study.steps, study.seed) == (judged.title, 5, 11)
    assert study.criteria == judged.criteria


def test_our_export_comes_back_byte_for_byte(judged):
    """Of an imported study, which has no numbers of this installation but its own."""
    first, _ = bring(other_project(), exported(judged, "judgments"), title="")
    second, _ = bring(other_project(), exported(first, "judgments"), title="")
    one, two = (exported(study, "judgments") for study in (first, second))
    assert one.replace(b'"study":%d' % first.pk, b'"study":%d' % second.pk) == two
    assert exported(judged, "judgments") == exported(judged, "judgments")


def test_the_kits_export_comes_back_with_equal_figures(judged):
    """It has no repeats, no raters and three steps; all that it holds is the same again."""
    content = exported(judged, "judgments-asqa")

    study, _ = bring(other_project(), content)

    assert exported(study, "judgments-asqa") == content
    before, after = figures_of(judged), figures_of(study)
    assert {name: value["value"] for name, value in after["acc"].items()} == {
        name: value["value"] for name, value in before["acc"].items()
    }
    for one, other in zip(before["criteria"], after["criteria"], strict=True):
        assert one["points"] == other["points"]
        assert one["matrix"] == other["matrix"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b'"steps":5', b'"steps":4', "The study: steps the number 4 is not one of: 3, 5"),
        (b'"kind":"model"', b'"kind":"robot"', "kind “robot” is not one of"),
        (b'"seed":11', b'"seed":-1', "seed the number -1 is not a whole number"),
        (b'"label":"Amber"', b'"label":"Ambre"', "is not the name and the version of its system"),
    ],
)
def test_a_study_that_was_changed_by_hand_is_refused(judged, old, new, words):
    content = exported(judged, "judgments")
    assert old in content
    with pytest.raises(WrongFormat, match=words):
        bring(other_project(), content.replace(old, new))


CHANGES = {
    "repeats .* is not an item": lambda row: row.update(item=99, repeats=12),
    "another question or pair of systems": lambda row: row.update(left="Dun"),
    "another question": lambda row: row.update(id="key-1" if row["id"] == "key-2" else "key-2"),
    "is the same system as left": lambda row: row.update(left=row["right"]),
    "does not fit the pairing all": lambda row: row.update(right=None),
    "fluency “both” is not one of": lambda row: row["choices"].update(fluency="both"),
    "found “maybe” is not one of": lambda row: row["found"]["left"][0].update(found="maybe"),
    "numQA the number 3 is not 2": lambda row: row["found"]["left"].append(
        {"found": "yes", "words": ""}
    ),
    "words a list is not a text": lambda row: row["found"]["left"][0].update(words=[]),
    "active_seconds the number -1 is not": lambda row: row["times"].update(active_seconds=-1),
    "found null is not an object": lambda row: row.update(found=None),
    "verdict “good” is not one of": lambda row: row.update(verdict="good"),
    "reason null is not a text": lambda row: row.update(reason=None),
    "NUL": lambda row: row.update(judge="\0"),
    "kind “verdict” is not one of": lambda row: row.update(kind="verdict"),
}


@pytest.fixture
def content(db):
    """An export of a small study: a pair judged twice, and its repeat."""
    project = other_project()
    first, second = (studies.make_system(project, name) for name in ("Amber", "Blue"))
    study = studies.make_study(project, [first, second], "closed", pairing="all")
    question = project.questions.get(external_id="key-1")
    item = studies.make_item(study, question, first, second)
    again = studies.make_item(study, question, first, second, position=12, repeats=item)
    for name in ("a", "b"):
        studies.make_judgment(item, name=name)
    studies.make_judgment(again, name="a", swapped=True)
    return [json.loads(line) for line in exported(study, "judgments").splitlines()]


@pytest.mark.parametrize("words", CHANGES)
def test_a_judgment_that_was_changed_by_hand_is_named(content, words):
    lines = "\n".join(map(json.dumps, content)).encode()
    bring(other_project(), lines)
    CHANGES[words](content[2])
    with pytest.raises(BadRows, match=words):
        bring(other_project(), "\n".join(map(json.dumps, content)).encode())


def test_an_export_of_two_studies_is_refused(judged):
    content = exported(judged, "judgments")
    with pytest.raises(BadRows, match=r"is another study\. Export one of them, alone"):
        bring(other_project(), content + content.replace(b'"study":', b'"study":1'))


# --- the command and the page ----------------------------------------------------------------


def run(*args):
    out, err = io.StringIO(), io.StringIO()
    call_command("import_judgments", *args, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_command_imports_and_says_what(project, tmp_path):
    path = tmp_path / "ratings.json"
    path.write_text(json.dumps([ROW]))
    found = json.loads(run(project.slug, str(path), "--title", "ASQA", "--json")[0])
    assert (found["judgments"], found["systems"]) == (1, ["HP-w/o-C", "T5-O-5"])
    path.write_text(json.dumps([ROW | {"key": "key-2"}]))
    out, _ = run(project.slug, str(path), "--title", "ASQA, again")
    assert ", ASQA, again: 1 judgments of 1 questions by 1 people.\n" in out


def test_the_command_names_bad_rows_with_status_2(project, tmp_path):
    path = tmp_path / "ratings.json"
    path.write_text(json.dumps([ROW, ROW | {"key": "other"}]))
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 row of 2") as refusal:
        call_command("import_judgments", project.slug, str(path), "--title=T", "--json", stdout=out)
    assert refusal.value.returncode == 2
    assert json.loads(out.getvalue()) == {
        "errors": [
            {
                "row": 2,
                "column": "key",
                "value": "“other”",
                "reason": "is not the id of a question in this project",
            }
        ]
    }
    for args in ((str(tmp_path / "none"),), (str(path), "--title", "x" * 121)):
        with pytest.raises(CommandError) as refusal:
            run(project.slug, *args)
        assert refusal.value.returncode == 2


def post(client, project, content, title="Elsewhere"):
    data = {"title": title, "file": SimpleUploadedFile("ratings.json", content)}
    return client.post(reverse("judgments-import", args=[project.slug]), data)


@pytest.mark.parametrize(
    ("content", "title", "sentence"),
    [
        (b"[]", "T", "The file holds no judgments. Nothing was imported."),
        (b"pair,key\n1,key-1\n", "T", "is missing. Nothing was imported."),
        (json.dumps([ROW]).encode(), "", "Give the study a title."),
        (json.dumps([ROW]).encode("utf-16"), "T", "Save it as UTF-8. Nothing was imported."),
    ],
)
def test_the_page_refuses_at_once_what_a_look_at_the_file_shows(
    project, client_as, content, title, sentence
):
    staff = client_as(factories.make_member(project, "researcher"))
    reply = post(staff, project, content, title)
    assert reply.status_code == 422
    assert sentence in reply.content.decode()
    assert not project.jobs.exists()
