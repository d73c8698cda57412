"""What Ambit does when a wiki is slow, busy, broken or hostile."""

import re
import threading
import time
from email.utils import format_datetime

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from tests.wikipedia.live.fake import Reply
from wikipedia.articles import stored_articles
from wikipedia.articles.reader import render_article
from wikipedia.articles.services import fetch_page
from wikipedia.html.page import PageMissing
from wikipedia.providers import api, http
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.providers.mediawiki import MediaWikiProvider

pytestmark = pytest.mark.django_db


def error(code, info="told why", **more):
    return {"error": {"code": code, "info": info, **more}, "servedby": "mw1"}


def in_an_hour():
    return format_datetime(timezone.now() + timezone.timedelta(hours=1), usegmt=False)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=429, headers={"Retry-After": "2"}),
        Reply(status=503, body="<html>Our servers are under load</html>", type="text/html"),
        Reply(status=500),
        Reply(status=502),
        Reply(error("maxlag", lag=3.2), headers={"Retry-After": "5"}),
        Reply(error("maxlag", lag=3.2)),
        Reply(error("ratelimited")),
        Reply(error("readonly")),
        Reply(error("internal_api_error_DBQueryError")),
        Reply(error("cirrussearch-too-busy-error")),
        Reply({"errors": [{"code": "ratelimited", "text": "Too many."}]}),
        Reply("{broken", type="application/json"),
        Reply("<html><body>A captive portal</body></html>", type="text/html"),
        Reply("", type="application/json"),
        Reply("[1, 2]"),
        Reply("[" * 100_000),
        Reply({"query": {}}, cut=True, drip=0.0001),
    ],
)
def test_trouble_that_passes_is_waited_out(provider, wiki, naps, reply):
    wiki.queue = [reply]
    found = provider.search("lamps")
    assert [hit.title for hit in found.hits] == ["Lantern Bridge"]
    assert len(wiki.asked("query")) == 2
    # At least half a second in all, less what passed on a busy machine before the nap.
    assert 0 < sum(naps) <= 6


def test_trouble_that_stays_is_told_in_a_sentence(provider, wiki, naps):
    wiki.queue = [Reply(status=503)] * 9
    with pytest.raises(ProviderUnavailable, match=r"HTTP status 503.*What you wrote is kept"):
        provider.search("lamps")
    assert len(wiki.requests) == api.ATTEMPTS
    assert naps[1] > naps[0]  # each failure doubles the pause


@pytest.mark.parametrize("header", ["120", "3600", in_an_hour()], ids=["120", "3600", "a date"])
def test_a_long_pause_is_kept_by_everybody(provider, wiki, naps, header, hosts, make_snapshot):
    wiki.queue = [Reply(status=429, headers={"Retry-After": header})]
    with pytest.raises(ProviderUnavailable, match=r"asks Ambit to wait.*try again in \d+ minutes"):
        provider.search("lamps")
    other = MediaWikiProvider(make_snapshot(wiki.address, name="other"))
    with pytest.raises(ProviderUnavailable, match="asks Ambit to wait"):
        other.load_page("Lantern_Bridge")
    assert len(wiki.requests) == 1
    assert not naps
    hosts("UPDATE wikipedia_wikihost SET paused_until = now()")
    assert other.load_page("Lantern_Bridge").title == "Lantern Bridge"
    assert hosts("SELECT failures FROM wikipedia_wikihost") == [(0,)]


def test_a_pause_outlives_the_rollback_of_whoever_met_it(provider, wiki, naps, hosts):
    wiki.queue = [Reply(status=429, headers={"Retry-After": "600"})]
    with pytest.raises(ProviderUnavailable), transaction.atomic():
        provider.search("lamps")
    assert hosts("SELECT count(*) FROM wikipedia_wikihost WHERE paused_until > now()") == [(1,)]


def test_a_wiki_that_does_not_answer_in_time(provider, wiki, naps, monkeypatch):
    monkeypatch.setattr(http, "_SILENCE_SECONDS", 0.2)
    never = threading.Event()
    wiki.queue = [Reply(wait=never)] * 5
    try:
        with pytest.raises(ProviderUnavailable, match="no answer in time"):
            provider.search("lamps")
    finally:
        never.set()


def test_a_wiki_that_answers_drop_by_drop(provider, wiki, naps, monkeypatch):
    monkeypatch.setattr(api, "REQUEST_SECONDS", 0.3)
    wiki.queue = [Reply("x" * 10_000, drip=0.01)] * 5
    with pytest.raises(ProviderUnavailable, match="no answer in time"):
        provider.search("lamps")


def test_a_wiki_that_is_not_there(wiki, naps, make_snapshot, hosts):
    gone = MediaWikiProvider(make_snapshot("http://127.0.0.1:9/w/api.php"))
    with pytest.raises(ProviderUnavailable, match="connection failed"):
        gone.search("lamps")


