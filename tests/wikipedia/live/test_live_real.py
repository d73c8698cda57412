"""A real MediaWiki, from the snapshot to a stored quote."""

import datetime as dt

import pytest
from django.core.cache import cache
from django.utils import timezone

from tests import factories
from tests.wikipedia.live.wiki import png
from wikipedia.articles import stored_articles
from wikipedia.articles.reader import render_article
from wikipedia.articles.services import fetch_page
from wikipedia.html.page import PageMissing
from wikipedia.models import Quote
from wikipedia.providers import limits
from wikipedia.providers.base import Provider, ProviderUnavailable
from wikipedia.providers.registry import provider_for
from wikipedia.quotes.services import save_quote

pytestmark = [
    pytest.mark.mediawiki,
    pytest.mark.xdist_group("mediawiki"),
    pytest.mark.django_db,
]


@pytest.fixture
def provider(rivertown):
    return provider_for(rivertown)


def shown(page):
    return render_article(page, page_url=lambda p: f"/read/{p}", asset_url=lambda p: f"/files/{p}")


def test_a_live_snapshot_gets_a_provider(provider):
    assert isinstance(provider, Provider)


def test_search_finds_pages_with_plain_snippets(provider):
    found = provider.search("lamps 2018")
    assert [(hit.title, hit.path) for hit in found.hits] == [("Lantern Bridge", "Lantern_Bridge")]
    assert found.total == 1
    snippet = found.hits[0].snippet
    assert ("lamps", True) in snippet
    assert "".join(text for text, _ in snippet) == (
        "Lantern Bridge is a footbridge. Its electric lamps date from 2018."
    )


def test_search_goes_through_all_results(provider):
    first = provider.search("landing stage", limit=10)
    second = provider.search("landing stage", limit=10, offset=10)
    third = provider.search("landing stage", limit=10, offset=20)
    assert [len(page.hits) for page in (first, second, third)] == [10, 10, 5]
    assert {page.total for page in (first, second, third)} == {25}
    assert first.has_next
    assert not third.has_next
    titles = [hit.title for page in (first, second, third) for hit in page.hits]
    assert sorted(titles) == sorted(f"Pier {number}" for number in range(1, 26))
    scores = [hit.score for page in (first, second, third) for hit in page.hits]
    assert scores == sorted(scores, reverse=True)


def test_a_question_finds_what_its_words_find(provider):
    found = provider.search("Where is the landing stage number 7?")
    assert [hit.title for hit in found.hits] == ["Pier 7"]


def test_a_title_is_found_where_the_text_does_not_name_it(provider):
    assert [hit.title for hit in provider.search("Rock & Rill").hits] == ["Rock & Rill"]


def test_nothing_found_is_an_empty_page(provider):
    found = provider.search("quinquereme of nineveh")
    assert (found.hits, found.total) == ((), 0)


def test_the_revision_of_the_day_is_shown(provider):
    page = provider.load_page("Lantern_Bridge")
    assert page.title == "Lantern Bridge"
    assert page.path == "Lantern_Bridge"
    assert page.redirect_from is None
    assert page.rev_timestamp == dt.datetime(2017, 6, 15, 12, tzinfo=dt.UTC)
    assert page.page_id
    assert page.url.endswith(f"/index.php/Lantern_Bridge?oldid={page.rev_id}")
    text = shown(page).text
    assert "replaced by gas in 1934" in text
    assert "burned oil" not in text
    assert "footbridge" not in text


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (dt.date(2015, 3, 1), "The first lamps burned oil."),
        (dt.date(2017, 6, 14), "The first lamps burned oil."),
        (dt.date(2017, 6, 15), "replaced by gas in 1934"),
        (dt.date(2019, 2, 2), "is a footbridge"),
    ],
)
def test_each_day_has_its_own_text(mediawiki, hosts, make_snapshot, day, words):
    provider = provider_for(make_snapshot(mediawiki, day))
    assert words in shown(provider.load_page("Lantern_Bridge")).text


def test_today_shows_the_newest_revision(mediawiki, hosts, make_snapshot):
    provider = provider_for(make_snapshot(mediawiki, timezone.now().date()))
    assert "footbridge" in shown(provider.load_page("Lantern_Bridge")).text


def test_a_page_from_later_did_not_exist_yet(provider):
    with pytest.raises(PageMissing, match=r"“Lamp museum” did not exist yet on 31 December 2017"):
        provider.load_page("Lamp_museum")


