"""The log of searching and reading is exact, and nothing but what happened is in it."""

import datetime as dt
import threading

import pytest
from django.db import connection

from annotation.core.refusals import Conflict, Denied
from annotation.models import Event
from annotation.reading import queries as reading_queries
from annotation.reading import services as reading_services
from annotation.reading.services import ReadingRefused
from tests import factories
from tests.annotation.reading.steps import THAMES, logged, open_page, quote, search
from wikipedia.html.page import PageMissing
from wikipedia.models import Quote, ShownPage


def test_a_search_is_logged_with_what_it_showed(assignment):
    found = search(assignment, "  Thames\n tunnel ")
    [(kind, data)] = logged(assignment)
    assert kind == "search"
    assert set(data) == {"query", "offset", "total", "results"}
    assert (data["query"], data["offset"], data["total"]) == ("Thames tunnel", 0, found.total)
    assert len(data["results"]) == 10
    assert all({"title", "path", "snippet"} <= set(result) for result in data["results"])
    assert data["results"][0]["title"] == "Thames Tunnel"
    assert any("<b>" in result["snippet"] for result in data["results"])
    assert [result.rank for result in found.results] == list(range(1, 11))


def test_the_next_page_of_results_goes_on_counting(assignment):
    first = search(assignment)
    second = search(assignment, offset=first.next_offset)
    assert second.results[0].rank == 11
    assert not {r.path for r in first.results} & {r.path for r in second.results}
    assert second.previous_offset == 0
    assert second.event != first.event


def test_repeating_the_last_search_is_no_step(assignment):
    first, again = search(assignment), search(assignment)
    assert again.event == first.event
    search(assignment, "river")
    third = search(assignment)
    assert third.event != first.event
    assert len(logged(assignment)) == 3


@pytest.mark.parametrize("query", ["", "   ", "\x00\x07"])
def test_an_empty_search_says_what_to_write(assignment, query):
    with pytest.raises(ReadingRefused, match="Write what to search for"):
        search(assignment, query)
    assert logged(assignment) == []


def test_a_search_that_is_too_long_says_so(assignment):
    with pytest.raises(ReadingRefused, match=r"501 characters. The maximum is 500"):
        search(assignment, "x" * 501)


@pytest.mark.parametrize(
    "query",
    ["title:(", '"', "a AND", "*", "x" * 500, "🦉", "<script>", "\ud800x", "~1 ^9 [1 TO 2]"],
)
def test_no_character_of_a_search_is_an_operator(assignment, query):
    search(assignment, query)
    assert len(logged(assignment)) == 1


def test_a_snippet_is_escaped_except_for_its_marks(assignment, monkeypatch):
    from wikipedia.search.results import SearchHit

    hit = SearchHit("T", "T", (("<i>a</i> & ", False), ("<b>", True)), 1.0)
    assert reading_services._marked(hit) == "&lt;i&gt;a&lt;/i&gt; &amp; <b>&lt;b&gt;</b>"


def test_opening_a_result_is_logged_with_its_rank(assignment):
    found = search(assignment)
    result = found.results[2]
    opened = open_page(
        assignment, result.path, via="search", search_event=found.event, rank=result.rank
    )
    kind, data = logged(assignment)[-1]
    assert kind == "page_open"
    assert data == {
        "title": result.title,
        "path": result.path,
        "via": "search",
        "search_event": found.event,
        "rank": 3,
        "from_open": None,
        "anchor": "",
        "redirect_from": None,
        "shown": ShownPage.objects.get().pk,
        "rev_id": None,
        "text_sha256": opened.article.text_sha256,
        "html_sha256": ShownPage.objects.get().html_sha256,
        "stored": False,
    }


def test_a_link_is_logged_with_the_visit_and_the_place_it_leads_to(assignment, others):
    first = open_page(assignment).event
    second = open_page(assignment, "River_Thames", from_open=first, anchor="w-Course").event
    assert [logged(assignment)[1][1][key] for key in ("via", "from_open", "anchor")] == [
        "link", first, "w-Course",
    ]  # fmt: skip
    # A browser that says nothing, or something wrong: it was the page that was on show.
    theirs = open_page(others).event
    for said, path in ((None, "Ben_Nevis"), (theirs, THAMES), (10**12, "River_Thames")):
        before = Event.objects.filter(assignment=assignment).last().pk
        open_page(assignment, path, from_open=said, anchor="a\x00b\n" + "c" * 900)
        data = logged(assignment)[-1][1]
        assert data["from_open"] == before
        assert data["anchor"] == "a b " + "c" * 296
    open_page(assignment, THAMES, via="history", from_open=second)
    assert logged(assignment)[-1][1]["from_open"] is None


