"""The log of an assignment (A67): searches, pages, quotes and warnings, in order."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from accounts import prepared_statements
from accounts.models import User
from annotation.access import work
from annotation.core.models.work import Assignment, Event
from annotation.core.refusals import Conflict, Denied
from annotation.core.states import SENTENCES
from annotation.reading.statements import LOG_SHOWN_WARNINGS

# How the reader got to a page. "title": the search box went to the page of exactly that title;
# "validator_chip": a validator followed a page that a colleague had read.
VIA = ("search", "link", "history", "quote", "suggestion", "title", "validator_chip")
MOST_RESULTS = 50
_LONGEST = 2_000
_MOST_MS = 24 * 3600 * 1000
Kind = Event.Kind


class BadEvent(Denied):
    """An event that does not have the shape of its kind (400)."""

    status = 400


def log_event(
    *,
    assignment: Assignment,
    kind: str,
    data: Mapping[str, Any],
    by: User,
    now: dt.datetime,
    key: str = "",
) -> Event:
    """Write one event. `data` has the shape of its kind; unknown keys are dropped.

    - search {query, offset, total, results: [{title, path, snippet}]}; a result whose title was
      the query has exact, one found by another name redirect_from, a misspelt query suggestion
    - page_open {title, path, via, search_event, rank, from_open, anchor, redirect_from, shown,
      rev_id, text_sha256, html_sha256, stored}: from_open is the visit whose link was followed,
      shown the page as it was kept, stored whether it came from there
    - page_close {page_open, dwell_ms, depth}: visible this much longer, percent scrolled
    - find_in_page {page_open, query, hits}; external_click {page_open, url}
    - quote {quote, target}; warning_shown {rule, field}; warning_kept {rule, field, reason}

    `key` is the browser's own name for the event. Raises BadEvent for an invalid shape, Conflict
    on submitted or skipped work.
    """
    work.check_owns(by, assignment)
    ended = assignment.state in (Assignment.State.SUBMITTED, Assignment.State.SKIPPED)
    if ended and not assignment.is_changing:
        raise Conflict(SENTENCES[assignment.state])
    return write_event(assignment=assignment, kind=kind, data=data, at=now, key=key)


def write_event(
    *,
    assignment: Assignment,
    kind: str,
    data: Mapping[str, Any],
    at: dt.datetime,
    key: str = "",
) -> Event:
    """Write one event; the caller has checked that it may be written."""
    read = _SHAPES.get(kind)
    if read is None:
        raise BadEvent(f"There is no event of the kind {kind[:40]!r}.")
    clean = read(data)
    _check_reference(assignment, clean, "search_event", Kind.SEARCH)
    _check_reference(assignment, clean, "page_open", Kind.PAGE_OPEN)
    _check_reference(assignment, clean, "from_open", Kind.PAGE_OPEN)
    return Event.objects.create(assignment=assignment, kind=kind, at=at, data=clean, key=key)


def warnings_shown(
    *,
    assignment: Assignment,
    warnings: Iterable[tuple[str, str]],
    by: User,
    now: dt.datetime,
) -> int:
    """Log the warnings, as (rule, field), that the person sees now; return how many are new.

    Each is logged once per assignment, however often a page reports it. One statement, none
    without warnings.
    """
    work.check_owns(by, assignment)
    rows = list(dict.fromkeys((rule[:40], field[:60]) for rule, field in warnings))
    if not rows:
        return 0
    written = prepared_statements.fetch_rows(
        LOG_SHOWN_WARNINGS,
        {
            "assignment": assignment.pk,
            "now": now,
            "rules": [rule for rule, _ in rows],
            "fields": [field for _, field in rows],
        },
    )
    return len(written)


def _check_reference(assignment: Assignment, data: Mapping[str, Any], name: str, kind: str) -> None:
    number = data.get(name)
    if number is None:
        return
    if not Event.objects.filter(pk=number, assignment_id=assignment.pk, kind=kind).exists():
        raise BadEvent(f"{name} {number} is not an event of this assignment.")


def _text(data: Mapping[str, Any], name: str, *, most: int = _LONGEST, empty: bool = False) -> str:
    value = data.get(name, "")
    if not isinstance(value, str) or not (value.strip() or empty):
        raise BadEvent(f"This event needs {name}, as text.")
    # PostgreSQL stores neither NUL nor lone surrogates.
    value = value.replace("\x00", "").encode("utf-8", "ignore").decode()
    return value[:most]


def _whole(
    data: Mapping[str, Any], name: str, most: int = 2**53, default: int | None = None
) -> int:
    value = data.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise BadEvent(f"This event needs {name}, a whole number from 0 to {most}.")
    return value


def _optional(data: Mapping[str, Any], name: str) -> int | None:
    return None if data.get(name) is None else _whole(data, name)


def _search(data: Mapping[str, Any]) -> dict[str, Any]:
    results = data.get("results", [])
    if not isinstance(results, list | tuple) or len(results) > MOST_RESULTS:
        raise BadEvent(f"A search lists its results, at most {MOST_RESULTS}.")
    if not all(isinstance(result, Mapping) for result in results):
        raise BadEvent("Each result of a search has title, path and snippet.")
    suggestion = _text(data, "suggestion", empty=True) if data.get("suggestion") else ""
    return {
        "query": _text(data, "query", empty=True),
        "offset": _whole(data, "offset", default=0),
        "total": _whole(data, "total", default=len(results)),
        "results": [_result(result) for result in results],
        **({"suggestion": suggestion} if suggestion else {}),
    }


def _result(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return one search result as it is logged; rare fields are left out where they are empty."""
    result: dict[str, Any] = {
        "title": _text(data, "title", most=500),
        "path": _text(data, "path"),
        "snippet": _text(data, "snippet", empty=True),
    }
    if data.get("redirect_from"):
        result["redirect_from"] = _text(data, "redirect_from", most=500)
    if data.get("exact") is True:
        result["exact"] = True
    return result


