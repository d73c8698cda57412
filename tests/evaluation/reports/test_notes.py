"""A figure without an interval says why wherever it is shown: page, phone, picture and files."""

import csv
import io
import json
import re

import pytest

from annotation.figures import files, pictures
from annotation.figures.cells import describe_cell
from annotation.figures.panel import (
    Chart,
    Column,
    Panel,
    Value,
    of_score,
    panel_to_json,
    share_with_interval,
)
from annotation.figures.panel_page import describe_panel
from annotation.figures.people_links import PeopleLinks
from annotation.figures.queries import shorten_panel
from annotation.figures.tiles import build_tiles
from evaluation.reports.papers.values import average_with_interval
from evaluation.results import files as tables
from metrics.intervals import ALL_SAME, TOO_FEW
from metrics.proportions import wilson_interval
from metrics.score import PERCENT, Evaluation, Figure

COLUMNS = (
    Column("name", "Name"),
    Column("share", "Share", "share"),
    Column("mean", "Mean", "mean"),
)
ROWS = [
    ("One", share_with_interval(1, 1), average_with_interval([2.0], "mean")),
    ("Three", share_with_interval(2, 3), average_with_interval([2.0, 1.0, 1.0], "mean")),
    ("Alike", share_with_interval(5, 5), average_with_interval([2.0] * 5, "mean")),
    ("Many", share_with_interval(9, 12), average_with_interval([1.0, 2.0] * 6, "mean")),
    ("Nothing", share_with_interval(0, 0), average_with_interval([], "mean")),
]
NOTES = [(TOO_FEW, TOO_FEW), (TOO_FEW, TOO_FEW), ("", ALL_SAME), ("", ""), ("", "")]


def stored(kind="bars", rows=ROWS):
    chart = Chart(kind, x="name", y="share")
    panel = panel_to_json(Panel(COLUMNS, rows, 12, "Edges.", chart=chart))
    return panel | {"key": "k", "title": "Edges", "ignored": []}


def test_a_cell_has_its_bounds_or_says_why_it_has_none():
    for row, notes in zip(ROWS, NOTES, strict=True):
        assert tuple(cell.note for cell in row[1:]) == notes
        for cell in row[1:]:
            bare = cell.value is None or bool(cell.note)
            assert (cell.low is None, cell.high is None) == (bare, bare)
    assert (ROWS[2][1].low, ROWS[2][1].high) == wilson_interval(5, 5)


def test_a_cell_with_an_interval_is_stored_as_it_was_before_there_were_notes():
    [_, share, mean] = stored()["rows"][3]
    assert list(share) == list(mean) == ["value", "n", "low", "high"]
    few = stored()["rows"][0][1]
    assert few == {"value": 1, "n": 1, "low": None, "high": None, "note": TOO_FEW}
    old = {"value": 0.5, "n": 2, "low": None, "high": None}
    assert describe_cell(COLUMNS[1], old, PeopleLinks()).interval == ""


def test_the_page_has_the_words_in_place_of_the_interval():
    page = describe_panel(shorten_panel(stored()) | {"svg": "", "narrow_svg": ""}, PeopleLinks())
    assert page.intervals
    found = [tuple(cell.interval for cell in row[1:]) for row in page.rows]
    assert found[:3] == [(TOO_FEW, TOO_FEW), (TOO_FEW, TOO_FEW), ("57 to 100 %", ALL_SAME)]
    assert all(" to " in words for words in found[3])
    assert found[4] == ("", "")


def test_a_tile_has_no_width():
    rows = [("Two agree", Value(0.5, 2, note=TOO_FEW), "F1")]
    columns = (Column("name", "Name"), Column("value", "Value", "score"), Column("is", "Is"))
    [tile] = build_tiles(panel_to_json(Panel(columns, rows, 2, "", tiles=True)))
    assert (tile.cell.interval, tile.low, tile.width) == (TOO_FEW, tile.at, 1)


def test_csv_json_and_latex_say_it():
    rows = list(csv.DictReader(io.StringIO(files.render_csv(stored(), {}).decode())))
    assert [(row["share_note"], row["mean_note"]) for row in rows] == NOTES
    assert (rows[0]["share_low"], rows[0]["share_n"]) == ("", "1")
    whole = files.panel_to_records(shorten_panel(stored()), {})
    cell = json.loads(json.dumps(whole))["rows"][1]["share"]
    assert (cell["low"], cell["high"], cell["note"]) == (None, None, TOO_FEW)
    latex = files.render_latex(stored(), {}, intervals=True).decode()
    assert rf"One & 100\,\% [{TOO_FEW}] & 2.00 [{TOO_FEW}] \\" in latex
    assert rf"& 2.00 [{ALL_SAME}] \\" in latex
    plain = files.render_latex(stored(rows=ROWS[:1]), {}).decode()
    assert TOO_FEW not in plain
    assert files.WITHOUT in plain


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("kind", ["bars", "lines"])
def test_a_picture_has_hollow_marks_and_the_words(kind, narrow):
    def draw(rows):
        return pictures.draw_svg(stored(kind, rows), narrow=narrow)

    svg, sure = draw(ROWS), draw(ROWS[2:])
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert f"Hollow: {TOO_FEW}" in texts
    assert "Hollow" not in sure
    hollow = r'stroke-dasharray="3,2"' if kind == "bars" else r'<path[^>]*fill="#ffffff"'
    assert len(re.findall(hollow, svg)) == 2
    assert not re.findall(hollow, sure)


def test_scores_and_results_of_studies_say_it():
    evaluation = Evaluation("t", ["a"], {"x": [50.0]}, [Figure("x", ("x",), scale=PERCENT)])
    score = evaluation.scores(resamples=10)["x"]
    assert of_score(score, scale=100) == Value(0.5, 1, note=TOO_FEW)
    figure = {"value": 50.0, "low": None, "high": None, "n": 1, "note": TOO_FEW}
    figures = {"signature": "s", "systems": ["A"], "acc": {"A": figure}, "criteria": []}
    assert f"A & 50.0 [{TOO_FEW}]" in tables.render_latex(figures, intervals=True)
    assert TOO_FEW not in tables.render_latex(figures)