def test_a_rank_nobody_was_shown_is_not_believed(assignment, others):
    mine, theirs = search(assignment), search(others)
    for event, rank in [(mine.event, 9), (theirs.event, 1), (None, 1), (10**9, 1), (mine.event, 0)]:
        open_page(assignment, "Ben_Nevis", via="link")  # so that the next one is a step
        open_page(assignment, THAMES, via="search", search_event=event, rank=rank)
        data = logged(assignment)[-1][1]
        assert (data["via"], data["search_event"], data["rank"]) == ("link", None, None)


def test_an_unknown_way_to_a_page_is_a_link(assignment):
    open_page(assignment, via="<script>")
    assert logged(assignment)[0][1]["via"] == "link"


def test_a_redirect_counts_once_as_the_page_it_leads_to(assignment):
    opened = open_page(assignment, "Brunel's_tunnel")
    assert opened.source.path == THAMES
    assert logged(assignment)[0][1]["redirect_from"] == "Brunel's_tunnel"
    again = open_page(assignment, THAMES)
    assert again.event == opened.event
    history = reading_queries.history_of(assignment)
    assert [page.path for page in history.pages] == [THAMES]


def test_loading_a_page_again_is_no_second_visit(assignment):
    first = open_page(assignment)
    assert open_page(assignment).event == first.event
    open_page(assignment, "River_Thames")
    assert open_page(assignment, via="history").event != first.event
    assert [data["path"] for _, data in logged(assignment)] == [THAMES, "River_Thames", THAMES]


@pytest.mark.django_db(transaction=True)
def test_a_double_click_is_one_visit(assignment):
    gate, events = threading.Barrier(6), []

    def click():
        try:
            gate.wait()
            events.append(open_page(assignment).event)
        finally:
            connection.close()

    threads = [threading.Thread(target=click) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(events) == 6
    assert len(set(events)) == 1
    assert len(logged(assignment)) == 1
    assert ShownPage.objects.count() == 1


def test_what_was_shown_is_kept_once_per_content(assignment, others):
    opened = open_page(assignment)
    open_page(others)
    shown = ShownPage.objects.get()
    assert (shown.path, shown.text) == (THAMES, opened.article.text)
    assert shown.text_sha256 == opened.article.text_sha256


def test_a_missing_page_is_not_logged(assignment):
    with pytest.raises(PageMissing, match="has no page"):
        open_page(assignment, "No_such_page")
    assert logged(assignment) == []


def test_links_of_an_article_lead_into_this_work(assignment, others):
    for each in (assignment, others):
        html = open_page(each).article.html
        assert f'href="/work/{each.pk}/read/River_Thames"' in html
        assert "/work/0/" not in html
        assert 'src="/wikipedia/demo/files/images/thames-tunnel.svg"' in html


def test_somebody_elses_work_is_refused(assignment, ben):
    for act in (
        lambda: search(assignment, by=ben),
        lambda: open_page(assignment, by=ben),
        lambda: quote(assignment, by=ben),
        lambda: reading_services.find_in_page(
            assignment=assignment, query="x", hits=1, by=ben, now=assignment.started_at
        ),
    ):
        with pytest.raises(Denied, match="omeone else"):
            act()
    assert logged(assignment) == []


# --- time ---------------------------------------------------------------------------------------


def close(assignment, page_open, dwell_ms, seconds=600, depth=40):
    opened = Event.objects.get(pk=page_open)
    return reading_services.close_page(
        assignment=assignment,
        page_open=page_open,
        dwell_ms=dwell_ms,
        depth=depth,
        by=assignment.user,
        now=opened.at + dt.timedelta(seconds=seconds),
    )


def test_time_of_a_visit_is_the_sum_of_its_closes(assignment):
    event = open_page(assignment).event
    close(assignment, event, 61_000)
    close(assignment, event, 30_000, depth=90)
    assert logged(assignment)[1] == (
        "page_close",
        {"page_open": event, "dwell_ms": 61_000, "depth": 40},
    )
    [page] = reading_queries.history_of(assignment).pages
    assert page.milliseconds == 91_000
    assert page.read_for == "1 min"


def test_nobody_reads_longer_than_the_page_was_open(assignment):
    event = open_page(assignment).event
    assert close(assignment, event, 3_600_000, seconds=5).data["dwell_ms"] == 5_000
    assert close(assignment, event, 3_600_000, seconds=7).data["dwell_ms"] == 2_000
    assert close(assignment, event, 3_600_000, seconds=7).data["dwell_ms"] == 0


def test_only_own_visits_are_closed(assignment, others):
    theirs = open_page(others).event
    with pytest.raises(ReadingRefused, match="no such visit"):
        close(assignment, theirs, 1_000)


# --- states --------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["parked", "expired"])
def test_work_that_can_still_be_handed_in_is_logged(project, ben, state):
    theirs = factories.make_assignment(factories.make_task(project), ben, state=state)
    search(theirs)
    open_page(theirs)
    quote(theirs)
    assert [kind for kind, _ in logged(theirs)] == ["search", "page_open", "quote"]


@pytest.mark.parametrize("state", ["submitted", "returned", "skipped"])
def test_work_that_is_done_is_read_and_not_logged(project, ben, state):
    done = factories.make_assignment(factories.make_task(project), ben, state=state)
    assert search(done).results
    assert search(done).event is None
    opened = open_page(done)
    assert opened.event is None
    assert "Thames" in opened.article.text
    for act in (
        lambda: quote(done),
        lambda: reading_services.external_click(
            assignment=done,
            url="https://example.org",
            by=ben,
            now=done.ended_at + dt.timedelta(minutes=3),
        ),
    ):
        with pytest.raises(Conflict, match="log is closed"):
            act()
    assert logged(done) == []
    assert ShownPage.objects.count() == 0


# --- quotes --------------------------------------------------------------------------------------


def test_a_quote_knows_where_it_stands(assignment):
    open_page(assignment)
    made = quote(assignment, "About 50,000  people paid", prefix="", suffix=" a penny")
    assert (made.exact, made.block_kind) == ("About 50,000 people paid", "paragraph")
    assert made.section_path == ["Opening and use"]
    assert made.page.text[made.start : made.end] == made.exact
    assert made.suffix.startswith(" a penny")
    assert made.created_by == assignment.user
    assert logged(assignment)[-1] == ("quote", {"quote": made.pk, "target": "1"})


def test_surroundings_tell_two_places_apart(assignment):
    open_page(assignment)
    cell = quote(assignment, "7 December 1869", suffix="Steam trains of the East London")
    assert cell.block_kind == "table_cell"
    box = quote(assignment, "25 March 1843", prefix="1825Opened", suffix="Length")
    assert box.block_kind == "infobox"
    assert box.start < quote(assignment, "25 March 1843", suffix="People on foot").start


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"exact": "words that are nowhere"}, "is not in the text"),
        ({"exact": "  "}, "Nothing is selected"),
        ({"exact": "x" * 1_001}, "1,001 characters"),
        ({"path": "River_Thames"}, "was not opened in this work"),
        ({"path": "a\x00b"}, "No page"),
        ({"target": "<b>"}, "not one of the answers"),
        ({"target": "0"}, "not one of the answers"),
    ],
)
def test_a_quote_that_cannot_be_kept_says_why(assignment, given, sentence):
    open_page(assignment)
    with pytest.raises(ReadingRefused, match=sentence):
        quote(assignment, **given)
    assert Quote.objects.count() == 0
    assert [kind for kind, _ in logged(assignment)] == ["page_open"]