@pytest.mark.parametrize("body", [b"x" * 20_000_000, b" " * 40_000_000])
def test_an_answer_too_large_is_refused_unread(provider, wiki, naps, body):
    """The second is a few KB on the wire: the limit is of what it unpacks to."""
    wiki.queue = [Reply(body)]
    with pytest.raises(ProviderUnavailable, match="larger than 16 MB"):
        provider.search("lamps")
    assert len(wiki.requests) == 1


def test_an_api_that_moved_is_not_followed(provider, wiki, naps):
    wiki.queue = [Reply(status=301, headers={"Location": "http://169.254.169.254/api.php"})]
    with pytest.raises(ProviderUnavailable, match=r"has moved to http://169\.254\.169\.254"):
        provider.search("lamps")
    assert len(wiki.requests) == 1


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(status=403), "HTTP status 403.*WIKI_USER_AGENT"),
        (Reply(status=404), "HTTP status 404"),
        (Reply(error("readapidenied", "You need read permission.")), "does not let Ambit read"),
        (Reply(error("badvalue", "Unrecognised.")), "could not answer: Unrecognised"),
    ],
)
def test_a_refusal_is_told_and_not_repeated(provider, wiki, naps, reply, told):
    wiki.queue = [reply]
    with pytest.raises(ProviderUnavailable, match=told):
        provider.search("lamps")
    assert len(wiki.requests) == 1


@pytest.mark.parametrize("code", ["nosuchrevid", "missingtitle"])
def test_a_revision_that_is_hidden_is_missing(provider, wiki, naps, code):
    provider.load_site()
    provider._as_of("Lantern_Bridge", follow=False)
    wiki.queue = [Reply(error(code, "There is no revision with ID 42."))]
    with pytest.raises(PageMissing, match="no such page"):
        provider.load_page("Lantern_Bridge")


def test_a_search_the_engine_does_not_know_finds_nothing(provider, wiki):
    wiki.results = []
    wiki.queue = [
        Reply({"query": {"searchinfo": {"totalhits": 0}, "search": []}}),
        Reply(error("search-title-disabled", "Title search is disabled.")),
    ]
    assert provider.search("lamps").total == 0


def test_results_that_come_in_parts_are_put_together(provider, wiki):
    def part(numbers, following):
        rows = [{"title": f"Pier {n}", "snippet": ""} for n in numbers]
        body = {"query": {"searchinfo": {"totalhits": 9}, "search": rows}}
        return Reply(body | ({"continue": {"sroffset": following}} if following else {}))

    wiki.queue = [part([1, 2], 2), part([3, 4], 4), part([5], None)]
    found = provider.search("pier", limit=5)
    assert [hit.path for hit in found.hits] == [f"Pier_{n}" for n in range(1, 6)]
    assert [r["params"]["sroffset"] for r in wiki.requests] == ["0", "2", "4"]


def test_a_continuation_that_stands_still_ends(provider, wiki):
    row = {"title": "Pier 1", "snippet": ""}
    body = {"query": {"search": [row]}, "continue": {"sroffset": 0}}
    wiki.queue = [Reply(body)] * 5
    assert [hit.title for hit in provider.search("pier").hits] == ["Pier 1"]
    assert len(wiki.requests) == 1


def test_a_wiki_without_search_is_told(provider, wiki):
    wiki.queue = [Reply(error("search-text-disabled", "Text search is disabled."))]
    with pytest.raises(ProviderUnavailable, match="Text search is disabled"):
        provider.search("lamps")


def test_answers_are_kept_in_the_database_s_cache_too(wiki, settings, make_snapshot, hosts):
    """The cache of an installation without Redis; what is kept must survive pickling."""
    backend = "django.core.cache.backends.db.DatabaseCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": "cache_of_this_test"}}
    call_command("createcachetable", verbosity=0)
    first, second = (
        MediaWikiProvider(make_snapshot(wiki.address, name=name)) for name in ("one", "two")
    )
    asked = [first.search("lamps"), first.load_page("Lantern_Bridge")]
    count = len(wiki.requests)
    assert [second.search("lamps"), second.load_page("Lantern_Bridge")] == asked
    assert len(wiki.requests) == count


def test_nothing_is_asked_for_nothing(provider, wiki):
    assert provider.search("  ?! ").hits == ()
    assert provider.search("lamps", offset=9_999).hits == ()
    assert wiki.requests == []


def test_the_search_knows_how_long_a_query_may_be(provider, wiki):
    provider.search("lamp " * 200)
    assert len(wiki.requests[0]["params"]["srsearch"]) <= 300


def test_ambit_says_who_it_is_and_keeps_no_cookies(wiki, settings, make_snapshot):
    settings.WIKI_USER_AGENT = "BridgeStudy/1.0 (bridges@example.org)"
    provider = MediaWikiProvider(make_snapshot(wiki.address))
    body = {"query": {"searchinfo": {"totalhits": 0}, "search": []}}
    wiki.queue = [Reply(body, headers={"Set-Cookie": "track=1; Path=/"})]
    provider.search("lamps")
    first, second = wiki.requests[:2]
    assert first["headers"]["User-Agent"].startswith("BridgeStudy/1.0 (bridges@example.org) Ambit/")
    assert "gzip" in first["headers"]["Accept-Encoding"]
    assert "Cookie" not in second["headers"]


