"""Events that a person's browser reports: each is checked strictly and logged once."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from django.db import transaction

from accounts.models import User
from annotation.access import work
from annotation.core.models.work import Assignment, Event
from annotation.reading import services as reading
from annotation.reading.services import ReadingRefused

MAX_EVENTS: Final = 20
MAX_DWELL_MS: Final = 24 * 3600 * 1000
MAX_AGO_MS: Final = 24 * 3600 * 1000
MAX_HITS: Final = 1_000_000
MAX_ID: Final = 2**63 - 1
MAX_FIND: Final = 200
MAX_URL: Final = 2_000
_BAD: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_KEY: Final = re.compile(r"[A-Za-z0-9-]{8,40}", re.ASCII)
_ALWAYS: Final = frozenset(["kind", "id", "ago", "page_open"])
_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "page_close": frozenset(["dwell_ms", "depth"]),
    "find_in_page": frozenset(["query", "hits"]),
    "external_click": frozenset(["url"]),
}


@dataclass(frozen=True)
class LoggedBatch:
    """The outcome of a batch: the events logged now, and a sentence for each that was wrong."""

    logged: tuple[Event, ...]
    problems: tuple[str, ...]


@transaction.atomic
def log_reported(
    *, assignment: Assignment, payload: object, by: User, now: dt.datetime
) -> LoggedBatch:
    """Log {"events": [{"kind", "id", "ago", "page_open", …}, …]}, at most 20 at a time.

    Only what the server cannot see itself may be reported: page_close, find_in_page and
    external_click. `id` is the browser's own name for the event: an `id` that was reported
    before is not logged again, so the browser can repeat a report that may be lost. `ago` is how
    many milliseconds ago it happened, and `page_open` the visit on show, so the order in which
    reports arrive does not matter. Invalid entries are named in `problems`; the others are logged.
    Raises ReadingRefused where the payload is not a batch.
    """
    work.check_owns(by, assignment)
    if not isinstance(payload, dict) or set(payload) != {"events"}:
        raise ReadingRefused('Send an object with one key, "events".')
    events = payload["events"]
    if not isinstance(events, list) or not 0 < len(events) <= MAX_EVENTS:
        raise ReadingRefused(f"Send a list of 1 to {MAX_EVENTS} events.")
    ready: list[tuple[str, str, Callable[..., Event]]] = []
    problems: list[str] = []
    for number, event in enumerate(events, start=1):
        where = f"Event {number}"
        try:
            ready.append((where, _key(where, event), _reader(where, event)))
        except ReadingRefused as refused:
            problems.append(str(refused))
    # Where the same report arrives twice at once, the second waits here and then sees the first.
    Assignment.objects.select_for_update().only("pk").get(pk=assignment.pk)
    keys = [key for _, key, _ in ready]
    known = set(
        Event.objects.filter(assignment=assignment, key__in=keys).values_list("key", flat=True)
    )
    logged = []
    for where, key, write in ready:
        if key in known:
            continue
        try:
            logged.append(write(assignment=assignment, by=by, now=now, key=key))
            known.add(key)
        except ReadingRefused as refused:
            problems.append(f"{where}: {refused}")
    return LoggedBatch(tuple(logged), tuple(problems))


def _key(where: str, event: object) -> str:
    """Return the browser's name for the event, after checking its kind and its keys."""
    kind = event.get("kind") if isinstance(event, dict) else None
    if not isinstance(event, dict) or not isinstance(kind, str) or kind not in _FIELDS:
        raise ReadingRefused(f"{where}: the kind is one of {', '.join(sorted(_FIELDS))}.")
    if set(event) != _FIELDS[kind] | _ALWAYS:
        wanted = ", ".join(sorted(_FIELDS[kind] | _ALWAYS - {"kind"}))
        raise ReadingRefused(f"{where}: {kind} has {wanted}.")
    key = event["id"]
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise ReadingRefused(f"{where}: id is 8 to 40 letters, digits and hyphens.")
    return key


def _reader(where: str, event: Mapping[str, object]) -> Callable[..., Event]:
    """Return the service that logs the event, with its values bound; raises ReadingRefused."""
    values: dict[str, Any] = {
        "page_open": _whole(where, event, "page_open", MAX_ID),
        "ago": dt.timedelta(milliseconds=_whole(where, event, "ago", MAX_AGO_MS)),
    }
    if event["kind"] == "page_close":
        service: Any = reading.close_page
        values["dwell_ms"] = _whole(where, event, "dwell_ms", MAX_DWELL_MS)
        values["depth"] = _whole(where, event, "depth", 100)
    elif event["kind"] == "find_in_page":
        service = reading.find_in_page
        values["query"] = _text(where, event, "query", MAX_FIND)
        values["hits"] = _whole(where, event, "hits", MAX_HITS)
    else:
        service = reading.external_click
        values["url"] = _url(where, event)
    return partial(service, **values)


def _whole(where: str, event: Mapping[str, object], key: str, most: int) -> int:
    value = event[key]
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise ReadingRefused(f"{where}: {key} is a whole number from 0 to {most}.")
    return value


def _text(where: str, event: Mapping[str, object], key: str, most: int) -> str:
    value = event[key]
    if not isinstance(value, str) or not 0 < len(value) <= most or _BAD.search(value):
        raise ReadingRefused(f"{where}: {key} is text on one line of 1 to {most} characters.")
    return value


def _url(where: str, event: Mapping[str, object]) -> str:
    url = _text(where, event, "url", MAX_URL)
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ReadingRefused(f"{where}: url is an address that begins with http:// or https://.")
    return url