@pytest.mark.parametrize(
    "path", ["No such page", "", "<b>", "A|B", "x" * 300, "{{Box}}", "a\x00b", "Special:Version"]
)
def test_what_is_no_page_is_missing(provider, path):
    with pytest.raises(PageMissing, match="Rivertown wiki has no page"):
        provider.load_page(path)


def test_a_redirect_is_followed_and_remembered(provider):
    page = provider.load_page("Bridge_of_Lanterns")
    assert (page.title, page.redirect_from) == ("Lantern Bridge", "Bridge_of_Lanterns")


def test_a_page_moved_later_is_read_under_its_old_name(provider):
    page = provider.load_page("Toll_House")
    assert (page.title, page.redirect_from) == ("Ferry House", "Toll_House")
    assert "Toll House took tolls." in shown(page).text


def test_an_article_that_became_a_redirect_later_is_still_an_article(provider):
    page = provider.load_page("Mill_Lane")
    assert (page.title, page.redirect_from) == ("Mill Lane", None)
    assert "leads to the water mill" in shown(page).text


def test_redirects_in_a_circle_end(provider):
    with pytest.raises(PageMissing, match="circle of redirects"):
        provider.load_page("Round_One")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("AC/DC", "is a band"),
        ("C++", 'src="/a"'),
        ("Who_lit_the_lamps?", "Tom Wick"),
        ("Rock_&_Rill", 'An inn; "ale" is served.'),
        ("Node.js", "by lamplight"),
        ("Élan_d'Elm", "rowing club"),
    ],
)
def test_titles_with_odd_characters_are_read(provider, path, words):
    assert words in shown(provider.load_page(path)).text


def test_the_first_letter_may_be_small(provider):
    page = provider.load_page("river_Elm")
    assert (page.path, page.redirect_from) == ("River_Elm", None)


def test_the_reader_shows_a_familiar_article(provider):
    article = shown(provider.load_page("Lantern_Bridge"))
    assert [(h.level, h.text, h.anchor) for h in article.outline] == [
        (3, "History", "w-History"),
        (4, "Lamps", "w-Lamps"),
        (3, "References", "w-References"),
    ]
    html = article.html
    for path in ("River_Elm", "Ida_Marsh", "AC/DC", "Node.js", "C++", "Who_lit_the_lamps?"):
        assert f'href="/read/{path}"' in html, path
    assert 'href="/read/Rock_&amp;_Rill"' in html
    assert 'href="/read/Ferry_House#w-Tolls"' in html
    assert 'href="https://lamps.example.org/"' in html
    assert 'class="infobox"' in html
    assert 'class="wikitable"' in html
    assert "File:Bridge.png" not in html
    assert html.count('src="/files/https://127.0.0.1:') == 2
    assert 'href="#w-cite_note-1"' in html
    assert 'id="w-cite_note-1"' in html
    kinds = {article.text[b.start : b.end]: b.kind for b in article.blocks}
    assert kinds["84 m"] == "infobox"
    assert kinds["1934"] == "table_cell"
    assert kinds["The bridge at night"] == "caption"


def test_a_picture_comes_through_us(provider):
    page = provider.load_page("Lantern_Bridge")
    asked = []
    render_article(page, page_url=lambda p: "/", asset_url=lambda p: asked.append(p) or "/x")
    asset = provider.load_asset(asked[0])
    assert (asset.content, asset.content_type) == (png(120, 80), "image/png")


def test_a_picture_that_is_not_there_is_missing(provider):
    address = provider.load_page("Lantern_Bridge").url.split("/index.php")[0]
    with pytest.raises(PageMissing, match="no picture"):
        provider.load_asset(f"{address}/images/none.png")


def test_pages_and_files_of_the_wiki_are_not_pictures(provider):
    address = provider.load_page("Lantern_Bridge").url.split("/index.php")[0]
    with pytest.raises(PageMissing):
        provider.load_asset(f"{address}/index.php/Lantern_Bridge")


def test_the_whole_path_ends_in_a_quote_with_provenance(rivertown, hosts, now):
    quote = save_quote(
        snapshot=rivertown,
        path="Bridge_of_Lanterns",
        exact="replaced by gas in 1934",
        made_by=Quote.MadeBy.SELECTION,
        by=factories.make_user(name="Ann Archer"),
        now=now,
    )
    assert quote.page.snapshot == rivertown
    assert (quote.page.title, quote.page.path) == ("Lantern Bridge", "Lantern_Bridge")
    assert quote.page.rev_timestamp == dt.datetime(2017, 6, 15, 12, tzinfo=dt.UTC)
    assert f"oldid={quote.page.rev_id}" in quote.page.url
    assert quote.page.text[quote.start : quote.end] == "replaced by gas in 1934"
    assert (quote.section_path, quote.section_anchor) == (["History"], "w-History")
    assert quote.block_kind == "paragraph"


