"""What the browser reports is checked strictly, each entry for itself."""

import datetime as dt
import threading

import pytest
from django.db import connection

from annotation.core.refusals import Conflict
from annotation.models import Event
from annotation.reading import browser_events
from annotation.reading.services import ReadingRefused
from tests.annotation.reading.steps import logged, open_page

NOW = dt.datetime(2026, 11, 20, 9, 5, tzinfo=dt.UTC)


@pytest.fixture
def assignment(assignment):
    """It began before the moments these tests speak of."""
    began = NOW - dt.timedelta(hours=2)
    type(assignment).objects.filter(pk=assignment.pk).update(started_at=began)
    assignment.refresh_from_db()
    return assignment


def send(assignment, payload, now=NOW):
    return browser_events.log_reported(
        assignment=assignment, payload=payload, by=assignment.user, now=now
    )


def report(assignment, payload, now=NOW):
    """What is logged of a batch in which nothing is wrong."""
    reported = send(assignment, payload, now)
    assert reported.problems == ()
    return list(reported.logged)


def find(event, number=1, **more):
    said = {"kind": "find_in_page", "id": f"report-{number:04}", "ago": 0, "page_open": event}
    return {**said, "query": "opened", "hits": 7, **more}


def close(event, number=2, **more):
    said = {"kind": "page_close", "id": f"report-{number:04}", "ago": 0, "page_open": event}
    return {**said, "dwell_ms": 1200, "depth": 100, **more}


def click(event, number=3, **more):
    said = {"kind": "external_click", "id": f"report-{number:04}", "ago": 0, "page_open": event}
    return {**said, "url": "https://en.wikipedia.org/wiki/X?a=b", **more}


def test_a_report_is_logged_as_it_is(assignment):
    event = open_page(assignment).event
    report(assignment, {"events": [find(event), click(event), close(event)]})
    assert logged(assignment)[1:] == [
        ("find_in_page", {"page_open": event, "query": "opened", "hits": 7}),
        ("external_click", {"page_open": event, "url": "https://en.wikipedia.org/wiki/X?a=b"}),
        ("page_close", {"page_open": event, "dwell_ms": 1200, "depth": 100}),
    ]


def test_what_is_reported_twice_counts_once(assignment, others):
    event = open_page(assignment).event
    assert len(report(assignment, {"events": [find(event), close(event)]})) == 2
    assert report(assignment, {"events": [find(event), close(event)]}) == []
    again = report(assignment, {"events": [close(event), click(event), click(event)]})
    assert [each.kind for each in again] == ["external_click"]
    assert len(logged(assignment)) == 4
    theirs = open_page(others).event
    assert len(report(others, {"events": [find(theirs)]})) == 1  # names are each work's own


@pytest.mark.django_db(transaction=True)
def test_the_same_report_at_once_counts_once(assignment):
    event = open_page(assignment).event
    gate, counts = threading.Barrier(5), []

    def send():
        try:
            gate.wait()
            counts.append(len(report(assignment, {"events": [find(event), close(event)]})))
        finally:
            connection.close()

    threads = [threading.Thread(target=send) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(counts) == [0, 0, 0, 0, 2]
    assert len(logged(assignment)) == 3


def test_reports_may_come_late_and_in_any_order(assignment):
    first = open_page(assignment).event
    second = open_page(assignment, "River_Thames").event
    minute = 60_000
    report(assignment, {"events": [close(second, 1, ago=0), find(second, 2, ago=minute)]})
    report(assignment, {"events": [close(first, 3, ago=2 * minute, dwell_ms=9_000)]})
    rows = Event.objects.exclude(kind="page_open").order_by("at", "id")
    assert [(row.data["page_open"], row.kind) for row in rows] == [
        (first, "page_close"), (second, "find_in_page"), (second, "page_close"),
    ]  # fmt: skip
    assert [NOW - row.at for row in rows] == [dt.timedelta(minutes=n) for n in (2, 1, 0)]


def test_no_clock_leads_out_of_the_time_of_a_visit(assignment):
    event = open_page(assignment).event
    opened = Event.objects.get(pk=event).at
    [shut] = report(assignment, {"events": [close(event, ago=24 * 3600 * 1000)]})
    assert (shut.at, shut.data["dwell_ms"]) == (opened, 0)
    [found] = report(assignment, {"events": [find(event, ago=24 * 3600 * 1000)]})
    assert found.at == opened


def test_what_was_under_way_when_the_work_was_handed_in_is_still_taken(assignment):
    event = open_page(assignment).event
    type(assignment).objects.filter(pk=assignment.pk).update(
        state="submitted", lease_ends_at=None, ended_at=NOW, submitted_at=NOW
    )
    assignment.refresh_from_db()
    soon = NOW + dt.timedelta(minutes=1)
    assert len(report(assignment, {"events": [find(event), close(event)]}, now=soon)) == 2
    with pytest.raises(Conflict, match="log is closed"):
        report(assignment, {"events": [find(event, 9)]}, now=NOW + dt.timedelta(minutes=3))


FIND, CLICK, CLOSE = find(1), click(1), close(1)


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
    ],
)
def test_what_is_no_batch_changes_nothing(assignment, payload):
    with pytest.raises(ReadingRefused):
        send(assignment, payload)
    assert logged(assignment) == []


@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        {"kind": []},
        {"kind": "search", "query": "x"},
        {"kind": "page_open", "title": "x"},
        {"kind": "quote", "quote": 1},
        {**FIND, "extra": 1},
        {"kind": "find_in_page"},
        {**FIND, "hits": -1},
        {**FIND, "hits": True},
        {**FIND, "hits": 1.5},
        {**FIND, "hits": 10**30},
        {**FIND, "query": ""},
        {**FIND, "query": "x" * 201},
        {**FIND, "query": "a\x00b"},
        {**FIND, "query": "\ud800"},
        {**CLICK, "url": "javascript:alert(1)"},
        {**CLICK, "url": "//example.org"},
        {**CLICK, "url": "https://[bad"},
        {**CLICK, "url": "https://x/" + "y" * 2_000},
        {**CLOSE, "page_open": 10**18},
        {**CLOSE, "page_open": 10**40},
        {**CLOSE, "page_open": None},
        {**CLOSE, "depth": 101},
        {**CLOSE, "depth": None},
        {**CLOSE, "dwell_ms": -1},
        {**CLOSE, "dwell_ms": 10**12},
        {**CLOSE, "ago": -1},
        {**CLOSE, "ago": 10**12},
        {**CLOSE, "id": "short"},
        {**CLOSE, "id": "x" * 41},
        {**CLOSE, "id": "report/0002"},
        {**CLOSE, "id": 12345678},
        {key: CLOSE[key] for key in CLOSE if key != "id"},
    ],
)
def test_an_entry_that_is_not_right_is_named_and_the_others_are_logged(assignment, entry):
    event = open_page(assignment).event
    batch = [find(event, 50), entry, close(event, 51)]
    reported = send(assignment, {"events": batch})
    [problem] = reported.problems
    assert problem.startswith("Event 2: ")
    assert [kind for kind, _ in logged(assignment)[1:]] == ["find_in_page", "page_close"]
    # What was logged is not logged again, what was not right does not become so.
    again = send(assignment, {"events": batch})
    assert (again.logged, again.problems) == ((), reported.problems)


def test_the_visit_of_another_work_is_an_entry_that_is_not_right(assignment, others):
    theirs = open_page(others).event
    reported = send(assignment, {"events": [find(theirs), close(theirs)]})
    assert len(reported.problems) == 2
    assert "no such visit" in reported.problems[0]
    assert logged(assignment) == []
