"""MediaWiki's Action API: one question, one answer, and every way in which it can refuse.

A wiki reports trouble in three places: the HTTP status, an `error` in a body sent with status 200
(maxlag, ratelimited, readonly), or a body that is not JSON at all. Here each becomes a pause that
all processes share, `PageMissing`, or `ProviderUnavailable` with a sentence. Good answers are kept
in Django's cache, which all processes share.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from django.core.cache import cache

from wikipedia.html.page import PageMissing
from wikipedia.providers import limits
from wikipedia.providers.answers import WRONG_SHAPE, strip_unstorable
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.providers.http import (
    Client,
    NoAnswer,
    RequestRefused,
    WikiResponse,
    contact_problem,
    is_loopback,
    seconds_of,
)

MOST_BYTES: Final = 16_000_000
ATTEMPTS: Final = 3
PATIENCE_SECONDS: Final = 20.0  # how long a person waits before being told to come back
SHORT_PATIENCE_SECONDS: Final = 4.0  # where a kept page can be shown instead
PICTURE_PATIENCE_SECONDS: Final = 2.0  # a page can be read before them
BACKGROUND_PATIENCE_SECONDS: Final = 600.0
_MAXLAG_SECONDS: Final = 5  # background work asks not to be served when the wiki lags more
REQUEST_SECONDS: Final = 20.0
_KEPT_FOR_AN_HOUR: Final = 3600
_SHAPE: Final = 1  # raise it when what is cached changes shape
_BUSY: Final = (
    "maxlag",
    "ratelimited",
    "readonly",
    "timeout",
    "internal_api_error",
    "search-error",
    "cirrussearch-too-busy-error",
    "cirrussearch-backend-error",
)
_MISSING: Final = ("missingtitle", "invalidtitle", "nosuchrevid", "nosuchpageid", "pagecannotexist")
_CLOSED: Final = ("readapidenied", "blocked", "autoblocked", "permissiondenied")

T = TypeVar("T")
_deadline: ContextVar[float | None] = ContextVar("wiki_answer_until", default=None)
logger = logging.getLogger(__name__)


class _TryLater(Exception):
    """The wiki is busy, for `seconds` if it said so. `only_me`: people may go on."""

    def __init__(self, reason: str, seconds: float | None = None, *, only_me: bool = False) -> None:
        super().__init__(reason)
        self.seconds = seconds
        self.only_me = only_me


class ApiError(ProviderUnavailable):
    """The wiki understood the question and refuses it."""


class ActionApi:
    """One wiki's api.php. Safe to share between threads."""

    def __init__(self, address: str, name: str) -> None:
        problem = contact_problem(address)
        if problem:
            raise ProviderUnavailable(f"{name} cannot be asked: {problem}")
        self.address, self.name = address, name
        self.client = Client(loopback=address if is_loopback(address) else "")
        self.host = urlsplit(address).netloc.lower()

    def query_cached(
        self,
        params: Mapping[str, str | int],
        keep: Callable[[Mapping[str, Any]], T],
        *,
        seconds: int = _KEPT_FOR_AN_HOUR,
    ) -> T:
        """Return `keep(answer)` for the API's answer, cached for `seconds` for everyone asking it.

        `keep` gets the JSON object and returns plain picklable values; what it raises is not kept.
        An answer whose shape `keep` does not know raises ProviderUnavailable.
        """
        full = {**params, "format": "json", "formatversion": 2}
        key = self.cache_key("api", json.dumps(full, sort_keys=True))

        def make() -> T:
            try:
                return keep(self._read(full))
            except WRONG_SHAPE as problem:
                raise ProviderUnavailable(
                    f"{self.name} does not answer as a MediaWiki does. Tell the person who runs "
                    f"Ambit to look at {self.address}."
                ) from problem

        return self.through_cache(key, seconds, make, limits.AT_ONCE)

    def cache_key(self, kind: str, rest: str) -> str:
        digest = hashlib.sha256(f"{self.address}\n{rest}".encode()).hexdigest()
        return f"wiki:{_SHAPE}:{kind}:{digest}"

    def through_cache(
        self,
        key: str,
        seconds: int,
        make: Callable[[], T],
        most: int,
        worth_keeping: Callable[[T], bool] = lambda made: True,
    ) -> T:
        """Return the cached value, or what `make` gets in one of `most` turns at the wiki.

        `make` may raise `_TryLater` through `get`; it is then called again after the pause.
        """
        if (kept := cache.get(key)) is not None:
            return kept[0]  # type: ignore[no-any-return]
        pictures = most == limits.PICTURES_AT_ONCE
        waits = PICTURE_PATIENCE_SECONDS if pictures else _patience()
        deadline = time.monotonic() + waits
        busy: _TryLater | None = None
        for _ in range(1 if limits.short_of_time() else ATTEMPTS):
            if busy and busy.only_me:
                limits.sleep(min(busy.seconds or _MAXLAG_SECONDS, waits))
            try:
                with limits.take_turn(
                    self.host, most=most, patience=max(0.0, deadline - time.monotonic())
                ) as turn:
                    # Someone else may have asked the same while we waited for our turn.
                    if (kept := cache.get(key)) is not None:
                        return kept[0]  # type: ignore[no-any-return]
                    try:
                        with _until(deadline if not pictures else None):
                            made = make()
                    except _TryLater as later:
                        busy = later
                        if not later.only_me:
                            turn.note_failure(later.seconds)
                        logger.warning("%s: %s", self.host, _in_full(later))
                        continue
            except (limits.WikiPaused, limits.NoFreeTurn) as problem:
                raise ProviderUnavailable(self._wait(problem, busy)) from problem
            if worth_keeping(made):
                cache.set(key, (made,), seconds)
            return made
        raise ProviderUnavailable(
            f"{self.name} cannot be reached now: {busy}. What you wrote is kept; "
            "try again in a minute."
        )

    def _wait(self, problem: limits.WikiPaused | limits.NoFreeTurn, busy: _TryLater | None) -> str:
        if isinstance(problem, limits.WikiPaused):
            return (
                f"{self.name} asks Ambit to wait{f' ({busy})' if busy else ''}. What you "
                f"wrote is kept; try again in {_duration(problem.seconds)}."
            )
        return (
            f"Many people are reading {self.name} at the moment. What you wrote is kept; "
            "try again in a minute."
        )

    def get(
        self, url: str, params: Mapping[str, str | int] | None = None, *, most_bytes: int
    ) -> WikiResponse:
        """Make a request; `through_cache` tells all processes if the answer means "later"."""
        try:
            seconds = min(REQUEST_SECONDS, _patience(), _left())
            answer = self.client.get(url, params, most_bytes=most_bytes, seconds=seconds)
        except NoAnswer as problem:
            raise _TryLater(str(problem)) from problem
        except RequestRefused as problem:
            raise ProviderUnavailable(f"{self.name} cannot be read: {problem}") from problem
        if answer.status == 429 or answer.status >= 500:
            raise _TryLater(f"it answers with HTTP status {answer.status}", answer.retry_after)
        return answer

    def _read(self, params: Mapping[str, str | int]) -> Mapping[str, Any]:
        behind = {"maxlag": _MAXLAG_SECONDS} if limits.in_background() else {}
        answer = self.get(self.address, {**params, **behind}, most_bytes=MOST_BYTES)
        if answer.status != 200:
            raise ProviderUnavailable(self._not_an_api(answer))
        try:
            body = strip_unstorable(json.loads(answer.body))
        except (ValueError, RecursionError) as problem:
            raise _TryLater("its answer is not JSON") from problem
        if not isinstance(body, dict):
            raise _TryLater("its answer is not what its API promises")
        for error in _errors(body):
            self._raise(error, answer)
        return body

    def _raise(self, error: Mapping[str, Any], answer: WikiResponse) -> None:
        code = str(error.get("code", "unknown"))
        told = str(error.get("info") or error.get("text") or code)[:300]
        if code.startswith(_BUSY):
            lag = answer.retry_after or seconds_of(str(error.get("lag", "")))
            # Only background work asks about the lag: people may still be served.
            mine = code == "maxlag" and limits.in_background()
            raise _TryLater(f"it is busy ({code})", lag, only_me=mine)
        if code in _MISSING:
            raise PageMissing(f"{self.name} has no such page: {told}")
        if code in _CLOSED:
            raise ApiError(f"{self.name} does not let Ambit read: {told}")
        raise ApiError(f"{self.name} could not answer: {told}")

    def _not_an_api(self, answer: WikiResponse) -> str:
        if 300 <= answer.status < 400:
            to = answer.headers.get("Location", "elsewhere")[:200]
            return (
                f"The API of {self.name} has moved to {to}. "
                "Tell the person who runs Ambit to add the wiki at its new address."
            )
        return (
            f"{self.name} answers {self.address} with HTTP status {answer.status}. Tell the person "
            "who runs Ambit: the address or WIKI_USER_AGENT may be wrong."
        )


