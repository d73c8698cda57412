"""Tables of an article as rows and columns, and what no hostile page can make of them."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.wikipedia.articles.tables import show_article
from wikipedia.articles import tables
from wikipedia.articles.tables import CellLink, list_tables

BRIDGES = """
<table class="infobox"><tr><th>Bridges</th><td>12</td></tr></table>
<table class="wikitable"><caption>Bridges<sup class="reference">[1]</sup></caption>
<tr><th rowspan="2">Bridge</th><th colspan="2">Years</th><th></th></tr>
<tr><th>Begun</th><th>Opened</th><th></th></tr>
<tr><th colspan="4">Upper river</th></tr>
<tr><th scope="row"><a href="Old_Bridge#Arch">Old Bridge</a> (stone)</th><td rowspan="2">1209</td>
<td>1211<br>1450</td><td><a href="https://example.org/">elsewhere</a></td></tr>
<tr><th scope="row">New Bridge</th><td colspan="2"></td></tr>
<tr><td colspan="4">Lower river</td></tr>
<tr><th>Bridge</th><th>Begun</th><th>Opened</th><th></th></tr>
<tr><th scope="row">Ford</th><td></td><td></td><td></td></tr>
</table>
"""


def read_tables(html):
    return list(list_tables(show_article(html)))


def test_a_table_has_headers_rows_links_and_places():
    (table,) = read_tables(BRIDGES)
    assert (table.number, table.caption, table.head) == (1, "Bridges", 3)
    assert table.headers == ("Bridge", "Years Begun", "Years Opened", "")
    rows = [[cell and cell.text for cell in row] for row in table.data_rows]
    assert rows == [
        ["Old Bridge (stone)", "1209", "1211 1450", "elsewhere"],
        ["New Bridge", "1209", "", ""],
        ["Ford", "", "", ""],
    ]
    old = table.find_cell(3, 0)
    assert old.links == (CellLink("Old_Bridge", "Old Bridge"),)
    assert (old.is_header, old.row, old.column) == (True, 3, 0)
    assert table.find_cell(3, 2).lines == 2
    assert table.find_cell(3, 3).links == ()  # it leads out of the wiki
    assert table.find_cell(4, 1) is table.find_cell(3, 1)
    assert (table.find_cell(3, 1).row, table.find_cell(3, 1).rows) == (3, 2)
    assert table.find_cell(99, 0) is table.find_cell(0, -1) is None


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>no</td><td>headers</td></tr></table>",
        "<table class=infobox><tr><th>Length</th></tr><tr><td>12 m</td></tr></table>",
        "<table class=infobox><tr><td><table><tr><th>a</th><td>b</td></tr></table></table>",
        "<table><tr><th>only</th><th>headers</th></tr></table>",
        "<table></table><table><tr></tr></table><table><caption>none</caption></table>",
    ],
)
def test_what_holds_no_list_is_left_out(html):
    assert read_tables(html) == []


def test_of_nested_tables_the_inner_one_is_read():
    inner = "<table><tr><th>Name</th></tr><tr><td>Ann</td></tr></table>"
    found = read_tables(f"<table><tr><th>Layout</th></tr><tr><td>{inner}</td></tr></table>")
    assert [(table.number, table.headers) for table in found] == [(1, ("Name",))]


SPANS = st.integers(1, 4)
CELLS = st.lists(st.tuples(SPANS, SPANS), max_size=5)
GROUPS = st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=3)


def fill_slots(groups):
    """Return which cell is in each slot, found cell by cell in a matrix, as HTML says it."""
    slots, height, number = {}, 0, 0
    for rows in groups:
        for y, row in enumerate(rows):
            for width, tall in row:
                x = next(x for x in range(1_000) if (x, height + y) not in slots)
                for down in range(min(tall, len(rows) - y)):
                    for across in range(width):
                        slots.setdefault((x + across, height + y + down), number)
                number += 1
        height += len(rows)
    return slots


@settings(max_examples=150, deadline=None)
@given(GROUPS)
def test_spans_fill_the_slots_that_html_says(groups):
    number = iter(range(1_000))
    bodies = "".join(
        "<tbody>"
        + "".join(
            "<tr>"
            + "".join(
                f"<td colspan={width} rowspan={tall}>c{next(number)}</td>" for width, tall in row
            )
            + "</tr>"
            for row in rows
        )
        + "</tbody>"
        for rows in groups
    )
    head = "<thead><tr><th>h</th></tr></thead>"
    found = read_tables(f"<table>{head}{bodies}</table>")
    expected = {slot: f"c{cell}" for slot, cell in fill_slots(groups).items()}
    if not expected:
        assert found == []
        return
    # Rows that one cell fills are no rows of data, and are in `rows` all the same.
    rows = found[0].rows[1:] if found else ()
    if found:
        assert {
            (x, y): cell.text for y, row in enumerate(rows) for x, cell in enumerate(row) if cell
        } == expected
    else:
        assert all(len({expected.get((x, y)) for x in range(5)} - {None}) <= 1 for y in range(15))


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><th>h</th></tr>" + "<tr><td colspan=1000 rowspan=1000>x</td></tr>" * 900,
        "<table><tr><th>h</th></tr>" + "<tr><td colspan=99999999999 rowspan=-4>x</td></tr>" * 300,
        ("<table><tr><th>h</th></tr>" + "<tr><td colspan=1000>x" * 30 + "</table>") * 400,
        "<table><tr><th>h</th></tr><tr><td>x</td></tr></table>" * 5_000,
        "<table><tr><th>h<tr><td>" * 300 + "x",
        "<table><tr><th>h</th></tr><tr><td><script>alert(1)</script><a href='javascript:x'>y</a>",
    ],
)
def test_a_hostile_page_is_read_in_bounds(html):
    article = show_article(html)
    started = time.process_time()
    found = list(list_tables(article))
    slots = sum(len(table.rows) * len(table.rows[0]) for table in found)
    assert len(found) <= tables.MOST_TABLES
    assert slots <= 2 * tables.MOST_SLOTS
    assert all(not cell.links for table in found for row in table.rows for cell in row if cell)
    assert time.process_time() - started < 20