def test_a_page_somebody_else_opened_is_not_opened(assignment, others):
    open_page(others)
    with pytest.raises(ReadingRefused, match="was not opened"):
        quote(assignment)


def test_quotes_of_another_work_are_not_mine(assignment, others):
    open_page(assignment)
    open_page(others)
    mine, theirs = quote(assignment), quote(others)
    assert reading_queries.quotes_in(assignment) == [mine]
    assert reading_queries.quotes_in(assignment, [mine.pk, theirs.pk, 10**9]) == [mine]
    assert reading_queries.quotes_in(assignment, [theirs.pk]) == []


def test_pasted_words_are_matched_to_opened_pages_only(assignment):
    open_page(assignment, "River_Thames")
    assert reading_queries.match_pasted(assignment=assignment, text="about 50,000 people") is None
    open_page(assignment)
    found = reading_queries.match_pasted(assignment=assignment, text="about  50,000 PEOPLE")
    assert found.exact == "About 50,000 people"
    assert found.page.title == "Thames Tunnel"
    made = reading_services.quote_pasted(
        assignment=assignment,
        text="about  50,000 PEOPLE",
        target="2",
        by=assignment.user,
        now=assignment.started_at,
    )
    assert (made.start, made.end, made.made_by) == (found.start, found.end, "paste")
    assert made.section_path == ["Opening and use"]


@pytest.mark.parametrize("text", ["", "…", "no such words anywhere", "out 50,000 peo"])
def test_pasted_words_that_are_not_there_match_nothing(assignment, text):
    open_page(assignment)
    assert reading_queries.match_pasted(assignment=assignment, text=text) is None


def test_the_last_page_may_be_closed_just_after_the_end(assignment):
    opened = open_page(assignment).event
    at = Event.objects.get().at + dt.timedelta(seconds=50)
    type(assignment).objects.filter(pk=assignment.pk).update(
        state="submitted", lease_ends_at=None, ended_at=at, submitted_at=at
    )
    assignment.refresh_from_db()
    assert close(assignment, opened, 50_000, seconds=52).data["dwell_ms"] == 50_000
    with pytest.raises(Conflict, match="log is closed"):
        close(assignment, opened, 1_000, seconds=600)
