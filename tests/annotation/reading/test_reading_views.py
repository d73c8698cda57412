"""Requests of the reading side: fragments, whole pages without scripts, refusals."""

import json
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Event
from annotation.reading import services as reading_services
from annotation.reading.queries import ReadPage
from tests import factories
from wikipedia.providers.base import ProviderUnavailable

FRAGMENT = {"HX-Request": "true"}
THAMES = "Thames_Tunnel"


@pytest.fixture
def browser(client_as, ann):
    return client_as(ann)


@pytest.fixture
def get(browser, assignment):
    """get("work-search", q="…") as the scripts ask."""

    def ask(name, *args, headers=FRAGMENT, **query):
        return browser.get(reverse(name, args=[assignment.pk, *args]), query, headers=headers)

    return ask


@pytest.fixture
def post_events(browser, assignment):
    def post(body, **given):
        body = body if isinstance(body, bytes | str) else json.dumps(body)
        url = reverse("work-events", args=[given.pop("pk", assignment.pk)])
        return browser.post(url, body, content_type="application/json", **given)

    return post


@pytest.fixture
def post_quote(browser, assignment):
    def post(**given):
        data = {"path": THAMES, "exact": "About 50,000 people", "target": "1"}
        return browser.post(reverse("work-quotes", args=[assignment.pk]), data | given)

    return post


def kinds(assignment):
    return list(Event.objects.filter(assignment=assignment).values_list("kind", flat=True))


def text_of(response):
    return response.content.decode()


# --- search ---------------------------------------------------------------------------------------


def test_a_search_answers_with_results_and_history(get, assignment):
    response = get("work-search", q="thames tunnel")
    html = text_of(response)
    event = Event.objects.get()
    assert response.status_code == 200
    assert html.count('<li class="result') == 10
    assert (
        f"/work/{assignment.pk}/read/Thames_Tunnel?via=search&amp;search={event.pk}&amp;rank=1"
        in html
    )
    assert re.search(r"<h3[^>]*>\d+ results</h3>", html)
    assert 'id="history"' in html
    assert "no-store" in response["Cache-Control"]
    assert "<html" not in html


def test_ten_results_a_page_and_a_way_on(get):
    html = text_of(get("work-search", q="tunnel bridge river"))
    assert re.search(r'rel="next" href="[^"]*q=tunnel\+bridge\+river&amp;offset=10"', html)
    second = text_of(get("work-search", q="tunnel bridge river", offset=10))
    assert '<ol role="list" start="11">' in second
    assert 'rel="prev"' in second


def test_past_the_last_result_it_says_so(get):
    html = text_of(get("work-search", q="sputnik", offset=500))
    assert "There are no more results for “sputnik”." in html
    assert ", from" not in html


def test_an_empty_result_is_explained(get):
    html = text_of(get("work-search", q="zzyzx quuxbar"))
    assert "No results" in html
    assert "No article has any of these words" in html


@pytest.mark.parametrize("query", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])
def test_html_in_a_query_stays_words(get, browser, assignment, query):
    fragment = text_of(get("work-search", q=query))
    page = text_of(browser.get(reverse("work-page", args=[assignment.pk])))
    for html in (fragment, page):
        assert query not in html
        assert "<img src=x" not in html


@pytest.mark.parametrize(
    ("query", "sentence"),
    [("", "Write what to search for"), ("x" * 600, "The search has 600 characters")],
)
def test_what_cannot_be_searched_is_explained(get, assignment, query, sentence):
    response = get("work-search", q=query)
    assert response.status_code == 422
    assert sentence in text_of(response)
    assert kinds(assignment) == []


@pytest.mark.parametrize("offset", ["-1", "abc", "9" * 40, "7", ""])
def test_a_strange_offset_is_a_page_of_results(get, offset):
    assert get("work-search", q="thames", offset=offset).status_code == 200
    assert Event.objects.get().data["offset"] % 10 == 0