def test_what_was_read_is_not_asked_again(mediawiki, provider, monkeypatch):
    provider.load_page("Lantern_Bridge")
    monkeypatch.setattr(
        type(provider._api.client), "get", lambda *a, **k: pytest.fail("asked again")
    )
    assert provider.load_page("Lantern_Bridge").title == "Lantern Bridge"


def test_a_page_that_was_deleted_is_missing_whatever_it_said_then(provider):
    with pytest.raises(PageMissing, match="Rivertown wiki has no page “Razed inn”"):
        provider.load_page("Razed_inn")


@pytest.mark.parametrize(
    ("day", "title"),
    [(dt.date(2017, 12, 31), "Lantern Bridge"), (dt.date(2018, 12, 31), "River Elm")],
)
def test_a_redirect_leads_where_it_led_on_the_day(mediawiki, hosts, make_snapshot, day, title):
    page = provider_for(make_snapshot(mediawiki, day)).load_page("Old_crossing")
    assert (page.title, page.redirect_from) == (title, "Old_crossing")


def test_a_page_that_was_blank_on_the_day_is_a_blank_page(provider):
    page = provider.load_page("Elm_Gate")
    assert page.rev_timestamp == dt.datetime(2016, 1, 1, tzinfo=dt.UTC)
    assert shown(page).text == ""


def test_the_day_begins_and_ends_in_utc(mediawiki, hosts, make_snapshot):
    """A revision of the first second counts on its day, and not on the day before."""
    before = provider_for(make_snapshot(mediawiki, dt.date(2015, 12, 31), "before"))
    on_it = provider_for(make_snapshot(mediawiki, dt.date(2016, 1, 1), "on-it"))
    assert "eastern gate" in shown(before.load_page("Elm_Gate")).text
    assert shown(on_it.load_page("Elm_Gate")).text == ""


def test_a_revision_is_read_by_its_number_whatever_its_day(mediawiki, provider, make_snapshot):
    old = provider_for(make_snapshot(mediawiki, dt.date(2015, 12, 31), "old"))
    new = provider_for(make_snapshot(mediawiki, timezone.now().date(), "new"))
    for each in (old, provider, new):
        page = each.load_page("Lantern_Bridge")
        again = provider.load_revision(page.rev_id)
        assert (again.title, again.rev_id, again.rev_timestamp) == (
            page.title, page.rev_id, page.rev_timestamp,
        )  # fmt: skip
        assert shown(again).text == shown(page).text
        assert again.url.endswith(f"oldid={page.rev_id}")


def test_a_revision_that_is_not_there_is_missing(provider):
    with pytest.raises(PageMissing, match="no revision 999999"):
        provider.load_revision(999_999)


def test_a_revision_that_is_a_redirect_says_so(provider):
    number = provider._as_of("Old_crossing", follow=False).number
    with pytest.raises(PageMissing, match="is a redirect to “Lantern Bridge”"):
        provider.load_revision(number)


@pytest.mark.parametrize("path", ["de:Elm", "wikipedia:Elm", "http://169.254.169.254/", "//x.y/z"])
def test_titles_that_look_like_other_places_lead_nowhere(provider, path):
    """Interwiki prefixes and addresses are asked of the configured wiki, which has no such page."""
    with pytest.raises(PageMissing):
        provider.load_page(path)


def test_what_was_shown_is_kept_and_read_when_the_wiki_is_gone(rivertown, naps):
    kept = fetch_page(snapshot=rivertown, path="Bridge_of_Lanterns")
    assert (kept.path, kept.rev_timestamp.year) == ("Lantern_Bridge", 2017)
    cache.clear()
    rivertown.address = "http://127.0.0.1:9/api.php"
    again = stored_articles.read_page(rivertown, "Lantern_Bridge")
    assert "cannot be reached now" in again.stored_because
    assert stored_articles.html_sha256(again) == kept.html_sha256
    assert "replaced by gas in 1934" in stored_articles.article_of(again).text
    with pytest.raises(ProviderUnavailable):
        stored_articles.read_page(rivertown, "River_Elm")


def test_background_work_is_answered_too(rivertown, hosts):
    """The real API takes maxlag."""
    with limits.behind_people():
        assert provider_for(rivertown).search("lamps 2018").total == 1
