"""What the papers' tables read from the database, and the command that prints them."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.figures.filters import Filters
from annotation.figures.registry import Request, find_report
from annotation.imports.services import import_questions
from annotation.models import Event, Question
from annotation.reading.effort import Effort, list_efforts
from evaluation.models import ReaderAnswers
from evaluation.reports.papers import systems
from evaluation.scores.reading import digest_of, questions_of
from tests import factories
from tests.annotation.long_answers import helpers
from tests.evaluation import factories as made
from tests.figures import make_results

pytestmark = pytest.mark.django_db
SINGLE = {"type": "singleAnswer", "answer": ["1843"]}
SEVERAL = {
    "type": "multipleQAs",
    "qaPairs": [
        {"question": "When did the tunnel open to walkers?", "answer": ["1843"]},
        {"question": "When did the tunnel open to trains in 1869?", "answer": ["1869"]},
    ],
}
LONG = {
    "q1": {
        "ambiguous_question": "When did the tunnel open?",
        "qa_pairs": [
            {"question": "To walkers?", "short_answers": ["1843"], "context": "", "wikipage": None},
            {"question": "To trains?", "short_answers": ["1869"], "context": "", "wikipage": None},
        ],
        "wikipages": [],
        "annotations": [
            {"long_answer": "It opened in 1843 and in 1869.", "knowledge": []},
            {"long_answer": "It opened in 1843.", "knowledge": []},
        ],
    }
}


def bring(project, records, format, split, now, **options):
    tally = import_questions(
        project=project,
        file=io.BytesIO(json.dumps(records).encode()),
        format=format,
        split=split,
        finished=True,
        by=None,
        now=now,
        **options,
    )
    assert not tally.errors


def record(name, *annotations, **fields):
    return {"id": name, "question": "when did the tunnel open", "annotations": annotations} | fields


@pytest.fixture
def short(now):
    project = factories.make_project()
    bring(project, [record("a", SINGLE), record("b", SEVERAL)], "ambignq", "dev", now)
    bring(project, [record("c", SEVERAL)], "ambignq", "train", now)
    return project


@pytest.fixture
def long(now):
    project = helpers.make_project()
    bring(project, {"dev": LONG}, "asqa", None, now)
    return project


def tables(project, *options):
    out = io.StringIO()
    call_command("tables", project.slug, *options, stdout=out)
    return out.getvalue()


def panels(project, now, **filters):
    """The panels of the report, by key."""
    request = Request(project, Filters(**filters), now)
    report = find_report(project, "tables")
    return {entry.key: entry.panel(request) for entry in report.entries(project)}


# --- the command ----------------------------------------------------------------------------------


def test_the_command_for_pairs(short):
    assert json.loads(tables(short, "--json")) == {
        "ambignq_pairs_percent": {"train": [0, 100, 0, 0], "dev": [50, 50, 0, 0]},
        "asqa_mean_length": None,
        "asqa_human_str_em": None,
        "asqa_agreement_rouge_lsum": None,
        "asqa_question_x8": None,
    }
    only = json.loads(tables(short, "--json", "--split", "dev"))
    assert only["ambignq_pairs_percent"] == {"dev": [50, 50, 0, 0]}
    assert "train 0 / 100 / 0 / 0; dev 50 / 50 / 0 / 0" in tables(short)


def test_the_command_for_long_answers(long):
    figures = json.loads(tables(long, "--json"))
    assert figures["ambignq_pairs_percent"] is None
    assert figures["asqa_mean_length"] == 5.5
    assert figures["asqa_human_str_em"] == pytest.approx(75)
    assert 50 < figures["asqa_agreement_rouge_lsum"] < 100
    assert list(figures["asqa_question_x8"]) == ["length", "rouge_lsum", "str_em"]
    assert figures["asqa_question_x8"]["length"] == 40
    assert figures["asqa_question_x8"]["str_em"] == 0
    assert "asqa_mean_length           5.5\n" in tables(long)


def test_the_command_where_nothing_is_accepted():
    assert tables(factories.make_project()) == "Nothing is accepted yet.\n"
    assert set(json.loads(tables(helpers.make_project(), "--json")).values()) == {None}
    with pytest.raises(CommandError, match="There is no project 'nowhere'") as refused:
        call_command("tables", "nowhere")
    assert refused.value.returncode == 2


# --- the panels -----------------------------------------------------------------------------------


def test_the_panels_of_a_project_of_pairs(short, now):
    found = panels(short, now)
    assert {key for key in found if key.startswith("asqa")} == {
        *("asqa-table-2", "asqa-table-4", "asqa-table-5")
    }
    rows = found["ambigqa-table-2"].rows
    assert [row[:2] for row in rows] == [["train", 1], ["dev", 2], ["all", 3]]
    words = {(row[0], row[1]): row[2] for row in found["ambigqa-figure-2c"].rows}
    assert words == {("walkers", "added"): 2, ("trains", "added"): 2, ("0000", "added"): 2}
    [row] = panels(short, now, split="dev")["ambigqa-table-2"].rows
    assert row[:2] == ["dev", 2]


def test_the_panels_of_a_project_of_long_answers(long, now):
    system = made.make_system(long, "T5", options={"passages": "3"})
    made.make_output(system, Question.objects.get(project=long), "It opened in 1843.")
    found = panels(long, now)
    assert not [key for key in found if key.startswith("ambigqa")]
    rows = {row[0]: row for row in found["asqa-table-3"].rows}
    assert list(rows) == ["QUESTION (eight times)", "People, against each other", "T5"]
    labels = [column.key for column in found["asqa-table-3"].columns]
    assert rows["T5"][labels.index("str_em")].value == pytest.approx(0.5)
    assert rows["T5"][labels.index("length")].value == 4
    assert found["asqa-figure-3"].rows == []  # no reader has answered from it
    assert panels(long, now, split="test")["asqa-table-3"].rows == []


def test_what_a_reader_answered_gives_disambig_f1(long, now):
    question = Question.objects.get(project=long)
    system = made.make_system(long, "T5", options={"passages": "3"})
    output = made.make_output(system, question, "It opened in 1843.")
    asked = questions_of(question)
    ReaderAnswers.objects.create(
        output=output,
        reader="squad 1",
        answers=["1843", ""],
        digest=digest_of(output.text, asked),
        read_at=now,
    )
    found = panels(long, now)
    labels = [column.key for column in found["asqa-table-3"].columns]
    row = dict(zip(labels, found["asqa-table-3"].rows[-1], strict=True))
    assert row["qa_f1"].value == pytest.approx(0.5)
    assert row["dr"].value == pytest.approx((0.5 * row["rouge_l"].value) ** 0.5)
    [reader] = found["asqa-figure-3"].rows
    assert (reader[0], reader[3], reader[4].value) == ("T5", 3, pytest.approx(0.5))


def test_a_question_that_was_excluded_is_in_no_table(short, now):
    Question.objects.filter(project=short, external_id="a").update(state="excluded")
    [_, row, _] = panels(short, now)["ambigqa-table-2"].rows
    assert (row[0], row[1], row[2].value) == ("dev", 1, 0)


def test_known_answers_and_who_matches_them(now):
    project = factories.make_project()
    first = factories.make_question(project, known_answers=["1843", "in 1843"])
    factories.make_question(project, known_answers=["1869"], split="train")
    factories.make_question(project)
    system = made.make_system(project, "BM25")
    made.make_output(system, first, details={"answers": ["In 1843", "1843"]})
    found = panels(project, now)
    assert [row[:2] for row in found["ambigqa-references"].rows] == [["train", 1], ["dev", 1]]
    [row] = found["ambigqa-table-8"].rows
    assert [*row[:3], row[3].value, row[4].value] == ["BM25", "dev", 1, 1, 0]
    assert panels(project, now, split="train")["ambigqa-table-8"].rows == []


def test_studies_of_the_chosen_split(now):
    project = helpers.make_project()
    for split in ("dev", "test"):
        figures = {
            "counts": {"judgments": 2},
            "systems": ["T5"],
            "acc": {"T5": {"value": 50, "low": 40, "high": 60, "n": 2}},
            "criteria": [],
            "correlations": {"rows": [], "warning": ""},
        }
        study = made.make_study(project, split=split, title=f"Of {split}")
        make_results(study, figures, now)
    made.make_study(project, title="Without results")
    other = made.make_study(helpers.make_project(), title="Elsewhere")
    make_results(other, figures, now)
    titles = [row[0] for row in panels(project, now)["asqa-table-4"].rows]
    assert titles == ["Of dev", "Of test"]
    [row] = panels(project, now, split="test")["asqa-table-4"].rows
    assert row[0] == "Of test"


def test_statements_do_not_grow_with_questions(short, now):
    def statements():
        with CaptureQueriesContext(connection) as captured:
            panels(short, now)
        return len(captured)

    before = statements()
    bring(short, [record(f"x{n}", SEVERAL) for n in range(40)], "ambignq", "dev", now)
    assert statements() == before


def test_the_row_of_people_is_of_human_references_that_were_read(db, now):
    """S46: what a reader answered to them, not to systems and not to other texts."""
    project = helpers.make_project()
    bring(project, {"dev": LONG}, "asqa", None, now)
    [question] = project.questions.all()
    texts = [row["long_answer"] for row in LONG["q1"]["annotations"]]
    for kind, text in (("human", texts[0]), ("human", texts[1]), ("model", texts[1])):
        output = made.make_output(made.make_system(project, kind=kind), question, text)
        if output.system.kind == "model" or text == texts[0]:
            ReaderAnswers.objects.create(
                **{"output": output, "reader": "squad 1", "answers": ["1843", ""], "read_at": now},
                digest=digest_of(text, questions_of(question)),
            )
    assert systems.read_people(project, "dev") == {"q1": {texts[0]: 0.5}}
    assert systems.read_people(project, "test") == {}
    panel = panels(project, now)["asqa-table-3"]
    place = [column.key for column in panel.columns].index("qa_f1")
    [people] = [row for row in panel.rows if row[0] == systems.PEOPLE]
    assert people[place].value == 0.5
    assert people[place + 1].value == pytest.approx((0.5 * people[4].value) ** 0.5)


# --- pages and searches ---------------------------------------------------------------------------


def visit(turn, page, via="search"):
    factories.make_visit(turn, via=via, shown_page=page)


def search(turn, query, now, offset=0):
    data = {"query": query, "offset": offset, "total": 0, "results": []}
    Event.objects.create(assignment=turn, kind="search", at=now, data=data)


def test_what_everyone_did_for_a_question_counts_together(ann_and_ben, now):
    project, one, other = ann_and_ben
    tunnel = factories.make_shown(project.snapshot)
    line = factories.make_shown(project.snapshot, title="East London line")
    visit(one, tunnel)
    visit(one, line, via="link")
    visit(other, tunnel, via="title")
    search(one, "thames tunnel", now)
    search(one, "thames tunnel", now, offset=10)
    search(other, " Thames Tunnel ", now)
    search(other, "tunnel trains", now)
    assert list_efforts(project) == [Effort("dev", from_search=1, pages=2, queries=2)]
    assert list_efforts(project, "train") == []


def test_work_left_out_does_not_count(ann_and_ben, now):
    project, one, other = ann_and_ben
    search(one, "thames tunnel", now)
    search(other, "trains", now)
    other.used = False
    other.save()
    assert list_efforts(project) == [Effort("dev", 0, 0, 1)]
    one.used = False
    one.save()
    assert list_efforts(project) == []


@pytest.fixture
def ann_and_ben(db):
    project = factories.make_project()
    task = factories.make_task(project, seats=2)
    people = (factories.make_member(project, "annotator") for _ in range(2))
    return project, *(factories.make_assignment(task, user, "submitted") for user in people)


def test_finished_work_says_itself_what_was_read(now):
    project = factories.make_project()
    result = [{"title": "Thames Tunnel", "snippet": "a tunnel"}]
    fields = {
        "viewed_doc_titles": ["Thames Tunnel", "Thames Tunnel", "River Thames"],
        "used_queries": [
            {"query": "tunnel", "results": result},
            {"query": "Tunnel ", "results": []},
            {"query": "trains", "results": []},
        ],
        "nq_answer": ["1843"],
        "nq_doc_title": "Thames Tunnel",
    }
    bring(project, [record("a", SINGLE, **fields), record("b", SINGLE)], "ambignq", "dev", now)
    assert list_efforts(project) == [Effort("dev", from_search=2, pages=None, queries=2)]
    # The same file imported to be answered anew says nothing about the people here.
    Question.objects.filter(project=project).update(state="generating")
    assert list_efforts(project) == []
