"""Pictures of large panels, and where they stand on the page."""

import re

import pytest
from django.utils import timezone

from annotation.figures import charts, layouts, pictures
from annotation.figures.filters import Filters
from annotation.figures.panel import Chart, Column, Panel, Person, Value, panel_to_json
from annotation.figures.panel_page import describe_panel, pair_half_panels
from annotation.figures.people_links import PeopleLinks
from annotation.figures.queries import shorten_panel
from annotation.figures.registry import Request
from tests import factories
from tests.evaluation.reports import samples


def drawn(panel):
    stored = panel_to_json(panel) | {"key": "k", "title": "Pairs", "ignored": []}
    both = {
        "svg": pictures.draw_svg(stored),
        "narrow_svg": pictures.draw_svg(stored, narrow=True),
    }
    return shorten_panel(stored) | both


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
    assert describe_panel(panel, PeopleLinks()).narrow is narrow


def test_a_heatmap_takes_its_shades_from_squares_with_many_questions():
    columns = (Column("one", "One"), Column("other", "Other"), Column("f1", "F1", "score"))
    values = {("A", "B"): (0.6, 20), ("A", "C"): (0.7, 20), ("B", "C"): (0.0, 9)}
    rows = [(*names, Value(*value)) for names, value in values.items()]
    chart = Chart("heatmap", x="one", y="other", value="f1")
    svg = drawn(Panel(columns, rows, 20, "F1.", chart=chart))["svg"]

    # The lightest and the darkest; the square of few has none. From 0 on, 0.6 would be the darkest.
    assert [svg.count(f'fill="{colour}"') for colour in charts.HEAT] == [1, 0, 0, 0, 1]


def weeks(columns=7):
    """A picture whose table is too wide to be beside it."""
    names = (Column("week", "Week"), *(Column(f"f{n}", "F1", "score") for n in range(columns)))
    rows = [(name, *[0.5] * columns) for name in ("W40", "W41")]
    return Panel(names, rows, 2, "Weeks.", chart=Chart("lines", x="week", y="f0"))


def bars(rows=2, columns=1):
    names = (Column("name", "Name"), *(Column(f"s{n}", "Share", "share") for n in range(columns)))
    rows = [(f"Name {n}", *[0.5] * columns) for n in range(rows)]
    return Panel(names, rows, 9, "Shares.", chart=Chart("bars", "name", "s0"))


@pytest.mark.parametrize(
    ("panels", "half"),
    [
        ([weeks(), weeks(), weeks()], [True, True, False]),
        ([bars(), weeks(), bars()], [False, True, True]),
        ([weeks(), bars(1)], [False, False]),
        ([bars(), bars()], [False, False]),
        ([bars(columns=7), weeks()], [False, False]),
    ],
)
def test_pictures_that_would_leave_half_the_page_empty_share_it(panels, half):
    shown = pair_half_panels([describe_panel(drawn(panel), PeopleLinks()) for panel in panels])

    assert [panel.half for panel in shown] == half


def test_a_single_bar_is_not_drawn():
    assert drawn(bars(1))["svg"] == ""
    assert "<svg" in drawn(bars(2))["svg"]


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
        panel = panel_to_json(
            Panel(columns, [(name, 0.5) for name in names], 2, "Weeks.", chart=chart)
        )
        return pictures.draw_svg({"key": "weeks", **panel})

    assert drawn(weeks[:1]) == ""
    assert ">28 Sep<" in drawn(weeks)
    assert ">2026-W40<" in drawn(["2026-W40", "2026-W41"])


PHONE = 340  # pixels of a card's inside where the page has 390


@pytest.mark.parametrize("key", ["shares", "groups", "weeks", "scatter", "words"])
def test_a_picture_for_phones_fits_them_with_letters_of_their_size(db, key):
    request = Request(factories.make_project(), Filters(), timezone.now())
    panel = drawn(getattr(samples, key)(request))
    [width] = re.findall(r'<svg[^>]* width="(\d+)"', panel["narrow_svg"])
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)px"', panel["narrow_svg"])]

    assert int(width) <= PHONE
    assert sizes
    assert min(sizes) * min(1, PHONE / int(width)) >= 11


def test_names_are_whole_in_as_many_lines_as_they_need():
    name = "Changed by an edit of a validator who disagreed with both of the annotators"
    columns = (Column("name", "Of"), Column("share", "Share", "share"))
    rows = [(name, Value(0.5, 20)), ("None", Value(0.2, 20))]
    panel = drawn(Panel(columns, rows, 9, "Shares.", chart=Chart("bars", "name", "share")))

    for svg in (panel["svg"], panel["narrow_svg"]):
        words = " ".join(re.findall(r">([^<]+)</t", svg))
        assert "…" not in svg
        assert name in words


def test_a_tree_stands_in_rows_on_phones():
    rows = [
        {"box": "Good", "of": ""},
        {"box": "Long", "of": "Good"},
        {"box": "Short", "of": "Long"},
    ]
    assert layouts.place_boxes_in_rows(rows, "box", "of") == {
        "Good": (0, 0),
        "Long": (26, 56),
        "Short": (52, 112),
    }
    [down, right] = layouts.link_below((0, 0), (26, 56))
    assert (down["x"], down["y"], down["y2"]) == (13, 46, 79)
    assert (right["x"], right["x2"], right["y"]) == (13, 26, 79)
