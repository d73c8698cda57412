"""Columns of a panel that pages show in tables of their own."""

from annotation.figures.panel import Column, Panel, Value, panel_to_json
from annotation.figures.panel_page import describe_panel
from annotation.figures.people_links import PeopleLinks
from annotation.figures.queries import shorten_panel


def stored(*columns):
    row = ["reader", "dev", 7, Value(50.0, 12, 40.0, 60.0), Value(25.0, 12), Value(75.0, 12)]
    panel = panel_to_json(Panel(columns=columns, rows=[row], n=12, definition="What it means."))
    return panel | {"key": "board", "title": "Leaderboard", "ignored": []}


COLUMNS = (
    Column("system", "System"),
    Column("split", "Split"),
    Column("answers", "Answers", "count"),
    Column("f1", "F1", "percent"),
    Column("accuracy", "Accuracy", "percent", "Accuracy"),
    Column("f1_all", "F1, all", "percent", "Whatever the score"),
)


def describe(panel):
    return describe_panel(shorten_panel(panel) | {"svg": "", "narrow_svg": ""}, PeopleLinks())


def test_each_part_is_a_table_that_says_what_a_row_is():
    page = describe(stored(*COLUMNS))
    assert [column.key for column in page.table.columns] == ["system", "split", "answers", "f1"]
    parts = {part.title: [column.key for column in part.columns] for part in page.parts}
    assert parts == {
        "Accuracy": ["system", "split", "accuracy"],
        "Whatever the score": ["system", "split", "f1_all"],
    }
    assert [cell.text for cell in page.parts[1].rows[0]] == ["reader", "dev", "75.0 %"]
    assert (page.spread, page.intervals) == ("f1", True)


def test_a_panel_without_parts_is_one_table_and_stored_as_before():
    plain = stored(*(Column(column.key, column.label, column.unit) for column in COLUMNS))
    assert describe(plain).parts == []
    assert all(column.keys() == {"key", "label", "unit"} for column in plain["columns"])
    named = [column for column in stored(*COLUMNS)["columns"] if "part" in column]
    assert [column["part"] for column in named] == ["Accuracy", "Whatever the score"]