def test_a_search_of_the_log_comes_back_without_a_new_entry(get, assignment, others):
    first = text_of(get("work-search", q="forth bridge"))
    event = Event.objects.get()
    get("work-search", q="thames")
    again = get("work-search", event=event.pk)
    assert kinds(assignment) == ["search", "search"]
    assert re.findall(r'href="([^"]*rank=\d+)"', first) == re.findall(
        r'href="([^"]*rank=\d+)"', text_of(again)
    )
    theirs = reading_services.search_wikipedia(
        assignment=others, query="secret owl", offset=0, by=others.user, now=timezone.now()
    )
    assert "secret owl" not in text_of(get("work-search", event=theirs.event))


def test_a_broken_index_is_explained_with_a_way_to_try_again(get, assignment, monkeypatch):
    def broken(**_):
        raise ProviderUnavailable("The index cannot be read now.")

    monkeypatch.setattr("annotation.reading.views.services.search_wikipedia", broken)
    response = get("work-search", q="thames")
    html = text_of(response)
    assert response.status_code == 503
    assert "The index cannot be read now." in html
    assert f'href="/work/{assignment.pk}/search/?q=thames"' in html


# --- read -----------------------------------------------------------------------------------------


def test_an_article_comes_with_its_visit_and_attribution(get, assignment):
    html = text_of(get("work-read", THAMES, via="history"))
    event = Event.objects.get()
    assert f'data-open="{event.pk}"' in html
    assert "Thames Tunnel</h2>" in html
    assert "CC BY-SA" in html
    assert "Open on Wikipedia" in html
    assert 'id="history"' in html
    assert event.data["via"] == "history"
    assert "<script>" not in html


def test_a_missing_page_offers_a_search_for_its_title(get, assignment):
    response = get("work-read", "No_such_<b>page</b>")
    html = text_of(response)
    assert response.status_code == 404
    assert "is not here" in html
    assert "<b>page</b>" not in html
    assert "search/?q=No+such+%3Cb%3Epage%3C%2Fb%3E" in html
    assert kinds(assignment) == []


@pytest.mark.parametrize("path", ["a%00b", "x" * 1_500, "..%2F..%2Fetc%2Fpasswd", "%0A", "%FF"])
def test_a_hostile_path_is_a_missing_page(browser, assignment, path):
    url = reverse("work-read", args=[assignment.pk, "x"]).removesuffix("x") + path
    assert browser.get(url, headers=FRAGMENT).status_code == 404
    assert kinds(assignment) == []


def test_an_archive_that_is_gone_is_explained(get, project, settings, tmp_path):
    project.snapshot.archive = str(tmp_path / "gone.zim")
    project.snapshot.save()
    response = get("work-read", THAMES)
    assert response.status_code == 503
    assert "There is no file" in text_of(response)
    assert "Open it again" in text_of(response)


@pytest.mark.parametrize(
    "purpose", [{"Sec-Purpose": "prefetch;prerender"}, {"Purpose": "prefetch"}]
)
def test_what_only_prefetches_is_refused(get, assignment, purpose):
    for name, args, query in (("work-search", (), {"q": "thames"}), ("work-read", (THAMES,), {})):
        assert get(name, *args, headers=purpose, **query).status_code == 503
    assert kinds(assignment) == []


def test_without_scripts_it_is_one_page(get, browser, assignment):
    searched = get("work-search", q="thames tunnel", headers={})
    event = Event.objects.get()
    assert searched.status_code == 302
    assert searched["Location"] == f"/work/{assignment.pk}/?search={event.pk}"
    opened = get("work-read", "Brunel's_tunnel", headers={})
    assert opened["Location"] == f"/work/{assignment.pk}/?page=Thames_Tunnel"
    page = text_of(browser.get(opened["Location"]))
    assert "thames tunnel" in page
    assert "Thames Tunnel</h2>" in page
    assert kinds(assignment) == ["search", "page_open"]