def _page_open(data: Mapping[str, Any]) -> dict[str, Any]:
    if data.get("via") not in VIA:
        raise BadEvent(f"A page is opened via one of: {', '.join(VIA)}.")
    redirect = data.get("redirect_from")
    return {
        "title": _text(data, "title", most=500),
        "path": _text(data, "path"),
        "via": data["via"],
        "search_event": _optional(data, "search_event"),
        "rank": _optional(data, "rank"),
        "from_open": _optional(data, "from_open"),
        "anchor": _text(data, "anchor", most=300, empty=True),
        "redirect_from": None if redirect is None else _text(data, "redirect_from"),
        "shown": _optional(data, "shown"),
        "rev_id": _optional(data, "rev_id"),
        "text_sha256": _text(data, "text_sha256", most=64, empty=True),
        "html_sha256": _text(data, "html_sha256", most=64, empty=True),
        "stored": data.get("stored") is True,
    }


def _page_close(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "page_open": _whole(data, "page_open"),
        "dwell_ms": min(_whole(data, "dwell_ms"), _MOST_MS),
        "depth": _whole(data, "depth", most=100, default=0),
    }


def _find(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "page_open": _optional(data, "page_open"),
        "query": _text(data, "query", most=500),
        "hits": _whole(data, "hits"),
    }


def _external(data: Mapping[str, Any]) -> dict[str, Any]:
    url = _text(data, "url")
    if not url.startswith(("http://", "https://", "//", "mailto:")):
        raise BadEvent("An external link begins with http or https.")
    return {"page_open": _optional(data, "page_open"), "url": url}


def _quote(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"quote": _whole(data, "quote"), "target": _text(data, "target", most=60, empty=True)}


def _shown(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"rule": _text(data, "rule", most=40), "field": _text(data, "field", most=60)}


def _kept(data: Mapping[str, Any]) -> dict[str, Any]:
    return {**_shown(data), "reason": _text(data, "reason")}


_SHAPES: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    Kind.SEARCH: _search,
    Kind.PAGE_OPEN: _page_open,
    Kind.PAGE_CLOSE: _page_close,
    Kind.FIND_IN_PAGE: _find,
    Kind.EXTERNAL_CLICK: _external,
    Kind.QUOTE: _quote,
    Kind.WARNING_SHOWN: _shown,
    Kind.WARNING_KEPT: _kept,
}
