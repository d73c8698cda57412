"""Pages made to keep a web process busy: work in proportion to the page, or a refusal."""

import datetime as dt

import pytest

from tests.growth import growth
from wikipedia.articles.reader import render_article
from wikipedia.html import markup
from wikipedia.html.extract import extract_article
from wikipedia.html.page import PageMissing, SourcePage
from wikipedia.providers.wikihtml import Site, bring_home

PIECES = {
    "equal headings": "<h2>A</h2>",
    "equal titles": "<h1>A</h1>",
    "unknown tags": "<x>a</x>",
    "links never closed": "<a>x",
    "empty elements": "<span></span>",
    "blank elements": "a<span> </span>",
    "anchors of old": "<a href='#q'></a><b id=q></b>",
    "names": "<a name=q></a>",
    "pictures that are not there": "<img>",
    "formulas": "<math></math>x",
}


def read(html):
    moment = dt.datetime(2024, 1, 2, tzinfo=dt.UTC)
    page = SourcePage("A/T", "T", html, None, None, None, None, moment, "")
    return render_article(page, page_url=lambda p: "/r/x", asset_url=lambda p: "/f/x")


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_the_reader_works_in_proportion_to_the_page(piece):
    start = "<span>" if piece.startswith("<math") else ""
    assert growth(read, lambda size: start + piece * size, 3_000) < 8


@pytest.mark.parametrize(
    "html",
    [
        "<b>x</b>" * (markup.MAX_ELEMENTS + 1),
        "<p " + " ".join(f"data-a{n}=b" for n in range(markup.MAX_ATTRIBUTES + 1)) + ">x",
        # What looks like the end of the tag is in quotation marks.
        "<p " + " ".join(f'data-a{n}=">"' for n in range(markup.MAX_ATTRIBUTES + 1)) + ">x",
    ],
    ids=["elements", "attributes", "quoted"],
)
def test_a_page_that_is_too_complicated_is_refused_with_a_sentence(html):
    with pytest.raises(PageMissing, match=r"too complicated to be shown\. Choose another page"):
        read(html)
    site = Site("W", "en", "", "https://w.test/wiki/$1", "https://w.test/w/index.php", {})
    with pytest.raises(PageMissing, match="too complicated"):
        bring_home(html, site, "A")
    assert extract_article(html, "T").text == ""  # and does not stop the build of an index


def test_no_page_has_two_headings_of_one_name():
    names = ["A B", "A_B", "A", "A", "A_2", "A", "x" * 300, "x" * 300 + "y"]
    outline = read("".join(f"<h2>{name}</h2>" for name in names)).outline
    anchors = [heading.anchor for heading in outline]
    assert len(set(anchors)) == len(names)
    assert all(anchors)