def test_without_scripts_a_problem_is_told_on_the_page(get, browser):
    response = get("work-read", "No_such_page", headers={})
    assert "has no page" in text_of(browser.get(response["Location"]))


def test_the_work_page_logs_nothing(get, browser, assignment):
    get("work-search", q="thames")
    get("work-read", THAMES)
    get("work-read", "River_Thames")
    before = kinds(assignment)
    for query in ("", f"?page={THAMES}", "?page=Never_opened", "?search=x&page=%01"):
        assert browser.get(f"/work/{assignment.pk}/{query}").status_code == 200
    html = text_of(browser.get(f"/work/{assignment.pk}/?page={THAMES}"))
    assert 'data-path="Thames_Tunnel" data-announce="Thames Tunnel"' in html
    assert kinds(assignment) == before


# --- quotes and events ----------------------------------------------------------------------------


def test_a_quote_comes_back_as_the_form_shows_it(get, post_quote, assignment):
    get("work-read", THAMES)
    response = post_quote()
    shown = response.json()
    assert response.status_code == 201
    assert shown["exact"] == "About 50,000 people"
    assert (shown["title"], shown["where"]) == ("Thames Tunnel", "Thames Tunnel, Opening and use")
    assert shown["url"] == (
        f"/work/{assignment.pk}/read/Thames_Tunnel?via=quote#quote-{shown['id']}"
    )
    assert "1 quote" in shown["history"]
    again = text_of(get("work-read", THAMES))
    assert f'"id": {shown["id"]}' in again


@pytest.mark.parametrize(
    "given",
    [{"exact": "nowhere at all"}, {"made_by": "suggestion"}, {"path": "a\x00"}, {"exact": ""}],
)
def test_a_quote_that_cannot_be_kept_is_422(get, post_quote, given):
    get("work-read", THAMES)
    response = post_quote(**given)
    assert response.status_code == 422
    assert response.json()["detail"].endswith(".")


def test_pasted_words_are_found_on_an_opened_page_or_nowhere(get, post_quote):
    pasted = {"path": "", "made_by": "paste"}
    assert post_quote(**pasted).status_code == 204
    get("work-read", THAMES)
    response = post_quote(exact="about 50,000 people", **pasted)
    assert response.status_code == 201
    assert response.json()["where"] == "Thames Tunnel, Opening and use"
    assert post_quote(exact="about 50,001 people", **pasted).status_code == 204


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe", b"[" * 50_000, b'{"events": ' + b" " * 70_000 + b"[]}"]
)
def test_what_is_no_report_is_400(post_events, assignment, body):
    response = post_events(body)
    assert response.status_code == 400
    assert response.json()["detail"]
    assert kinds(assignment) == []


def test_a_wrong_report_is_422_with_its_place(post_events):
    response = post_events({"events": [{"kind": "page_open"}]})
    assert response.status_code == 422
    assert response.json()["detail"].startswith("Event 1:")


def test_of_a_report_with_a_wrong_entry_the_rest_is_logged(get, post_events, assignment):
    get("work-read", THAMES)
    event = Event.objects.get()
    close = {"kind": "page_close", "page_open": event.pk, "dwell_ms": 0, "depth": 10}
    close |= {"id": "report-0001", "ago": 0}
    response = post_events({"events": [{**close, "depth": 101, "id": "report-0000"}, close]})
    assert response.status_code == 422
    assert response.json()["detail"] == "Event 1: depth is a whole number from 0 to 100."
    assert kinds(assignment) == ["page_open", "page_close"]


def test_a_report_is_204(get, post_events, assignment):
    get("work-read", THAMES)
    event = Event.objects.get()
    close = {"kind": "page_close", "page_open": event.pk, "dwell_ms": 0, "depth": 10}
    close |= {"id": "report-0001", "ago": 0}
    assert post_events({"events": [close]}).status_code == 204
    assert kinds(assignment) == ["page_open", "page_close"]


