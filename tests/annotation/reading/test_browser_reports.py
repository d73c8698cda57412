"""What the browser reports is checked strictly, all or nothing."""

import datetime as dt

import pytest

from annotation.services import browser_events
from annotation.services.reading import ReadingRefused
from tests.annotation.reading.steps import logged, open_page


def report(assignment, payload):
    return browser_events.log_reported(
        assignment=assignment,
        payload=payload,
        by=assignment.user,
        now=dt.datetime(2026, 11, 20, 9, 5, tzinfo=dt.UTC),
    )


def test_a_report_is_logged_as_it_is(assignment):
    event = open_page(assignment).event
    report(
        assignment,
        {
            "events": [
                {"kind": "find_in_page", "query": "opened", "hits": 7},
                {"kind": "external_click", "url": "https://en.wikipedia.org/wiki/X?a=b"},
                {"kind": "page_close", "page_open": event, "dwell_ms": 1200, "depth": 100},
            ]
        },
    )
    assert logged(assignment)[1:] == [
        ("find_in_page", {"query": "opened", "hits": 7}),
        ("external_click", {"url": "https://en.wikipedia.org/wiki/X?a=b"}),
        ("page_close", {"page_open": event, "dwell_ms": 1200, "depth": 100}),
    ]


FIND = {"kind": "find_in_page", "query": "x", "hits": 1}
CLICK = {"kind": "external_click", "url": "https://example.org"}


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        "events",
        {},
        {"events": []},
        {"events": {}},
        {"events": [FIND], "more": 1},
        {"events": [FIND] * 21},
        {"events": [None]},
        {"events": [[]]},
        {"events": [{"kind": []}]},
        {"events": [{"kind": "search", "query": "x"}]},
        {"events": [{"kind": "page_open", "title": "x"}]},
        {"events": [{"kind": "quote", "quote": 1}]},
        {"events": [{**FIND, "extra": 1}]},
        {"events": [{"kind": "find_in_page"}]},
        {"events": [{**FIND, "hits": -1}]},
        {"events": [{**FIND, "hits": True}]},
        {"events": [{**FIND, "hits": 1.5}]},
        {"events": [{**FIND, "hits": 10**30}]},
        {"events": [{**FIND, "query": ""}]},
        {"events": [{**FIND, "query": "x" * 201}]},
        {"events": [{**FIND, "query": "a\x00b"}]},
        {"events": [{**FIND, "query": "\ud800"}]},
        {"events": [{**CLICK, "url": "javascript:alert(1)"}]},
        {"events": [{**CLICK, "url": "//example.org"}]},
        {"events": [{**CLICK, "url": "https://[bad"}]},
        {"events": [{**CLICK, "url": "https://x/" + "y" * 2_000}]},
        {"events": [{"kind": "page_close", "page_open": 10**18, "dwell_ms": 1, "depth": 1}]},
        {"events": [{"kind": "page_close", "page_open": 10**40, "dwell_ms": 1, "depth": 1}]},
        {"events": [{"kind": "page_close", "page_open": 1, "dwell_ms": 1, "depth": 101}]},
        {"events": [FIND, {**FIND, "hits": "many"}]},
    ],
)
def test_a_report_that_is_not_right_changes_nothing(assignment, payload):
    with pytest.raises(ReadingRefused):
        report(assignment, payload)
    assert logged(assignment) == []
