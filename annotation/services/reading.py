"""Searching, reading and quoting in an assignment, and the log of it (A67).

The log is a record of steps, so repeating the last step is not a step: a double click, a link
fetched twice and a page loaded again find the entry that is already there. Requests that only
prefetch are refused by the view before they come here. What the log says of a search (rank,
which search led to a page) is taken from the log itself, never believed of the browser.

A visit begins with `page_open`. Each time the page is left or hidden, `page_close` adds the time
it was visible since the last one, so the reading time of a visit is the sum of its closes.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.utils.html import escape

from accounts.models import User
from annotation.models import Assignment, Event
from annotation.policies import work
from annotation.policies.reading import check_can_close, check_can_log, is_logged
from annotation.queries.articles import read_article
from annotation.queries.reading import (
    MAX_OFFSET,
    RESULTS_PER_PAGE,
    Result,
    Search,
    match_pasted,
)
from annotation.services import events
from wikipedia.models import Quote
from wikipedia.providers import provider_for
from wikipedia.providers.base import SearchHit, SourcePage
from wikipedia.reader import Article
from wikipedia.services import QuoteRefused, record_shown_page
from wikipedia.services import save_quote as save_quote_of_page

K = Event.Kind
MAX_QUERY: Final = 500
MAX_SELECTION: Final = 1_000
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_TARGET: Final = re.compile(r"(?:new|single|[1-9][0-9]?)?", re.ASCII)


class ReadingRefused(ValueError):
    """Something about reading that cannot be done as asked. The text is the sentence for it."""


@dataclass(frozen=True)
class Opened:
    """A page that was opened; `event` is its visit in the log, None when it is not logged."""

    source: SourcePage
    article: Article
    event: int | None


def search(
    *, assignment: Assignment, query: str, offset: int, by: User, now: dt.datetime
) -> Search:
    """Search the project's Wikipedia and log what was found.

    Raises ReadingRefused for a query that cannot be searched, and ProviderUnavailable.
    """
    work.check_owns(by, assignment)
    words = " ".join(_CONTROL.sub(" ", query).split())
    if not words:
        raise ReadingRefused("Write what to search for: a name, a title or a question.")
    if len(words) > MAX_QUERY:
        raise ReadingRefused(
            f"The search has {len(words):,} characters. The most is {MAX_QUERY}; shorten it."
        )
    offset = max(0, min(offset, MAX_OFFSET - RESULTS_PER_PAGE))
    offset -= offset % RESULTS_PER_PAGE
    found = provider_for(assignment.project.snapshot).search(
        words, limit=RESULTS_PER_PAGE, offset=offset
    )
    results = tuple(
        Result(offset + number, hit.title, hit.path, _marked(hit))
        for number, hit in enumerate(found.hits[:RESULTS_PER_PAGE], start=1)
    )
    data = {
        "query": words,
        "offset": offset,
        "total": found.total,
        "results": [
            {"title": result.title, "path": result.path, "snippet": result.snippet}
            for result in results
        ],
    }
    event = _log_step(assignment, K.SEARCH, data, same=("query", "offset"), by=by, now=now)
    return Search(event, words, offset, found.total, results)


def open_page(
    *,
    assignment: Assignment,
    path: str,
    via: str,
    search_event: int | None,
    rank: int | None,
    by: User,
    now: dt.datetime,
) -> Opened:
    """Open an article: keep its text as shown, and begin a visit in the log.

    A redirect counts as the page it leads to. Raises PageMissing and ProviderUnavailable.
    """
    work.check_owns(by, assignment)
    source, article = read_article(assignment, path)
    if not is_logged(assignment):
        return Opened(source, article, None)
    record_shown_page(snapshot=assignment.project.snapshot, page=source, article=article)
    if via == "search" and not _was_result(assignment, search_event, rank, path):
        via = "link"
    data = {
        "title": source.title,
        "path": source.path,
        "via": via if via in events.VIA else "link",
        "search_event": search_event if via == "search" else None,
        "rank": rank if via == "search" else None,
        "redirect_from": source.redirect_from,
        "text_sha256": article.text_sha256,
    }
    return Opened(
        source, article, _log_step(assignment, K.PAGE_OPEN, data, same=("path",), by=by, now=now)
    )


@transaction.atomic
def close_page(
    *,
    assignment: Assignment,
    page_open: int,
    dwell_ms: int,
    depth: int,
    by: User,
    now: dt.datetime,
) -> Event:
    """Log that a page was left or hidden after being visible for `dwell_ms` more.

    `depth` is how far down it was scrolled in this visit, in percent. Nobody can have looked
    for longer than the page was open, so the time is cut to that.
    """
    work.check_owns(by, assignment)
    check_can_close(assignment, now)
    opened = Event.objects.filter(pk=page_open, assignment=assignment, kind=K.PAGE_OPEN).first()
    if opened is None:
        raise ReadingRefused("There is no such visit to a page in this work.")
    most = max(0, round((now - opened.at).total_seconds() * 1_000))
    data = {"page_open": page_open, "dwell_ms": min(dwell_ms, most), "depth": depth}
    # Not through events.log, which is closed already when this one comes late.
    return Event.objects.create(assignment=assignment, kind=K.PAGE_CLOSE, at=now, data=data)


@transaction.atomic
def find_in_page(
    *, assignment: Assignment, query: str, hits: int, by: User, now: dt.datetime
) -> Event:
    """Log what was looked for inside a page, and how often it was there."""
    work.check_owns(by, assignment)
    check_can_log(assignment)
    data = {"query": query, "hits": hits}
    return events.log(assignment=assignment, kind=K.FIND_IN_PAGE, data=data, by=by, now=now)


@transaction.atomic
def external_click(*, assignment: Assignment, url: str, by: User, now: dt.datetime) -> Event:
    """Log that a link out of Wikipedia, or to the page on Wikipedia itself, was followed."""
    work.check_owns(by, assignment)
    check_can_log(assignment)
    data = {"url": url}
    return events.log(assignment=assignment, kind=K.EXTERNAL_CLICK, data=data, by=by, now=now)


@transaction.atomic
def save_quote(
    *,
    assignment: Assignment,
    path: str,
    exact: str,
    prefix: str,
    suffix: str,
    made_by: str,
    target: str,
    by: User,
    now: dt.datetime,
    start: int | None = None,
) -> Quote:
    """Keep selected or pasted words of a page opened in this assignment, with provenance.

    `target` names the answer they are for: the number of a pair, "new", "single" or nothing.
    Raises ReadingRefused when the words or the page are not there.
    """
    work.check_owns(by, assignment)
    check_can_log(assignment)
    if not _TARGET.fullmatch(target):
        raise ReadingRefused(f"“{target[:40]}” is not one of the answers.")
    if _CONTROL.search(path):
        raise ReadingRefused("No page can have this address.")
    if len(exact) > MAX_SELECTION:
        raise ReadingRefused(
            f"The selection has {len(exact):,} characters. Select only the words that answer."
        )
    opened = Event.objects.filter(assignment=assignment, kind=K.PAGE_OPEN, data__path=path)
    if not opened.exists():
        raise ReadingRefused("This page was not opened in this work. Open it, then select again.")
    try:
        quote = save_quote_of_page(
            snapshot=assignment.project.snapshot,
            path=path,
            exact=exact,
            prefix=prefix,
            suffix=suffix,
            start=start,
            made_by=made_by,
            rendered=read_article(assignment, path),
            by=by,
            now=now,
        )
    except QuoteRefused as refused:
        raise ReadingRefused(str(refused)) from refused
    data = {"quote": quote.pk, "target": target}
    events.log(assignment=assignment, kind=K.QUOTE, data=data, by=by, now=now)
    return quote


def quote_pasted(
    *, assignment: Assignment, text: str, target: str, by: User, now: dt.datetime
) -> Quote | None:
    """Keep pasted words as a quote of the opened page they stand on, or None when on none."""
    match = match_pasted(assignment=assignment, text=text[:MAX_SELECTION])
    if match is None:
        return None
    page = match.page
    return save_quote(
        assignment=assignment,
        path=page.path,
        exact=match.exact,
        prefix=page.text[max(0, match.start - 32) : match.start],
        suffix=page.text[match.end : match.end + 32],
        start=match.start,
        made_by=Quote.MadeBy.PASTE,
        target=target,
        by=by,
        now=now,
    )


def _log_step(
    assignment: Assignment,
    kind: str,
    data: dict[str, Any],
    *,
    same: tuple[str, ...],
    by: User,
    now: dt.datetime,
) -> int | None:
    """Log a search or an opened page unless it repeats the last of these, equal in `same`."""
    if not is_logged(assignment):
        return None
    with transaction.atomic():
        # Two requests at once (a double click) come one after the other here.
        Assignment.objects.select_for_update().only("pk").get(pk=assignment.pk)
        last = (
            Event.objects.filter(assignment=assignment, kind__in=(K.SEARCH, K.PAGE_OPEN))
            .order_by("-id")
            .first()
        )
        if last and last.kind == kind and all(last.data[key] == data[key] for key in same):
            return last.pk
        return events.log(assignment=assignment, kind=kind, data=data, by=by, now=now).pk


def _was_result(
    assignment: Assignment, search_event: int | None, rank: int | None, path: str
) -> bool:
    """Whether the logged search did show this page at this rank."""
    if search_event is None or rank is None:
        return False
    event = Event.objects.filter(pk=search_event, assignment=assignment, kind=K.SEARCH).first()
    if event is None:
        return False
    index = rank - event.data["offset"] - 1
    results = event.data["results"]
    return 0 <= index < len(results) and str(results[index]["path"]) == path


def _marked(hit: SearchHit) -> str:
    """The snippet as the AmbigNQ files have it: <b> around matched words, all else escaped."""
    return "".join(f"<b>{escape(text)}</b>" if hit_ else escape(text) for text, hit_ in hit.snippet)
