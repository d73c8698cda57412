"""The paragraphs of an article: what is one, what is left out, and from which page they are."""

import datetime as dt

import pytest
from django.utils import timezone

from tests import factories
from tests.wikipedia.archives.zims import LEAD
from wikipedia.articles import page_texts as pages
from wikipedia.html.extract import list_paragraphs
from wikipedia.html.page import PageMissing
from wikipedia.providers.base import ProviderUnavailable


def test_paragraphs_stand_in_order_each_on_one_line():
    mark = "<sup class='reference'>[1]</sup>"
    html = f"<p>It  opened\nin 1843.</p><h2>Later</h2><p>Trains came.{mark}</p>"
    assert list_paragraphs(html, "Tunnel") == ["It opened in 1843.", "Trains came."]


def test_items_of_a_list_are_paragraphs_of_up_to_25_words():
    items = "".join(f"<li>Ferry {number} crossed the Sound</li>" for number in range(12))
    found = list_paragraphs(f"<p>Ferries:</p><ul>{items}</ul><p>All sank.</p>", "Ferries")
    assert found[0] == "Ferries:"
    assert found[-1] == "All sank."
    lists = found[1:-1]
    assert [len(each.split()) for each in lists] == [25, 25, 10]
    assert lists[0].startswith("Ferry 0 crossed the Sound; Ferry 1 crossed")
    assert not lists[0].endswith(";")


def test_a_list_under_another_heading_is_another_paragraph():
    html = "<ul><li>One</li></ul><h2>B</h2><ul><li>Two.</li><li>Three</li></ul>"
    assert list_paragraphs(html, "Lists") == ["One", "Two. Three"]


def test_a_long_item_stands_alone():
    long = " ".join(["word"] * 26)
    found = list_paragraphs(f"<ul><li>One</li><li>{long}</li><li>Two</li></ul>", "Lists")
    assert found == ["One", long, "Two"]


def test_tables_captions_hatnotes_sources_and_scripts_are_left_out():
    html = (
        "<div class='hatnote'>For the other one, see Lund.</div>"
        "<table class='infobox'><tr><td>Opened 1843</td></tr></table>"
        "<table><tr><th>Year</th><td>1843</td></tr></table>"
        "<figure><figcaption>The tunnel in 1843</figcaption></figure>"
        "<script>1843</script><p>Text.</p>"
        "<h2>References</h2><ul><li>A book, 1843</li></ul><p>More sources of 1843.</p>"
    )
    assert list_paragraphs(html, "Tunnel") == ["Text."]


def test_a_very_long_paragraph_is_cut_between_sentences():
    sentence = "The ferry crosses the Sound once every hour of the day. "
    found = list_paragraphs(f"<p>{sentence * 60}</p>", "Ferry")
    # A sentence said sixty times makes equal parts, and none comes twice.
    assert all(len(each.split()) <= 300 and each.endswith("day.") for each in found)
    numbered = "".join(f"Boat {n} crosses the Sound once every hour. " for n in range(60))
    found = list_paragraphs(f"<p>{numbered}</p>", "Ferry")
    assert len(found) == 2
    assert " ".join(found) == numbered.strip()


def test_nothing_gives_no_paragraphs():
    assert list_paragraphs("", "Nothing") == []


def test_a_page_of_an_archive_is_found_by_title_and_by_redirect(snapshot):
    page = pages.page_text(snapshot, "Ferry of Lund")
    assert (page.title, page.path) == ("Ferry of Lund", "Ferry_of_Lund")
    assert page.paragraphs[-1] == "Boats leave at noon."
    assert page.paragraphs[0].startswith(LEAD)
    assert page.url == "https://en.wikipedia.org/wiki/Ferry_of_Lund"
    assert pages.page_text(snapshot, "Ferry boat") == page


def test_a_page_that_is_not_there_says_so(snapshot):
    with pytest.raises(PageMissing):
        pages.page_text(snapshot, "Ferry of Malmö")


class TestLive:
    @pytest.fixture
    def wiki(self, db, monkeypatch):
        """A live snapshot whose wiki never answers; what is asked for is noted."""
        asked = []

        class Silent:
            def load_page(self, path):
                asked.append((path, pages.limits.in_background()))
                raise ProviderUnavailable("The wiki does not answer.")

        monkeypatch.setattr(pages, "provider_for", lambda snapshot: Silent())
        snapshot = factories.make_snapshot(kind="live", address="http://127.0.0.1/w/api.php")
        return snapshot, asked

    def test_it_is_asked_behind_people(self, wiki):
        snapshot, asked = wiki
        with pytest.raises(ProviderUnavailable):
            pages.page_text(snapshot, "Thames Tunnel")
        assert asked == [("Thames_Tunnel", True)]

    def test_a_page_that_is_kept_here_is_not_asked_for(self, wiki):
        snapshot, asked = wiki
        factories.make_shown(snapshot, rev_timestamp=timezone.now() - dt.timedelta(days=9))
        page = pages.page_text(snapshot, "Thames  Tunnel")
        assert page.paragraphs == (
            "The Thames Tunnel runs under the River Thames.",
            "It opened on 25 March 1843.",
        )
        assert (page.rev_id, page.url) == (
            345,
            "https://en.wikipedia.org/wiki/Thames_Tunnel?oldid=345",
        )
        assert not asked


def test_pages_are_read_once_and_the_last_ones_kept(snapshot, monkeypatch):
    read = []

    def counted(snapshot, title):
        read.append(title)
        return page_text(snapshot, title)

    page_text = pages.page_text
    monkeypatch.setattr(pages, "page_text", counted)
    monkeypatch.setattr(pages, "_KEPT", 2)
    texts = pages.PageTexts(snapshot)
    for title in ("Ferry of Lund", "Nowhere", "Ferry of Lund", "Nowhere", "AC/DC", "Nowhere"):
        page = texts.find_page(title)
        assert (page.title if page else "Nowhere") == title
    assert read == ["Ferry of Lund", "Nowhere", "AC/DC"]
    texts.find_page("Ferry of Lund")
    assert read[-1] == "Ferry of Lund"