def _patience() -> float:
    """Return how many seconds the current caller is willing to wait."""
    if limits.in_background():
        return BACKGROUND_PATIENCE_SECONDS
    return SHORT_PATIENCE_SECONDS if limits.short_of_time() else PATIENCE_SECONDS


@contextmanager
def _until(deadline: float | None) -> Iterator[None]:
    """Make all requests inside, not only the first, end at the deadline."""
    token = _deadline.set(deadline)
    try:
        yield
    finally:
        _deadline.reset(token)


def _left() -> float:
    """Return how many seconds a request may take; a little even for the last one."""
    deadline = _deadline.get()
    return REQUEST_SECONDS if deadline is None else max(1.0, deadline - time.monotonic())


def _in_full(problem: BaseException) -> str:
    """Return the sentence and its cause, which is for the people who run Ambit."""
    told = str(problem)
    while problem.__cause__ is not None:
        problem = problem.__cause__
    return told if isinstance(problem, _TryLater) else f"{told} ({problem!r:.300})"


def _errors(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the API's errors, given in either of its two forms."""
    found = [body.get("error"), *(body.get("errors") or [])]
    return [error for error in found if isinstance(error, dict)]


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} seconds" if seconds >= 1.5 else "a second"
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 90 else f"{round(seconds / 3600)} hours"
