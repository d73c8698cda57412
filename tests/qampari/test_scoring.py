"""Lists that systems gave, scored: by hand, as the papers' tables, and as the official scorer."""

import json

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.core.consistent_view import snapshot
from annotation.figures.filters import Filters
from annotation.figures.panel import Value
from annotation.figures.registry import Request
from evaluation.models import Output, System
from evaluation.reports import systems as leaderboard
from evaluation.scores.measuring import Scale, measure_systems, score_systems
from evaluation.scores.values import compare_systems
from qampari import panels, release
from qampari.scoring import FIGURES
from tests.qampari import factories

pytestmark = pytest.mark.django_db
KINDS = ("wikidata_simple", "wikidata_intersection", "wikidata_comp")
ANSWERS = ("f1", "recall", "precision", "f1_above", "recall_above")


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def project():
    return factories.make_project()


@pytest.fixture
def questions(project, now):
    """Three accepted questions of five, four and two answers, one of each kind; one in work."""
    rows = [
        factories.make_question(project, now, kind=kind, answers=factories.TITLES[:number])
        for kind, number in zip(KINDS, (5, 4, 2), strict=True)
    ]
    factories.make_question(project, now)
    for row in rows:
        row.state = "accepted"
        for answer in row.context["answer_list"]:
            answer["proof"][0]["proof_text"] = f"{answer['answer_text']} " * 5
        row.save()
    return rows


def make_system(project, now, name="Reader"):
    return System.objects.create(project=project, name=name, created_at=now)


def give(system, question, text, **details):
    return Output.objects.create(system=system, question=question, text=text, details=details)


def proofs(question, number):
    return [row["proof"][0]["proof_text"] for row in question.context["answer_list"][:number]]


@pytest.fixture
def reader(project, questions, now):
    """A system that answered two questions of three, one with a list and passages."""
    system = make_system(project, now)
    found = [*proofs(questions[0], 2), *("Nothing.",) * 23]
    given = ["Kelso town", "Leeds", "Paris"]
    give(system, questions[0], "Two towns.", answers=given, passages=found)
    give(system, questions[1], "Kelso # Leeds#Wells\nRipon")
    return system


def figures(project, system):
    [row] = score_systems(project, "dev", [system])
    return {name: (round(score.value, 6), score.n) for name, score in row.figures.items()}


def test_each_figure_is_as_counted_by_hand(project, reader):
    f1 = 200 * (2 / 3) * (2 / 5) / (2 / 3 + 2 / 5)
    assert figures(project, reader) == {
        "recall": (round(100 * (2 / 5 + 1) / 3, 6), 3),
        "precision": (round(100 * (2 / 3 + 1) / 3, 6), 3),
        "f1": (round((f1 + 100) / 3, 6), 3),
        "recall_above": (round(100 / 3, 6), 3),
        "f1_above": (round(200 / 3, 6), 3),
        "f1.simple": (round(f1, 6), 1),
        "f1.intersection": (100, 1),
        "f1.composition": (0, 1),
        # To where passages go, and of the question that has some: two towns and two proofs of five.
        **{f"{kind}.{depth}": (40, 1) for kind in ("arecall", "erecall") for depth in (10, 25)},
    }


def test_a_question_without_an_answer_counts_as_the_signature_says(project, reader):
    [row] = score_systems(project, "dev", [reader])
    assert "|questions:accepted|missing:zero|" in row.figures["f1"].signature
    assert "|at_least:0.8|" in row.figures["recall_above"].signature
    assert "|overlap:0.7|" in row.figures["erecall.25"].signature


def test_recall_goes_to_two_hundred_passages(project, reader, questions):
    found = ["Nothing."] * 150 + proofs(questions[2], 2) + ["Nothing."] * 48
    give(reader, questions[2], "Rialto", passages=found)
    measured = figures(project, reader)
    assert [measured[f"erecall.{depth}"] for depth in (10, 50, 100, 200)] == [
        *((20, 2),) * 3,
        (70, 2),
    ]


def test_two_systems_are_compared_over_every_question(project, reader, questions, now):
    other = make_system(project, now, "Other")
    give(other, questions[2], "Kelso\nLeeds")
    (_, one), (_, two) = measure_systems(project, "dev", [reader, other])
    assert compare_systems(one, two, "f1", FIGURES["f1"]).n == 3
    assert compare_systems(one, two, "f1.composition", FIGURES["f1.composition"]).difference == -100
    assert compare_systems(one, two, "arecall.10", FIGURES["arecall.10"]) is None


