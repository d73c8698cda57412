"""A quote in a table keeps what names its cell."""

import pytest

from wikipedia.articles.cells import Headers
from wikipedia.quotes.locating import describe_place, locate_selection

WORLD_CUPS = """
<table class="wikitable"><caption>World Cups</caption>
<tr><th rowspan="2">Year</th><th colspan="2">Final</th><th rowspan="2" scope="col">Third</th></tr>
<tr><th>Winner<sup class="reference"><a href="#cite_note-1">[1]</a></sup></th><th>Score</th></tr>
<tr><th colspan="4">Before the war</th></tr>
<tr><th scope="row">1930</th><td>Uruguay</td><td>4–2</td><td>United States</td></tr>
<tr><th scope="row" rowspan="2">1934</th><td>Italy</td><td>2–1</td><td>Germany</td></tr>
<tr><td>(extra time)</td><td>1–1 after 90</td><td>Naples</td></tr>
<tr><th colspan="4">After the war</th></tr>
<tr><th scope="row">1950</th><td>Uruguay again</td><td colspan="2">no final</td></tr>
</table>
"""
INFOBOX = """
<table class="infobox"><tr><th colspan="2">Thames Tunnel</th></tr>
<tr><td colspan="2">Two arches</td></tr>
<tr><th>Opened</th><td>25 March 1843</td></tr>
<tr><th colspan="2">Technical</th></tr>
<tr><th>Length</th><td>396 m</td></tr>
<tr><th colspan="2">Services</th></tr>
<tr><th>Trains</th><td><table><tr><th>From</th><td>1869</td></tr></table></td></tr>
</table>
"""


def headers(show, html, words):
    article = show(html)
    at = locate_selection(article, words)
    return describe_place(article, at.start, at.end).headers


@pytest.mark.parametrize(
    ("words", "row", "column"),
    [
        ("4–2", ["1930"], ["Final", "Score", "Before the war"]),
        ("Uruguay", ["1930"], ["Final", "Winner", "Before the war"]),
        ("United States", ["1930"], ["Third", "Before the war"]),
        ("(extra time)", ["1934"], ["Final", "Winner", "Before the war"]),
        ("Naples", ["1934"], ["Third", "Before the war"]),
        # One header hides another of the same width, once data lies between.
        ("Uruguay again", ["1950"], ["Final", "Winner", "After the war"]),
        ("no final", ["1950"], ["Final", "Third", "Score", "After the war"]),
        ("1934", [], ["Year", "Before the war"]),
        ("Winner", [], ["Final"]),
    ],
)
def test_rows_and_columns_with_spans(show, words, row, column):
    assert headers(show, WORLD_CUPS, words) == Headers("World Cups", tuple(row), tuple(column))


@pytest.mark.parametrize(
    ("words", "row", "column"),
    [
        ("25 March 1843", ["Opened"], ["Thames Tunnel"]),
        ("396 m", ["Length"], ["Technical"]),
        ("1869", ["Trains", "From"], ["Services"]),
    ],
)
def test_an_infobox_gives_its_label(show, words, row, column):
    found = headers(show, INFOBOX, words)
    assert (list(found.row), list(found.column)) == (row, column)


def test_words_outside_of_tables_have_none(show):
    found = headers(show, "<p>Opened in 1843.</p>" + INFOBOX, "Opened in 1843")
    assert not found
    assert found.as_json() == {}


def test_a_table_without_headers_keeps_its_caption(show):
    html = "<table><caption>Years</caption><tr><td>1869</td><td>1843</td></tr></table>"
    assert headers(show, html, "1843") == Headers("Years")


def test_spans_do_not_cross_groups_of_rows(show):
    html = (
        "<table><tbody><tr><th rowspan=9 scope=row>Old</th><td>a1</td></tr></tbody>"
        "<tbody><tr><td>b2</td><td>c3</td></tr></tbody></table>"
    )
    assert headers(show, html, "a1").row == ("Old",)
    assert headers(show, html, "c3").row == ()


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td colspan=1000 rowspan=1000>wide</td></tr></table>",
        "<table>" + "<tr><td colspan=1000>x</td><td>wide</td></tr>" * 300 + "</table>",
        "<table><tr><th></th><td>wide</td></tr></table>",
        "<table><tr></tr><tr><td>wide</td></tr></table>",
        "<table><tr><td>" * 40 + "wide",
    ],
)
def test_tables_of_any_kind_are_read(show, html):
    assert not headers(show, html, "wide").row


def test_long_headers_are_cut_and_many_are_limited(show):
    rows = "".join(f"<tr><th colspan=2>h{n}</th></tr>" for n in range(20))
    html = f"<table>{rows}<tr><th scope=row>{'long ' * 100}</th><td>value</td></tr></table>"
    found = headers(show, html, "value")
    assert len(found.row[0]) == 200
    assert found.column == tuple(f"h{n}" for n in range(12, 20))
