"""Which column of a table names its things, what the others say, and how that is asked."""

import pytest

from qampari.making.evidence import ReadPage
from qampari.making.table_evidence import find_title_window, find_value_window
from qampari.making.table_lists import is_number, read_list
from qampari.making.table_wording import (
    list_content_stems,
    read_list_title,
    write_list_question,
    write_value_question,
)
from tests.qampari.making.rivers import link, row, table
from tests.wikipedia.articles.tables import show_article

NAMES = [f"Thing {letter}" for letter in "ABCDEFGH"]
LINKS = [link(name) for name in NAMES]


def read(html, title="List of locks on the Elm", least=5):
    """Return the list of a page, and why its tables are none."""
    reasons = []
    page = read_page(html, title)
    found = read_list(page, read_list_title(title), least, lambda reason, _: reasons.append(reason))
    return found, reasons


def read_page(html, title="A page"):
    return ReadPage(show_article(html, title), title.replace(" ", "_"), 7, "https://wiki/")


def rows_of(*columns):
    return [row(*cells) for cells in zip(*columns, strict=True)]


@pytest.mark.parametrize(
    ("headers", "columns", "key"),
    [
        (["Lock"], [LINKS], 0),
        (["No.", "Lock"], [range(8), LINKS], 1),
        (["Rank", "Lock"], [LINKS, LINKS], 1),
        (["Year", "Lock"], [[link(f"{n} in locks", 1900 + n) for n in range(8)], LINKS], 1),
        (["Photo", "Lock"], [[link(f"Photo {n}") for n in range(8)], LINKS], 1),
        (["Owner", "Lock"], [[link("Canal Company")] * 8, LINKS], 1),
        # A header of the title's words goes before another column with as many links.
        (["Town", "Lock"], [[link(f"Town {n}") for n in range(8)], LINKS], 1),
        (["Name", "Town"], [LINKS, [link(f"Town {n}") for n in range(8)]], 0),
        # More links of its own go before fewer.
        (["Keeper", "Structure"], [["", "", *(link(f"Ann {n}") for n in range(6))], LINKS], 1),
    ],
)
def test_the_key_is_the_column_that_links_each_row(headers, columns, key):
    found, reasons = read(table(headers, rows_of(*columns)))
    assert (found.key_column, reasons) == (key, [])
    assert [each.path for each in found.rows] == [name.replace(" ", "_") for name in NAMES]


@pytest.mark.parametrize(
    ("headers", "columns", "reason"),
    [
        (["Lock", "Town"], [NAMES, ["Elmstead"] * 8], "table_without_key"),
        (["Structure", "Town"], [NAMES, LINKS], "table_without_key"),  # names without links
        (["Lock"], [[link("The same")] * 8], "table_without_key"),
        (["Lock"], [[*LINKS[:3], *NAMES[3:]]], "table_without_key"),  # too few of them
        (["Lock"], [[f"near {each}" for each in LINKS]], "table_without_key"),
        (["Lock"], [[link(f"List of {name}", name) for name in NAMES]], "table_without_key"),
        (["Lock"], [[link("List of locks on the Elm", n) for n in NAMES]], "table_without_key"),
        (["Notes"], [LINKS], "table_without_key"),
        (["#"], [LINKS], "table_without_key"),
        (["Lock"], [[link(name, n) for n, name in enumerate(NAMES)]], "table_without_key"),
        (["Lock"], [LINKS[:4]], "table_too_short"),
    ],
)  # fmt: skip
def test_a_table_without_a_key_is_no_list(headers, columns, reason):
    found, reasons = read(table(headers, rows_of(*columns)))
    assert (found, reasons) == (None, [reason])


def test_a_marked_column_of_headers_is_the_key():
    towns = [link(f"Town {n}") for n in range(8)]
    rows = [
        f"<tr><td>{town}</td><th scope='row'>{name}</th></tr>"
        for town, name in zip(towns, LINKS, strict=True)
    ]
    found, _ = read(table(["Town", "Name"], rows))
    assert found.key_column == 1


def test_parts_with_the_same_columns_are_one_list_and_the_longest_is_taken():
    parts = [table(["Lock", "Town"], rows_of(LINKS[a:b], ["x"] * 4)) for a, b in ((0, 4), (4, 8))]
    towns = table(["Town"], rows_of([link(f"Town {n}") for n in range(6)]))
    found, reasons = read(towns + "".join(parts))
    assert [each.name for each in found.rows] == NAMES
    assert [each.place.table for each in found.rows] == [1] * 4 + [2] * 4
    assert reasons == ["table_beside_the_list"]


