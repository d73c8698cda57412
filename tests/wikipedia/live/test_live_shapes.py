"""Answers of another shape than MediaWiki's: a sentence for the person, never an error page."""

import copy
from itertools import product

import pytest
from django.core.cache import cache

from tests.wikipedia.live.fake import Reply
from wikipedia.html.page import PageMissing
from wikipedia.providers import answers
from wikipedia.providers.base import ProviderUnavailable

pytestmark = pytest.mark.django_db

# What stands where something else should. Few, since each of some 400 answers is really asked for.
JUNK = [None, [], ["x"], "http://[x", -1, {"x": []}]


def places(value, at=()):
    """The keys that lead to every part of a value."""
    yield at
    for key, part in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield from places(part, (*at, key))


def put(value, at, junk):
    if not at:
        return junk
    changed = copy.deepcopy(value)
    part = changed
    for key in at[:-1]:
        part = part[key]
    part[at[-1]] = junk
    return changed


READ = {
    "site": (answers.site_of, {"meta": "siteinfo"}),
    "search": (answers.results_of, {"list": "search", "sroffset": 0, "srlimit": 10}),
    "revision": (answers.revision_of, {"prop": "revisions", "titles": "Lantern Bridge"}),
}


@pytest.mark.parametrize("what", READ)
def test_wrong_shapes_are_one_kind_of_error(wiki, what):
    wiki.repos = [{"name": "local", "url": "//127.0.0.1/x"}]
    read, params = READ[what]
    good = wiki._well(params)
    for at, junk in product(places(good), JUNK):
        body = answers.strip_unstorable(put(good, at, junk))
        try:
            read(body, wiki.address) if what == "site" else read(body)
        except (*answers.WRONG_SHAPE, ProviderUnavailable):
            continue


@pytest.mark.parametrize(
    "body",
    [
        {"query": 7},
        {"query": {"pages": 7}},
        {"query": {"pages": ["x"]}},
        {"query": {"pages": [{"title": "X", "pageid": "7", "revisions": [{}]}]}},
        {"query": {"pages": [{"title": "X", "pageid": 7, "revisions": [{"revid": 1}]}]}},
        {"query": {"pages": [{"title": "X", "pageid": 7, "revisions": ["x"]}]}},
        {"errors": 7},
        {"error": {"code": "maxlag", "lag": []}},
        {
            "query": {
                "pages": [
                    {
                        "title": "X",
                        "pageid": 7,
                        "revisions": [{"revid": 2**70, "timestamp": "2017-06-15T12:00:00Z"}],
                    }
                ]
            }
        },
        {
            "query": {
                "pages": [
                    {
                        "title": "X",
                        "pageid": 7,
                        "revisions": [{"revid": 1, "timestamp": "2017-06-15T12:00:00"}],
                    }
                ]
            }
        },
    ],
)
def test_the_reader_is_told(provider, wiki, naps, body):
    provider.load_site()
    wiki.queue = [Reply(body)] * 3
    with pytest.raises((ProviderUnavailable, PageMissing)) as told:
        provider.load_page("Lantern_Bridge")
    assert str(told.value).startswith("Rivertown wiki")


@pytest.mark.parametrize("article", [7, ["x"], {"*": "<p>x</p>"}])
def test_an_article_that_is_no_text(provider, wiki, article):
    wiki.article = article
    assert provider.load_page("Lantern_Bridge").html


@pytest.mark.parametrize("where", ["http://[bad", "https://[::1", "//[x]/a.png"])
def test_a_picture_that_redirects_to_no_address(provider, wiki, where):
    provider.load_site()
    wiki.queue = [Reply(status=302, headers={"Location": where})]
    with pytest.raises(PageMissing, match="no picture"):
        provider.load_asset(f"https://127.0.0.1:{wiki.port}/images/a.png")


def test_characters_that_no_database_keeps_are_taken_out(provider, wiki):
    wiki.results = [
        ("Lantern\x00 Bridge \ud800", 'the \x00<span class="searchmatch">\udfff</span>')
    ]
    wiki.article = "<p>Lamps\x00 and \ud83d.</p>"
    [hit] = provider.search("lamps").hits
    assert hit.title == "Lantern Bridge ?"
    assert "".join(text for text, _ in hit.snippet).encode()
    cache.clear()
    assert provider.load_page("Lantern_Bridge").html.encode().count(b"\0") == 0
