"""Paragraphs of a live wiki's pages: read behind people, and from what is kept here."""

from django.core.cache import cache

from tests.wikipedia.live.fake import Reply
from wikipedia.articles import page_texts as pages
from wikipedia.articles.services import fetch_page


def test_a_page_is_read_as_background_work_with_its_revision(wiki, make_snapshot):
    snapshot = make_snapshot(wiki.address)
    page = pages.page_text(snapshot, "Lantern Bridge")
    assert {r["params"].get("maxlag") for r in wiki.requests} == {"5"}
    kept = fetch_page(snapshot=snapshot, path="Lantern_Bridge")
    assert page.paragraphs
    assert (page.title, page.rev_id, page.url) == (kept.title, kept.rev_id, kept.url)


def test_a_kept_page_gives_the_same_paragraphs_while_the_wiki_is_away(wiki, naps, make_snapshot):
    snapshot = make_snapshot(wiki.address)
    page = pages.page_text(snapshot, "Lantern Bridge")
    fetch_page(snapshot=snapshot, path="Lantern_Bridge")
    cache.clear()
    before = len(wiki.requests)
    wiki.queue = [Reply(status=503)] * 9
    assert pages.page_text(snapshot, "Lantern Bridge") == page
    assert len(wiki.requests) == before