def test_pages_of_today_s_markup_come_out_right(provider, wiki):
    page = provider.load_page("Lantern_Bridge")
    article = render_article(
        page, page_url=lambda p: f"/read/{p}", asset_url=lambda p: f"/files/{p}"
    )
    assert [(h.level, h.text, h.anchor) for h in article.outline] == [
        (3, "History", "w-History"),
        (4, "Lamps", "w-Lamps"),
        (3, "References", "w-References"),
    ]
    assert article.text.split("\n") == [
        "The Lantern Bridge crosses the Elm.",
        "History",
        "It was opened in 1911.",
        "Lamps",
        "Thirty of them.",
        "References",
        "^ Town Register.",
    ]
    assert "edit" not in article.html
    assert 'href="/read/River_Elm"' in article.html


def test_hostile_pages_are_harmless(provider, wiki):
    wiki.article = (
        "<p onclick=alert(1)>Text<script>alert(1)</script>"
        "<a href='javascript:alert(1)'>a</a><a href='//evil.example/wiki/X'>b</a>"
        "<a href='/wiki/Datei:Geheim.png'>c</a><a href='/w/index.php?title=X&action=delete'>d</a>"
        "<a href='http://[broken'>e</a><img src='http://169.254.169.254/latest/meta-data'>"
        "<img src=x onerror=alert(1)><iframe src='/wiki/X'></iframe></p>"
        "<form action=/steal><input name=q></form><style>p{}</style>"
    )
    page = provider.load_page("Lantern_Bridge")
    article = render_article(
        page, page_url=lambda p: f"/read/{p}", asset_url=lambda p: f"/files/{p}"
    )
    for bad in ("alert", "onclick", "script", "169.254", "iframe", "form", "delete", "Geheim"):
        assert bad not in article.html, bad
    links = re.findall(r"<a [^>]*>", article.html)
    assert len(links) == 1
    assert "evil.example/wiki/X" in links[0]
    assert 'class="external"' in links[0]


@pytest.mark.parametrize(
    "address",
    ["https://en.wikipedia.org/w/api.php", "http://10.0.0.5/api.php", "https://x.test/api.php"],
)
def test_other_people_s_wikis_need_a_contact(db, settings, make_snapshot, address):
    settings.WIKI_USER_AGENT = ""
    with pytest.raises(ProviderUnavailable, match="set WIKI_USER_AGENT"):
        MediaWikiProvider(make_snapshot(address))
    settings.WIKI_USER_AGENT = "Just a name"
    with pytest.raises(ProviderUnavailable, match="set WIKI_USER_AGENT"):
        MediaWikiProvider(make_snapshot(address, name="second"))
    settings.WIKI_USER_AGENT = "Study/1.0 (https://example.org/study)"
    MediaWikiProvider(make_snapshot(address, name="third"))


def test_a_contact_that_is_no_header_is_refused(db, settings, make_snapshot):
    settings.WIKI_USER_AGENT = "a@example.org\r\nX-Evil: 1"
    with pytest.raises(ProviderUnavailable, match="one line"):
        MediaWikiProvider(make_snapshot("https://en.wikipedia.org/w/api.php"))


def test_a_page_that_was_kept_is_not_waited_for_long(wiki, naps, make_snapshot, monkeypatch):
    """One try, a few seconds: then the person reads what lies here."""
    snapshot = make_snapshot(wiki.address)
    fetch_page(snapshot=snapshot, path="Lantern_Bridge")
    cache.clear()
    wiki.queue = [Reply(status=503)] * 9
    before = len(wiki.requests)
    page = stored_articles.read_page(snapshot, "Lantern_Bridge")
    assert "HTTP status 503" in page.stored_because
    assert len(wiki.requests) - before == 1
    assert [nap for nap in naps if nap >= 1] == []
    wiki.queue = []
    cache.clear()
    assert stored_articles.read_page(snapshot, "Lantern_Bridge").stored_because == ""  # it is back


def test_a_wiki_that_hangs_is_given_up_when_the_page_was_kept(
    wiki, naps, make_snapshot, monkeypatch
):
    monkeypatch.setattr(api, "SHORT_PATIENCE_SECONDS", 0.3)
    snapshot = make_snapshot(wiki.address)
    fetch_page(snapshot=snapshot, path="Lantern_Bridge")
    cache.clear()
    never = threading.Event()
    wiki.queue = [Reply(wait=never)] * 5
    began = time.monotonic()
    try:
        page = stored_articles.read_page(snapshot, "Lantern_Bridge")
    finally:
        never.set()
    assert "no answer in time" in page.stored_because
    assert time.monotonic() - began < 3
