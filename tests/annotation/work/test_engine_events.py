"""The log keeps known shapes, cleaned, of the person's own work."""

import pytest

from annotation.core.refusals import Conflict, Denied
from annotation.models import Event
from annotation.reading import events
from tests import factories

SEARCH = {
    "query": "thames tunnel",
    "offset": 0,
    "total": 1,
    "results": [{"title": "Thames Tunnel", "path": "Thames_Tunnel", "snippet": "<b>Thames</b>"}],
}
PAGE = {"title": "Thames Tunnel", "path": "Thames_Tunnel", "via": "search"}


@pytest.fixture
def work(project, ann):
    return factories.make_assignment(factories.make_task(project), ann)


@pytest.fixture
def log(work, ann, now):
    def write(kind, data, assignment=work, by=ann):
        return events.log_event(assignment=assignment, kind=kind, data=data, by=by, now=now)

    return write


def test_a_visit_is_linked_to_its_search(log):
    search = log("search", SEARCH)
    assert search.data == SEARCH
    page = log("page_open", {**PAGE, "search_event": search.pk, "rank": 1, "extra": "dropped"})
    assert page.data["search_event"] == search.pk
    assert "extra" not in page.data
    close = log("page_close", {"page_open": page.pk, "dwell_ms": 12_000, "depth": 40})
    assert close.data == {"page_open": page.pk, "dwell_ms": 12_000, "depth": 40}
    assert [event.kind for event in Event.objects.all()] == ["search", "page_open", "page_close"]


def test_text_the_database_cannot_hold_is_cleaned(log):
    event = log("search", {"query": "a\x00b\ud800c", "results": []})
    assert Event.objects.get(pk=event.pk).data["query"] == "abc"


@pytest.mark.parametrize(
    ("kind", "data", "sentence"),
    [
        ("nap", {}, "no event of the kind"),
        ("search", {"query": 3}, "needs query, as text"),
        ("search", {"query": "x", "results": "y"}, "lists its results"),
        ("search", {"query": "x", "results": [{}] * 51}, "at most 50"),
        ("search", {"query": "x", "results": [1]}, "title, path and snippet"),
        ("search", {"query": "x", "offset": -1}, "needs offset"),
        ("page_open", {**PAGE, "via": "magic"}, "opened via one of"),
        ("page_open", {**PAGE, "title": ""}, "needs title"),
        ("page_open", {**PAGE, "search_event": 10**9}, "not an event of this assignment"),
        ("page_open", {**PAGE, "rank": True}, "needs rank"),
        ("page_close", {"dwell_ms": 1}, "needs page_open"),
        ("page_close", {"page_open": 10**9, "dwell_ms": 1}, "not an event of this assignment"),
        ("find_in_page", {"query": "x"}, "needs hits"),
        ("external_click", {"url": "javascript:alert(1)"}, "begins with http"),
        ("quote", {"target": "single"}, "needs quote"),
        ("warning_shown", {"rule": "r"}, "needs field"),
        ("warning_kept", {"rule": "r", "field": "f"}, "needs reason"),
    ],
)
def test_bad_shapes_are_refused_with_a_sentence(log, kind, data, sentence):
    with pytest.raises(events.BadEvent, match=sentence) as refused:
        log(kind, data)
    assert refused.value.status == 400
    assert not Event.objects.exists()


def test_an_event_of_other_work_is_no_reference(log, project, ben, now):
    other = factories.make_assignment(factories.make_task(project), ben)
    theirs = log("page_open", PAGE, assignment=other, by=ben)
    with pytest.raises(events.BadEvent, match="not an event of this assignment"):
        log("page_close", {"page_open": theirs.pk, "dwell_ms": 1})


def test_only_the_own_log(log, ben):
    with pytest.raises(Denied, match="omeone else"):
        log("search", SEARCH, by=ben)


@pytest.mark.parametrize("state", ["submitted", "skipped"])
def test_finished_work_is_logged_no_more(log, project, ann, state):
    over = factories.make_assignment(factories.make_task(project), ann, state)
    with pytest.raises(Conflict):
        log("search", SEARCH, assignment=over)


def test_a_warning_shown_is_logged_once(work, ann, now, django_assert_num_queries):
    seen = [("long-answer", "answer-1"), ("slash", "answer-1"), ("long-answer", "answer-1")]

    def show(warnings):
        return events.warnings_shown(assignment=work, warnings=warnings, by=ann, now=now)

    with django_assert_num_queries(1):
        assert show(seen) == 2
    assert show([*seen, ("slash", "answer-2")]) == 1
    with django_assert_num_queries(0):
        assert show([]) == 0
    assert [event.data for event in Event.objects.order_by("id")] == [
        {"rule": "long-answer", "field": "answer-1"},
        {"rule": "slash", "field": "answer-1"},
        {"rule": "slash", "field": "answer-2"},
    ]
