"""The list of results: marks, other names, did you mean, and what to do when there is nothing."""

import re

import pytest
from django.urls import reverse

from annotation.models import Event
from annotation.reading import events
from wikipedia.search.results import SearchHit, SearchPage

FRAGMENT = {"HX-Request": "true"}


@pytest.fixture
def search(client_as, ann, assignment):
    """search("…") answers with the fragment's HTML."""
    client = client_as(ann)

    def ask(query="", **given):
        url = reverse("work-search", args=[assignment.pk])
        data = {"q": query, **given} if query else given
        return client.get(url, data, headers=FRAGMENT).content.decode()

    return ask


@pytest.fixture
def finds(monkeypatch):
    """finds(hit, …) makes these the results of every search."""

    def make(*hits, **given):
        page = SearchPage("q", tuple(hits), len(hits), 0, 10, **given)

        class Fake:
            def search(self, query, *, limit=10, offset=0):
                return page

        monkeypatch.setattr("annotation.reading.services.provider_for", lambda snapshot: Fake())

    return make


def rows(html):
    return re.findall(r'<li class="result.*?</li>', html, re.DOTALL)


def test_a_whole_title_comes_first_and_is_marked(search):
    found = rows(search("thames tunnel"))
    assert "Thames Tunnel</a>" in found[0]
    assert "Exact title" in found[0]
    assert not any("Exact title" in row for row in found[1:])


def test_a_question_has_no_such_mark(search):
    assert "Exact title" not in search("when did the Thames Tunnel open")


def test_a_redirect_says_what_the_article_is_called_too(search, finds):
    finds(SearchHit("Thames Tunnel", "Thames_Tunnel", (), 1.0, "Brunel's <tunnel>", True))
    [row] = rows(search("Brunel's <tunnel>"))
    assert "Also called Brunel&#39;s &lt;tunnel&gt;" in row
    assert "Exact title" not in row


def test_matches_are_marked_and_everything_else_is_text(search, finds):
    finds(
        SearchHit(
            '<img src=x onerror="alert(1)">',
            "x",
            (("<script>", False), ("<b>ferry</b>", True), (" & \"boats\"</script>", False)),
            1.0,
        )
    )  # fmt: skip
    [row] = rows(search("ferry"))
    assert (
        "&lt;script&gt;<b>&lt;b&gt;ferry&lt;/b&gt;</b> &amp; &quot;boats&quot;&lt;/script&gt;"
        in row
    )
    assert "<img" not in row
    assert "<script" not in row


def test_did_you_mean_is_a_link_that_searches(search):
    html = search("thames tunel")
    link = re.search(r'Did you mean <a href="([^"]+)" data-nav>([^<]+)</a>\?', html)
    assert link
    assert link[2] == "thames tunnel"
    assert link[1].endswith("?q=thames+tunnel")
    assert "Did you mean thames tunnel?" in re.search(r'data-announce="([^"]*)"', html)[1]
    assert "Did you mean" not in search(link[2])


def test_no_results_say_what_to_do(search):
    html = search("xyzzyplugh")
    assert "No results" in html
    assert "Check the spelling" in html
    assert rows(html) == []


def test_no_results_with_a_better_word_offer_it(search):
    html = search("brigde")
    assert "No results" in html
    assert ">bridge</a>?" in html


def test_the_list_is_the_same_when_it_is_shown_again(search, assignment):
    first = search("thames tunel")
    event = Event.objects.get(assignment=assignment, kind="search")
    assert event.data["suggestion"] == "thames tunnel"
    assert search(event=event.pk) == first
    search("thames tunnel")
    event = Event.objects.filter(assignment=assignment, kind="search").latest("id")
    assert "suggestion" not in event.data
    assert event.data["results"][0]["exact"] is True
    assert "exact" not in event.data["results"][1]
    assert rows(search(event=event.pk)) == rows(search("thames tunnel"))


def test_searches_logged_before_there_were_marks_are_shown(search, assignment, now):
    event = events.log_event(
        assignment=assignment, kind="search", by=assignment.user, now=now,
        data={"query": "old", "offset": 0, "total": 1,
              "results": [{"title": "Old", "path": "Old", "snippet": "<b>old</b>"}]},
    )  # fmt: skip
    assert set(event.data) == {"query", "offset", "total", "results"}
    [row] = rows(search(event=event.pk))
    assert "Exact title" not in row
    assert "Also called" not in row


@pytest.mark.parametrize(
    "query",
    [
        '" AND (',
        "title:ferry^9",
        "the of was",
        "東京",
        "a" * 500,
        "<b>",
        "%",
        "tunnel\x07",
        "'",
    ],
)
def test_hostile_queries_are_answered(search, query):
    html = search(query)
    assert 'id="results"' in html
    assert "<b>" not in re.sub(r"<p[^>]*>.*?</p>", "", html)


def test_too_long_a_query_says_so(search):
    assert "The maximum is 500; shorten it." in search("a" * 10_000)
