"""Scores of systems by what questions are answered by: types, figures, and the panel."""

import json

import pytest
from django.core.management import call_command

from annotation.figures.filters import Filters
from annotation.figures.panel import panel_to_json
from annotation.figures.registry import Request, find_report
from evaluation.scores.registry import scoring_of
from metrics import nq
from metrics.nq import NqAnnotation, NqSpan
from natural_questions.answer_types import TYPES, find_types
from natural_questions.scores import AnnotationScorer, read_gold_annotations
from tests import factories
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in
from tests.natural_questions.test_scores import bring, record

LONG, WORDS = NqSpan(18, 114, 4, 27), NqSpan(20, 24, 5, 6)
NONE, ALONE = NqAnnotation(None, ()), NqAnnotation(LONG, ())
SHORT, YES = NqAnnotation(LONG, (WORDS,)), NqAnnotation(LONG, (), "yes")


@pytest.mark.parametrize(
    ("annotations", "boxes", "types"),
    [
        ([NONE, NONE, NONE], "", {"none"}),
        ([ALONE, NONE, NONE], "p", {"none"}),
        ([ALONE, SHORT, NONE], "pp", {"long_only", "paragraph", "answered_long"}),
        ([SHORT, SHORT, YES], "ltl", {"spans", "list", "answered_long", "answered_short"}),
        ([YES, YES, SHORT], "rtp", {"yes_no", "table", "answered_long", "answered_short"}),
        ([YES, SHORT, NONE], "oo", {"spans", "answered_long", "answered_short"}),
        ([ALONE, ALONE], "ip", {"long_only", "list", "answered_long"}),
    ],
)
def test_most_of_those_who_answered_say_of_which_type_a_question_is(annotations, boxes, types):
    assert find_types(annotations, boxes) == types


def annotated(number, *answers):
    """A question with these annotations: (candidate, words, yes_no)."""
    made = samples.original(number, f"question {number} about pump lane")
    made["annotations"] = [
        samples.answer(made, 7000 + place, *answer) for place, answer in enumerate(answers)
    ]
    return made


PARAGRAPH, ROW, ITEM = 0, 3, 6
RECORDS = [
    *(annotated(n, (PARAGRAPH, ["1902"]), (PARAGRAPH, ["1902"]), ()) for n in range(41, 46)),
    *(annotated(n, (PARAGRAPH,), (PARAGRAPH,)) for n in range(46, 49)),
    *(annotated(n, (ROW, ["seven"]), (ROW, ["seven"]), ()) for n in range(49, 52)),
    *(annotated(n, (ITEM, (), "YES"), (ITEM, (), "YES")) for n in range(52, 54)),
    *(annotated(n, (), ()) for n in range(54, 56)),
]
GIVEN = [
    *(record(n, PARAGRAPH, ["1902"]) for n in (41, 42, 46, 54)),
    *(record(n, ROW, ["seven"]) for n in (43, 49, 50)),
    record(44, PARAGRAPH, ["1931"]),
    record(52, ITEM, (), "YES"),
]


@pytest.fixture
def project(db):
    project = factories.make_project(protocol="nq")
    bring_in(project, *RECORDS, finished=True)
    bring(project, {"predictions": GIVEN})
    return project


def scored(project, capsys):
    capsys.readouterr()
    call_command("system_scores", project.slug, split="dev", json=True)
    [row] = json.loads(capsys.readouterr().out)
    return row["figures"]


def test_each_type_has_the_figures_of_the_scorer_on_its_questions(project, capsys):
    figures = scored(project, capsys)
    questions = project.questions.in_bulk()
    scorer = AnnotationScorer(project, "dev", questions)
    golds = {row.external_id: found for row, found in read_gold_annotations(project, "dev")}
    [system] = project.systems.all()
    given = {
        row.question.external_id: nq.Prediction(
            row.details["spans"]["long"] and NqSpan(*row.details["spans"]["long"]),
            tuple(NqSpan(*span) for span in row.details["spans"]["short"]),
            row.details["spans"]["yes_no"],
        )
        for row in system.outputs.select_related("question")
    }
    seen = set()
    for name in TYPES:
        for answer in ("long", "short"):
            stored = f"{name}_{answer}" if name == "answered" else name
            chosen = {key: golds[key] for key, found in scorer.types.items() if stored in found}
            if not chosen:
                continue
            official = nq.score_predictions(chosen, given)
            for figure in official.figures:
                # Without scores every answer counts, whatever is best on the questions of a type.
                group, measure = figure.name.split(".")
                mine = figures.get(f"{answer}_{name}.{measure}")
                if group == f"{answer}_all" and mine:
                    assert mine["value"] == pytest.approx(100 * official.value(figure))
                    assert mine["n"] == len(chosen)
                    seen.add((name, answer))
    assert len(seen) == 16
    kinds = scoring_of(project).kinds
    assert {name for name, kind in kinds.items() if kind.among} <= figures.keys()


def test_short_answers_are_scored_where_the_long_one_is_right(project, capsys):
    figures = scored(project, capsys)
    # Right long answers with a short one in the gold: 41, 42, 44, 49, 50 and 52.
    assert figures["short_given_long.recall"]["n"] == 6
    assert figures["short_given_long.recall"]["value"] == pytest.approx(100 * 5 / 6)
    assert "long_given_long.f1" not in figures
    assert "|questions:given-long|" in figures["short_given_long.f1"]["signature"]


def test_questions_without_an_answer_have_an_accuracy_alone(project, capsys):
    figures = scored(project, capsys)
    assert figures["long_none.accuracy"]["value"] == 50
    assert "long_none.f1" not in figures
    assert "short_long_only.f1" not in figures
    assert figures["short_long_only.accuracy"]["value"] == pytest.approx(100 * 2 / 3)


def test_the_panel_has_a_row_for_each_type_and_the_leaderboard_none(project):
    asked = Request(project, Filters(split="dev"), None)
    entries = find_report(project, "tables").entries(project)
    [entry] = [entry for entry in entries if entry.key == "nq-answers"]
    panel = entry.panel(asked)
    rows = {row[0]: dict(zip(keys(panel), row, strict=True)) for row in panel.rows}
    assert list(rows) == [label.capitalize() for label, _ in TYPES.values()]
    assert (rows["No answer"]["questions"], rows["No answer"]["long_f1"]) == (2, None)
    assert rows["In a list"]["long_recall"].value == 50
    assert (panel.n, panel.rows[0][1].text) == (15, "reader")
    [board, tests, _] = find_report(project, "systems").entries(project)
    assert not any("paragraph" in name for name in keys(board.panel(asked)))
    assert not any("paragraph" in row[0] for row in tests.panel(asked).rows)


def keys(panel):
    return [column.key for column in panel.columns]


def test_what_is_not_needed_at_once_is_behind_a_press(project):
    [board, *_] = find_report(project, "systems").entries(project)
    columns = panel_to_json(board.panel(Request(project, Filters(split="dev"), None)))["columns"]
    in_sight = [column["key"] for column in columns if "part" not in column]
    assert in_sight == [
        *("system", "split", "answers"),
        *("long.f1", "long.precision", "long.recall"),
        *("short.f1", "short.precision", "short.recall"),
    ]
    assert {column["part"] for column in columns if "part" in column} == {
        "Accuracy",
        "Every answer, whatever its score",
    }
