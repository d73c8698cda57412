import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikipedia.quotes.locating import describe_place, find_on_page, locate_selection

HTML = (
    "<h1>Test</h1><table class='infobox'><tr><th>Opened</th><td>25 March 1843</td></tr></table>"
    "<p>The tunnel opened on 25 March 1843. It closed<sup class='reference'>[3]</sup> in 1995.</p>"
    "<h2>Railway</h2><p>Trains came 😀 in 1869.</p><h3>Reopening</h3>"
    "<ul><li>It opened again in 2010.</li></ul>"
    "<table><caption>Years</caption><tr><td>1869</td></tr></table>"
)


@pytest.fixture
def article(show):
    return show(HTML)


def words(article, position):
    return article.text[position.start : position.end]


def test_the_place_is_chosen_by_its_surroundings(article):
    first = locate_selection(article, "25 March 1843")
    second = locate_selection(
        article, "25 March 1843", prefix="tunnel opened on ", suffix=". It closed"
    )
    assert describe_place(article, first.start, first.end).block_kind == "infobox"
    assert describe_place(article, second.start, second.end).block_kind == "paragraph"
    hint = article.text.rindex("25 March 1843")
    assert locate_selection(article, "25 March 1843", start=hint) == second


def test_section_kind_and_context(article):
    at = locate_selection(article, "in 2010")
    place = describe_place(article, at.start, at.end)
    assert place.section == ("Railway", "Reopening")
    assert place.anchor == "w-Reopening"
    assert place.block_kind == "list"
    assert place.exact == "in 2010"
    assert place.prefix.endswith("It opened again ")
    assert place.suffix.startswith(".")
    assert len(place.prefix) <= 32


@pytest.mark.parametrize(
    ("exact", "kind"),
    [("1869", "paragraph"), ("Years", "caption"), ("Railway", "heading"), ("Opened", "infobox")],
)
def test_kinds(article, exact, kind):
    at = locate_selection(article, exact)
    assert describe_place(article, at.start, at.end).block_kind == kind


def test_positions_are_code_points(article):
    at = locate_selection(article, "in 1869")
    assert article.text[: at.start].endswith("Trains came 😀 ")


@pytest.mark.parametrize(
    "selected",
    [
        "It closed[3] in 1995",
        "It closed\u00a0in\n1995",
        "It\u200b closed in 1995",
        "It closedin1995",
    ],
)
def test_what_browsers_change_does_not_matter(article, selected):
    assert words(article, locate_selection(article, selected)) == "It closed in 1995"


def test_a_selection_may_cross_blocks(article):
    at = locate_selection(article, "Opened\t25 March 1843\n\nThe tunnel")
    assert words(article, at) == "Opened\n25 March 1843\nThe tunnel"


@pytest.mark.parametrize("exact", ["", "  ", "not there", "\u200b", "x" * 30_000])
def test_what_is_not_there_is_not_found(article, exact):
    assert locate_selection(article, exact) is None


@pytest.mark.parametrize(
    ("pasted", "found"),
    [
        ("25 march 1843", "25 March 1843"),
        ("opened  on\n25", "opened on\n25".replace("\n", " ")),
        ("tunne", None),
        ("843", None),
        ("TRAINS CAME", "Trains came"),
        ("", None),
    ],
)
def test_pasted_text_is_found_by_whole_words(article, pasted, found):
    at = find_on_page(article.text, pasted)
    assert (words(article, at) if at else None) == found


def test_typewriter_quotes_match_typographic_ones():
    text = "She said “yes” in 1930–45."
    at = find_on_page(text, '"yes" in 1930-45')
    assert text[at.start : at.end] == "“yes” in 1930–45"


def test_describe_refuses_nonsense(article):
    for start, end in ((5, 5), (-1, 3), (0, 10**9)):
        with pytest.raises(ValueError, match="no text"):
            describe_place(article, start, end)


@given(st.data())
def test_every_piece_of_an_article_is_found_where_it_was(show_once, data):
    article = show_once
    start = data.draw(st.integers(0, len(article.text) - 1))
    end = data.draw(st.integers(start + 1, len(article.text)))
    exact = article.text[start:end]
    if not exact.strip():
        return
    at = locate_selection(
        article,
        exact,
        article.text[max(0, start - 32) : start],
        article.text[end : end + 32],
        start,
    )
    assert "".join(words(article, at).split()) == "".join(exact.split())
    assert at.start - start <= len(exact) - len(exact.lstrip())
    assert at.start >= start


@pytest.fixture(scope="module")
def show_once():
    import datetime as dt

    from wikipedia.articles.reader import render_article
    from wikipedia.html.page import SourcePage

    moment = dt.datetime(2024, 1, 2, tzinfo=dt.UTC)
    page = SourcePage("A/T.html", "Test", HTML, None, None, None, None, moment, "")
    return render_article(page, page_url=str, asset_url=str)
