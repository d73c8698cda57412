"""What a live wiki's search says beyond its results: whole titles, other names, did you mean."""

import pytest

from tests.wikipedia.live.fake import Reply
from wikipedia.providers.base import ListsTitles, ProviderUnavailable

pytestmark = pytest.mark.django_db


def test_a_whole_title_is_marked_and_comes_first(provider, wiki):
    wiki.results = [("Bridge lamps", "x"), ("Old bridge", "y"), ("Lantern Bridge", "z")]
    wiki.redirects = {"Old bridge": "LANTERN bridge"}
    found = provider.search("lantern  bridge?").hits
    assert [(hit.title, hit.exact) for hit in found] == [
        ("Lantern Bridge", True),
        ("Old bridge", True),
        ("Bridge lamps", False),
    ]
    assert found[1].redirect_from == "LANTERN bridge"
    assert not any(hit.exact for hit in provider.search("lantern bridge lamps").hits)


def test_later_pages_of_results_keep_the_wiki_s_order(provider, wiki):
    wiki.results = [(f"Page {number}", "x") for number in range(12)] + [("Lantern Bridge", "x")]
    found = provider.search("lantern bridge", limit=5, offset=10).hits
    assert [hit.title for hit in found] == ["Page 10", "Page 11", "Lantern Bridge"]
    assert found[2].exact


def test_another_name_is_told_as_people_write_it(provider, wiki):
    wiki.redirects = {"Lantern Bridge": "Bridge of lamps"}
    [hit] = provider.search("lamps").hits
    assert (hit.redirect_from, hit.exact) == ("Bridge of lamps", False)


def test_did_you_mean_is_the_wiki_s(provider, wiki):
    wiki.suggestion = "lantern   bridge"
    assert provider.search("lanten bridge").suggestion == "lantern bridge"
    wiki.results = []
    assert provider.search("lantan bridge").suggestion == "lantern bridge"


@pytest.mark.parametrize("told", ["Lanten bridge", "", 7, ["x"], {"a": 1}])
def test_no_suggestion_where_there_is_none(provider, wiki, told):
    wiki.suggestion = told
    assert provider.search("lanten bridge").suggestion == ""


def test_a_suggestion_fits_on_a_line(provider, wiki):
    wiki.suggestion = "x" * 5_000
    assert len(provider.search("lanten bridge").suggestion) == 300


def test_titles_that_begin_alike_are_listed_in_parts(provider, wiki):
    wiki.titles = [f"List of {name}" for name in ("fords", "bridges", "locks", "weirs", "mills")]
    assert isinstance(provider, ListsTitles)
    found = provider.list_paths("List of ")
    assert found == sorted(title.replace(" ", "_") for title in wiki.titles)
    assert provider.list_paths("Lists of ") == []
    [first, *_] = wiki.asked("query")
    assert first["params"]["apfilterredir"] == "nonredirects"


@pytest.mark.parametrize(
    "body",
    [
        {"query": {"allpages": [{"title": "List of x"}]}, "continue": {"apcontinue": "1"}},
        {"query": {"allpages": []}, "continue": {"apcontinue": "2"}},
    ],
)
def test_titles_without_end_are_not_waited_for(provider, wiki, body):
    wiki.queue = [Reply(body), Reply(body)]
    assert provider.list_paths("List of ") in ([], ["List_of_x"])
    assert len(wiki.requests) <= 2


def test_titles_of_another_shape_are_told(provider, wiki):
    wiki.queue = [Reply({"query": {"allpages": [{"title": 5}]}})]
    with pytest.raises(ProviderUnavailable, match="does not answer as a MediaWiki does"):
        provider.list_paths("List of ")