def test_the_log_of_submitted_work_is_closed(browser, ann, project, post_events):
    done = factories.make_assignment(factories.make_task(project), ann, state="submitted")
    done.ended_at -= timezone.timedelta(minutes=3)
    done.save()
    find = {"kind": "find_in_page", "query": "x", "hits": 0, "page_open": 1}
    find = {"events": [find | {"id": "report-0001", "ago": 0}]}
    response = post_events(find, pk=done.pk, headers={"Accept": "application/json"})
    assert response.status_code == 409
    assert "log is closed" in response.json()["detail"]


# --- who ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["ben", "rosa", "stan"])
def test_nobody_else_sees_or_writes_it(client_as, request, assignment, who):
    client = client_as(request.getfixturevalue(who))
    for name, args in (("work-search", ()), ("work-read", (THAMES,))):
        assert client.get(reverse(name, args=[assignment.pk, *args]), {"q": "x"}).status_code == 404
    for name in ("work-events", "work-quotes"):
        assert client.post(reverse(name, args=[assignment.pk])).status_code == 404
    assert kinds(assignment) == []


def test_methods_are_kept_apart(browser, assignment):
    for name, args in (("work-search", ()), ("work-read", (THAMES,))):
        assert browser.post(reverse(name, args=[assignment.pk, *args])).status_code == 405
    for name in ("work-events", "work-quotes"):
        assert browser.get(reverse(name, args=[assignment.pk])).status_code == 405


def test_a_report_needs_the_token_of_the_page(assignment, ann):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)
    url = reverse("work-events", args=[assignment.pk])
    assert client.post(url, "{}", content_type="application/json").status_code == 403


# --- cost -----------------------------------------------------------------------------------------


def count_queries(act):
    with CaptureQueriesContext(
        connection,
    ) as captured:
        act()
    return len(captured)


def test_queries_do_not_grow_with_the_log(get, browser, assignment, ann):
    def all_of_it():
        return (
            count_queries(lambda: get("work-search", q="thames tunnel")),
            count_queries(lambda: get("work-read", THAMES)),
            count_queries(lambda: browser.get(reverse("work-page", args=[assignment.pk]))),
        )

    get("work-read", THAMES)
    reading_services.save_quote(
        assignment=assignment, path=THAMES, exact="About 50,000 people", prefix="", suffix="",
        made_by="selection", target="1", by=ann, now=timezone.now(),
    )  # fmt: skip
    all_of_it()
    before = all_of_it()
    for number, path in enumerate(["River_Thames", "Ben_Nevis", "Forth_Bridge", "Sputnik_1"]):
        get("work-search", q=f"thames {number}")
        get("work-read", path)
        reading_services.save_quote(
            assignment=assignment, path=THAMES, exact="25 March 1843", prefix="", suffix="",
            made_by="selection", target="1", by=ann, now=timezone.now(),
        )  # fmt: skip
    assert all_of_it() == before


# --- where a phone begins -------------------------------------------------------------------------


def opens_at(browser, assignment):
    """The panel that a phone shows first."""
    html = browser.get(reverse("work-page", args=[assignment.pk])).text
    return re.findall(r'<a href="#(\w+)" aria-current="true">', html)


def test_a_phone_begins_with_what_to_read_until_something_was_read(browser, assignment):
    assert opens_at(browser, assignment) == ["read"]
    factories.make_visit(assignment)
    assert opens_at(browser, assignment) == ["write"]


def test_a_phone_begins_where_somebody_has_written(browser, assignment):
    assignment.draft_saved_at = timezone.now()
    assignment.draft_version = 1
    assignment.save()
    assert opens_at(browser, assignment) == ["write"]


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(0, ""), (3_000, "under a minute"), (59_999, "under a minute"), (61_000, "1 min")],
)
def test_reading_time_says_only_what_has_passed(milliseconds, words):
    assert ReadPage("Esk", "Esk", "", 1, milliseconds).read_for == words
