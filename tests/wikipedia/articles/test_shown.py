"""What was shown is kept whole, once per content, and comes back as it was."""

import datetime as dt
import threading
import zlib
from dataclasses import replace

import pytest
from django.db import IntegrityError, connection, transaction

from tests import factories
from wikipedia.articles import services as articles_services
from wikipedia.articles import stored_articles
from wikipedia.articles.reader import read_again
from wikipedia.articles.services import fetch_page, record_shown_page
from wikipedia.html.page import PageMissing, SourcePage
from wikipedia.models import ShownPage
from wikipedia.providers.base import ProviderUnavailable

pytestmark = pytest.mark.django_db


def page(html=factories.ARTICLE, **fields):
    defaults = {
        "path": "Thames_Tunnel",
        "title": "Thames Tunnel",
        "html": html,
        "redirect_from": None,
        "page_id": 12,
        "rev_id": 345,
        "rev_timestamp": dt.datetime(2017, 6, 15, 12, tzinfo=dt.UTC),
        "retrieved_at": dt.datetime(2026, 5, 3, 10, tzinfo=dt.UTC),
        "url": "https://en.wikipedia.org/wiki/Thames_Tunnel?oldid=345",
        "hosts": ("en.wikipedia.org", "upload.wikimedia.org"),
    }
    return SourcePage(**defaults | fields)


def keep(snapshot, source):
    return record_shown_page(
        snapshot=snapshot, page=source, article=stored_articles.article_of(source)
    )


@pytest.fixture
def snapshot(db):
    return factories.make_snapshot("live", kind="live", address="http://127.0.0.1:9/w/api.php")


PICTURE = '<img src="//upload.wikimedia.org/a%20b.png" alt="A tunnel">'


def test_html_and_text_are_kept_with_their_hashes(snapshot):
    source = page(factories.ARTICLE + PICTURE)
    kept = ShownPage.objects.get(pk=keep(snapshot, source).pk)
    article = stored_articles.article_of(source)
    assert stored_articles.html_of(kept) == article.html
    assert kept.html_sha256 == stored_articles.html_sha256(source)
    assert len(bytes(kept.html)) < len(article.html)
    assert (kept.text, kept.text_sha256) == (article.text, article.text_sha256)
    again = read_again(kept.title, stored_articles.html_of(kept))
    assert again == article


def test_addresses_belong_to_nobody_until_somebody_reads(snapshot):
    html = stored_articles.article_of(page(factories.ARTICLE + PICTURE)).html
    assert 'href="/-/page/River_Thames"' in html
    assert 'src="/-/file/https://upload.wikimedia.org/a%2520b.png"' in html
    mine = stored_articles.fill_in_addresses(
        html, pages="/work/7/read/", files="/wikipedia/live/files/"
    )
    assert 'href="/work/7/read/River_Thames"' in mine
    assert 'src="/wikipedia/live/files/https://upload.wikimedia.org/a%2520b.png"' in mine
    assert "/-/" not in mine
    still = stored_articles.remove_wiki_links(html, files="/f/")
    assert "River Thames</a>" in still
    assert "River_Thames" not in still


def test_the_same_content_is_kept_once_and_each_other_one_beside_it(snapshot):
    first = keep(snapshot, page())
    later = keep(snapshot, page(retrieved_at=dt.datetime(2026, 6, 1, tzinfo=dt.UTC)))
    assert later.pk == first.pk
    others = [
        page(rev_id=346),  # the same content, but another revision says it
        page(rev_id=None),
        page(factories.ARTICLE.replace("<b>", "<i>").replace("</b>", "</i>")),  # the same text
        page(factories.ARTICLE.replace("1843", "1844")),
        page(path="Tunnel"),
    ]
    assert len({first.pk, *(keep(snapshot, each).pk for each in others * 2)}) == 6
    assert ShownPage.objects.count() == 6


@pytest.mark.django_db(transaction=True)
def test_opened_by_many_at_once_it_is_kept_once(snapshot):
    gate, kept = threading.Barrier(6), []

    def open_it():
        try:
            gate.wait()
            kept.append(keep(snapshot, page(rev_id=None)).pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=open_it) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept) == 6
    assert len(set(kept)) == 1


def test_html_is_never_there_without_its_hash(snapshot):
    kept = keep(snapshot, page())
    for change in ({"html": None}, {"html_sha256": ""}):
        with pytest.raises(IntegrityError, match="shown_page_html_with_hash"), transaction.atomic():
            ShownPage.objects.filter(pk=kept.pk).update(**change)


@pytest.mark.parametrize("damage", [b"no zlib", zlib.compress(b"<p>other</p>"), b""])
def test_damage_is_told_and_never_shown(snapshot, damage):
    kept = keep(snapshot, page())
    ShownPage.objects.update(html=damage)
    with pytest.raises(stored_articles.DamagedPage, match="is not what its hash says"):
        stored_articles.html_of(ShownPage.objects.get())
    assert stored_articles.kept_page(snapshot, kept.path, because="down") is None


def test_of_pages_kept_by_older_versions_there_is_only_the_text(snapshot):
    keep(snapshot, page())
    ShownPage.objects.update(html=None, html_sha256="")
    with pytest.raises(stored_articles.DamagedPage, match="only the text was kept"):
        stored_articles.html_of(ShownPage.objects.get())
    with pytest.raises(ProviderUnavailable):
        stored_articles.read_page(snapshot, "Thames_Tunnel")


def test_when_the_wiki_is_down_what_was_shown_is_shown_again(snapshot, settings):
    settings.WIKI_USER_AGENT = ""
    keep(snapshot, page())
    newest = keep(snapshot, page(factories.ARTICLE.replace("1843", "1844"), rev_id=346))
    snapshot.address = "https://wiki.example.org/w/api.php"  # no contact: it cannot be asked
    for path in ("Thames_Tunnel", "Thames Tunnel", "thames_Tunnel"):
        again = stored_articles.read_page(snapshot, path)
        assert (again.rev_id, again.title) == (346, "Thames Tunnel")
        assert "set WIKI_USER_AGENT" in again.stored_because
        article = stored_articles.article_of(again)
        assert "It opened on 25 March 1844." in article.text
        assert keep(snapshot, again).pk == newest.pk  # quotes of it point where they would
    with pytest.raises(ProviderUnavailable, match="set WIKI_USER_AGENT"):
        stored_articles.read_page(snapshot, "River_Thames")


def test_what_is_stored_is_not_taken_for_what_is_raw(snapshot):
    """The same HTML from the wiki is made safe, and from the store is left as it was."""
    raw = page("<p>x<script>alert(1)</script></p>")
    assert "alert" not in stored_articles.article_of(raw).html
    kept = replace(page("<p>safe</p>"), stored_because="down")
    assert stored_articles.article_of(kept).html == "<p>safe</p>"


def test_an_archive_has_no_revisions_by_number(snapshot, monkeypatch):
    class Archive:
        def load_page(self, path):
            return page()

    monkeypatch.setattr(articles_services, "provider_for", lambda snapshot: Archive())
    assert fetch_page(snapshot=snapshot, path="Thames_Tunnel").rev_id == 345
    with pytest.raises(PageMissing, match="one revision of each page"):
        fetch_page(snapshot=snapshot, path="", revision=3)
