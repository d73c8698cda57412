"""What the reader reports arrives once, whatever the connection does; without it little is lost."""

import pytest
from playwright.sync_api import expect

from annotation.models import Event
from tests.browser.helpers import allow_problem, becomes
from tests.browser.test_reading import (  # noqa: F401 - fixtures
    demo_folder,
    events,
    kinds,
    open_result,
    search,
    title_is,
    work,
)


def look_for(page, words):
    page.fill("#find", words)
    page.press("#find", "Escape")  # says and reports it at once


def reported(page, kind, number):
    """Wait until the server has so many of a kind, and all else that was reported."""
    becomes(page, lambda: len(events(kind)) >= number, True)
    nothing_waits(page)  # one too many would have come
    return events(kind)


# All that is kept for this tab, but the address that htmx notes.
KEPT = "Object.entries(sessionStorage).filter(([key]) => !key.startsWith('htmx-')).join()"


def nothing_waits(page):
    """Wait until the server has acknowledged every report."""
    becomes(page, lambda: page.evaluate(KEPT).rpartition(",")[2], "[]")


@pytest.fixture
def reading(work):  # noqa: F811
    search(work, "thames tunnel")
    open_result(work, "Thames Tunnel")
    return work


def test_what_did_not_arrive_is_sent_again_also_after_loading_the_page_again(reading):
    page = reading
    allow_problem(page, "ERR_FAILED")
    page.route("**/events/", lambda route: route.abort())
    look_for(page, "penny")
    page.wait_for_timeout(600)
    page.locator(".article-text a", has_text="River Thames").first.click()
    title_is(page, "River Thames")
    page.wait_for_timeout(600)
    assert kinds() == ["search", "page_open", "page_open"]  # the server's own log is whole
    page.unroute("**/events/")
    page.reload()
    title_is(page, "River Thames")
    [find] = reported(page, "find_in_page", 1)
    first, second = Event.objects.filter(kind="page_open").order_by("id")
    assert find == {"page_open": first.pk, "query": "penny", "hits": 1}
    closed = reported(page, "page_close", 2)
    assert [each["page_open"] for each in closed] == [first.pk, second.pk]
    late = Event.objects.get(kind="find_in_page")
    assert first.at <= late.at < second.at  # when it happened, not when it came
    assert second.data["from_open"] == first.pk
    nothing_waits(page)


def test_what_arrived_and_was_not_acknowledged_counts_once(reading):
    page = reading
    allow_problem(page, "ERR_FAILED")
    arrived = []

    def lose_the_reply(route):
        arrived.append(route.fetch())
        route.abort()

    page.route("**/events/", lose_the_reply)
    look_for(page, "penny")
    for number in (1, 2):
        page.evaluate("dispatchEvent(new Event('online'))")
        becomes(page, lambda number=number: len(arrived) >= number, True)
        assert len(events("find_in_page")) == 1
    page.unroute("**/events/")
    page.evaluate("dispatchEvent(new Event('online'))")
    nothing_waits(page)
    assert len(events("find_in_page")) == 1


def test_without_any_report_the_log_has_every_step(reading):
    page = reading
    allow_problem(page, "ERR_FAILED")
    page.route("**/events/", lambda route: route.abort())
    page.locator(".article-text a", has_text="River Thames").first.click()
    title_is(page, "River Thames")
    page.go_back()
    title_is(page, "Thames Tunnel")
    expect(page.locator("#history")).to_contain_text("River Thames")
    assert kinds() == ["search", "page_open", "page_open", "page_open"]
    assert [each["via"] for each in events("page_open")] == ["search", "link", "history"]
