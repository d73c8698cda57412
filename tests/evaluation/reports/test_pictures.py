"""Pictures of large panels, and where they stand on the page."""

import re

import pytest

from evaluation.reports import pictures
from evaluation.reports.panel import Chart, Column, Panel, Person, Value, plain
from evaluation.reports.shown import panel_shown
from evaluation.reports.stored import head_of
from evaluation.reports.who import Who


def drawn(panel):
    stored = plain(panel) | {"key": "k", "title": "Pairs", "ignored": []}
    return head_of(stored) | {"svg": pictures.svg_of(stored)}


def heatmap(people):
    columns = (Column("one", "One"), Column("other", "Other"), Column("f1", "F1", "score"))
    rows = [
        (Person(a), Person(b), Value((a + b) / people / 2, 20))
        for a in range(people)
        for b in range(people)
        if a != b
    ]
    chart = Chart("heatmap", x="one", y="other", value="f1")
    return drawn(Panel(columns, rows, 20, "F1.", chart=chart))


@pytest.mark.parametrize(("people", "numbers", "narrow"), [(5, True, True), (60, False, False)])
def test_a_large_heatmap_has_the_width_of_the_page_and_colours_alone(people, numbers, narrow):
    panel = heatmap(people)

    assert ("n 20" in panel["svg"]) is numbers
    assert panel_shown(panel, Who()).narrow is narrow


def test_bars_of_the_same_name_are_not_added_up():
    columns = (Column("name", "Name"), Column("share", "Share", "share"))
    rows = [("One clear answer", 0.6), ("One clear answer", 0.5)]
    svg = drawn(Panel(columns, rows, 9, "Shares.", chart=Chart("bars", "name", "share")))["svg"]

    # 0.5 and 0.6 on one axis: not 1.1.
    ticks = [int(number) for number in re.findall(r">([0-9]+)</text>", svg)]
    assert max(ticks) == 60


def test_a_line_needs_two_places_and_names_days_shortly():
    columns = (Column("week", "Week of"), Column("f1", "F1", "score"))
    weeks = ["2026-09-28", "2026-10-05"]

    def drawn(names):
        chart = Chart("lines", x="week", y="f1")
        panel = plain(Panel(columns, [(name, 0.5) for name in names], 2, "Weeks.", chart=chart))
        return pictures.svg_of({"key": "weeks", **panel})

    assert drawn(weeks[:1]) == ""
    assert ">28 Sep<" in drawn(weeks)
    assert ">2026-W40<" in drawn(["2026-W40", "2026-W41"])
