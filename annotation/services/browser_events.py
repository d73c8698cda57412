"""What the reader in the browser reports: read strictly, logged all or not at all."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from django.db import transaction

from accounts.models import User
from annotation.models import Assignment, Event
from annotation.services import reading
from annotation.services.reading import ReadingRefused

MAX_EVENTS: Final = 20
MAX_DWELL_MS: Final = 24 * 3600 * 1000
MAX_HITS: Final = 1_000_000
MAX_ID: Final = 2**63 - 1
MAX_FIND: Final = 200
MAX_URL: Final = 2_000
_BAD: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "page_close": frozenset(["page_open", "dwell_ms", "depth"]),
    "find_in_page": frozenset(["query", "hits"]),
    "external_click": frozenset(["url"]),
}


@transaction.atomic
def log_reported(
    *, assignment: Assignment, payload: object, by: User, now: dt.datetime
) -> list[Event]:
    """Log {"events": [{"kind", …}, …]} as the reader sends it, at most 20 at a time.

    Only what the server cannot see itself may be reported: page_close, find_in_page and
    external_click. Raises ReadingRefused, naming the entry, when anything is not as it should be;
    then nothing is logged.
    """
    if not isinstance(payload, dict) or set(payload) != {"events"}:
        raise ReadingRefused('Send an object with one key, "events".')
    events = payload["events"]
    if not isinstance(events, list) or not 0 < len(events) <= MAX_EVENTS:
        raise ReadingRefused(f"Send a list of 1 to {MAX_EVENTS} events.")
    return [
        _log_one(assignment, f"Event {number}", event, by, now)
        for number, event in enumerate(events, start=1)
    ]


def _log_one(
    assignment: Assignment, where: str, event: object, by: User, now: dt.datetime
) -> Event:
    kind = event.get("kind") if isinstance(event, dict) else None
    if not isinstance(event, dict) or not isinstance(kind, str) or kind not in _FIELDS:
        raise ReadingRefused(f"{where}: the kind is one of {', '.join(sorted(_FIELDS))}.")
    if set(event) != _FIELDS[kind] | {"kind"}:
        raise ReadingRefused(f"{where}: {kind} has {', '.join(sorted(_FIELDS[kind]))}.")
    if kind == "page_close":
        return reading.close_page(
            assignment=assignment,
            page_open=_whole(where, event, "page_open", MAX_ID),
            dwell_ms=_whole(where, event, "dwell_ms", MAX_DWELL_MS),
            depth=_whole(where, event, "depth", 100),
            by=by,
            now=now,
        )
    if kind == "find_in_page":
        return reading.find_in_page(
            assignment=assignment,
            query=_text(where, event, "query", MAX_FIND),
            hits=_whole(where, event, "hits", MAX_HITS),
            by=by,
            now=now,
        )
    return reading.external_click(assignment=assignment, url=_url(where, event), by=by, now=now)


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