def test_what_rows_agree_on_is_a_value():
    """Two rows of one thing agree on the town; lines, numbers, notes and long texts say nothing."""
    long = "word " * 20
    two = (
        f"<tr><td rowspan=2>{LINKS[0]}</td><td rowspan=2>Elmstead</td><td>Ann</td>"
        f"<td>1850</td><td>old</td></tr><tr><td>Bea</td><td>1900</td><td>old</td></tr>"
    )
    rest = [
        row(LINKS[1], link("Elmstead"), "Ann<br>Bea", "12 m", "old"),
        row(LINKS[2], f"{link('Elmstead')} ({link('Elmshire')})", "Cid", "?", "old"),
        row(LINKS[3], long, "–", "Unknown", "old"),
        row(LINKS[4], "The Elmstead", "n/a", "3 May 1900", "old"),
        row("Total", "", "", "9", ""),
    ]
    found, _ = read(table(["Lock", "Town", "Keeper", "Built", "Notes"], [two, *rest]))
    said = [[value and value.key for value in each.values] for each in found.rows]
    assert said == [
        [None, "/Elmstead", None, None, None],
        [None, "/Elmstead", None, None, None],
        [None, None, "cid", None, None],
        [None] * 5,
        [None, "/Elmstead", None, None, None],
    ]
    assert found.rows[0].texts[2] == "Ann Bea"
    assert found.rows[1].values[1].names == ("Elmstead",)
    first = found.rows[0].place
    assert (first.table, first.row, first.column, first.text) == (0, 1, 0, "Thing A")


@pytest.mark.parametrize(
    "text",
    ["12", "1,345 m", "25 March 1843", "c. 1209", "1971–present", "—", "$3.2 million", "5th"],
)
def test_numbers_dates_and_measures_are_no_words(text):
    assert is_number(text)
    assert not is_number(f"{text} Bridge")


@pytest.mark.parametrize(
    ("title", "question", "whole"),
    [
        ("List of bridges over the Aldwater", "What are the bridges over the Aldwater?", True),
        ("Lists of the oldest churches in Elm", "What are the oldest churches in Elm?", True),
        ("List of mayors of Elmstead", "Who are the mayors of Elmstead?", True),
        ("List of Elmish physicists", "Who are the Elmish physicists?", True),
        ("List of people from Elmstead", "Who are the people from Elmstead?", True),
        ("List of women in Elmish law", "Who are the women in Elmish law?", True),
        ("List of ships built at Elm", "What are the ships built at Elm?", True),
        ("List of aircraft of Elm (A–M)", "What are the aircraft of Elm (A–M)?", True),
        ("List of music considered bad", "What is on the list of music considered bad?", False),
        ("List of Elm Park", "What is on the list of Elm Park?", False),
    ],
)
def test_a_title_is_asked_for(title, question, whole):
    asked = write_list_question(read_list_title(title))
    assert (asked.text, asked.needs_paraphrase) == (question, not whole)


@pytest.mark.parametrize(
    "title", ["Bridges", "List of", "List of ", "A list of bridges", "Listing"]
)
def test_other_titles_are_of_no_list(title):
    assert read_list_title(title) is None


@pytest.mark.parametrize(
    ("header", "value", "end", "whole"),
    [
        ("Architect", "Rosa Reed", "whose architect is Rosa Reed?", True),
        ("UK label", "Elm Records", "whose UK label is Elm Records?", True),
        ("Place (town)", "Elm", "whose place is Elm?", True),
        ("Country of origin", "Elmland", "whose country of origin is Elmland?", True),
        ("Status", "open", "whose status is open?", True),
        ("Opened", "in May", "for which “Opened” is “in May”?", False),
        ("Crosses", "River Elm", "for which “Crosses” is “River Elm”?", False),
        ("Built by", "Ann Ash", "for which “Built by” is “Ann Ash”?", False),
        ("Use / role", "road", "for which “Use / role” is “road”?", False),
    ],
)
def test_a_value_is_asked_for_by_the_name_of_its_column(header, value, end, whole):
    asked = write_value_question(read_list_title("List of locks on the Elm"), header, value)
    assert asked.text == f"What are the locks on the Elm {end}"
    assert asked.needs_paraphrase is not whole


def show_words(text, phrase="bridges over the Aldwater"):
    window = find_title_window(read_page(f"<p>{text}</p>"), phrase)
    return window.text if window else None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Old. Ash is a bridge on the Aldwater. Long.", "Old. Ash is a bridge on the Aldwater."),
        ("A bridge of stone. It spans the Aldwater.", "A bridge of stone. It spans the Aldwater."),
        ("A bridge. One. Two. Three on the Aldwater.", None),  # too far apart
        ("It is no bridge, and not on the Aldwater.", None),
        ("The Aldwater is a river.", None),
        ("The bridge over the Oldwater.", None),
    ],
)  # fmt: skip
def test_a_sentence_or_three_have_all_words_of_a_title(text, shown):
    assert show_words(text) == shown


def test_words_of_tables_and_boxes_show_nothing():
    page = read_page(table(["Bridge"], rows_of(["A bridge over the Aldwater."])))
    assert find_title_window(page, "bridges over the Aldwater") is None


def test_a_value_is_shown_by_the_same_sentence_or_by_the_first_with_its_name():
    near = read_page("<p>A bridge on the Aldwater by Ann Ash.</p><p>Ann Ash was young.</p>")
    shown = find_title_window(near, "bridges over the Aldwater")
    assert find_value_window(near, ["Ann Ash"], shown) is shown
    far = read_page("<p>A bridge on the Aldwater.</p><p>Not by Ann Ash. Ann Ash built it.</p>")
    shown = find_title_window(far, "bridges over the Aldwater")
    assert find_value_window(far, ["Nobody", "Ann Ash"], shown).last_sentence == "Ann Ash built it."
    assert find_value_window(far, ["Ann Ashton"], shown) is None


def test_small_words_of_a_title_need_not_be_said():
    assert list_content_stems("bridges over the Aldwater (old)") == {"bridg", "aldwat"}