def test_the_tables_of_the_paper_have_the_same_figures(project, reader, now):
    [row] = score_systems(project, "dev", [reader])
    request = Request(project, Filters(), now)
    for panel, names in (
        (panels.scores_panel(request), ANSWERS),
        (panels.retrieved_panel(request), ("arecall.10", "erecall.10", "arecall.25", "erecall.25")),
    ):
        [cells] = panel.rows
        table = {
            column.key: cell
            for column, cell in zip(panel.columns, cells, strict=True)
            if isinstance(cell, Value)
        }
        assert set(table) == {name.replace(".", "_") for name in names}
        for name in names:
            value, score = table[name.replace(".", "_")], row.figures[name]
            assert 100 * value.value == pytest.approx(score.value), name
            assert value.n == score.n, name
    by_kind = panels.kinds_panel(request).rows
    assert [100 * cells[-1].value for cells in by_kind] == pytest.approx(
        [row.figures[f"f1.{kind}"].value for kind in ("simple", "intersection", "composition")]
    )
    board = leaderboard.build_leaderboard(request)
    shown = dict(zip([column.key for column in board.columns], board.rows[0], strict=True))
    assert {name: shown[name].value for name in row.figures} == pytest.approx(
        {name: score.value for name, score in row.figures.items()}
    )


def test_the_official_scorer_has_the_same_figures_on_files(
    project, reader, questions, tmp_path, capsys
):
    gold, given = tmp_path / "gold.jsonl", tmp_path / "given.jsonl"
    with snapshot():
        [rows] = release.read_question_chunks(project, "dev")
        released = [row for row in rows if not row.left_out]
        records = list(release.build_official_records(released))
    gold.write_text("".join(json.dumps(record) + "\n" for record in records))
    call_command(
        *("export_outputs", project.slug, "--system", "Reader", "--split", "dev"),
        *("--official", "--output", str(given)),
    )
    assert [json.loads(line) for line in given.read_text().splitlines()] == [
        {"qid": questions[0].external_id, "predictions": ["Kelso town", "Leeds", "Paris"]},
        {"qid": questions[1].external_id, "predictions": ["Kelso", "Leeds", "Wells", "Ripon"]},
    ]
    call_command(
        *("score", "qampari", "--references", str(gold), "--predictions", str(given)),
        *("--missing", "zero", "--json"),
    )
    official = json.loads(capsys.readouterr().out)
    [row] = score_systems(project, "dev", [reader])
    for name in ANSWERS:
        assert row.figures[name].value == pytest.approx(100 * official[name]), name
        assert row.figures[name].n == official["n"]


def test_what_is_accepted_later_is_scored_anew(project, reader, questions):
    before = figures(project, reader)
    questions[2].state = "imported"
    questions[2].save()
    after = figures(project, reader)
    assert (before["f1"][1], after["f1"][1]) == (3, 2)
    assert "f1.composition" not in after


def test_an_answer_that_says_nothing_is_none(project, questions, now):
    system = make_system(project, now)
    give(system, questions[0], "# #")
    assert figures(project, system) == {}


def test_a_split_without_accepted_answers_has_no_figures(project, now):
    system = make_system(project, now)
    give(system, factories.make_question(project, now), "Kelso", passages=["Kelso."] * 10)
    assert figures(project, system) == {}


def test_scoring_takes_as_many_queries_however_many_questions(project, reader, now):
    def count():
        with CaptureQueriesContext(connection) as queries:
            Scale(project, "dev").measure_system(reader)
        return len(queries)

    before = count()
    for _ in range(5):
        question = factories.make_question(project, now)
        question.state = "accepted"
        question.save()
        give(reader, question, "Kelso")
    assert count() == before <= 6


def test_the_tables_read_no_more_of_an_output_than_they_show(project, reader, now):
    request = Request(project, Filters(), now)
    with CaptureQueriesContext(connection) as queries:
        panels.scores_panel(request)
        panels.kinds_panel(request)
        panels.extended_panel(request)
    read = [row["sql"] for row in queries if "evaluation_output" in row["sql"]]
    assert len(read) == 1
    assert 'details" ->' in read[0].replace("'details'", '"details"')
    assert "passages" not in read[0]


def test_titles_of_passages_are_compared_with_the_pages_of_proofs(project, questions, now):
    """Q28: three passages with the words of three proofs, one of them of another page."""
    for row in questions[0].context["answer_list"]:
        row["proof"][0]["found_in_url"] = f"https://en.wikipedia.org/wiki/{row['answer_text']}"
    questions[0].save()
    titles = [row["answer_text"] for row in questions[0].context["answer_list"][:2]]
    system = make_system(project, now)
    found = [*proofs(questions[0], 3), *("Nothing.",) * 7]
    titles = [*titles, *("Another page",) * 8]
    give(system, questions[0], "Kelso", passages=found, titles=titles)
    assert figures(project, system)["erecall.10"] == (40, 1)
    assert figures(project, system)["arecall.10"] == (60, 1)
    request = Request(project, Filters(), now)
    [row] = panels.retrieved_panel(request).rows
    assert [cell.value for cell in row if isinstance(cell, Value)] == [0.6, 0.4]
    Output.objects.filter(system=system).update(details={"passages": found})
    assert figures(project, system)["erecall.10"] == (60, 1)
