"""Search, read and quote in an assignment, and log it (A67).

The log is a record of steps, and repeating the last step is not a step: a double click, a link
fetched twice and a page loaded again use the existing entry. The view refuses requests that only
prefetch. The rank of a result and the search that led to a page are taken from the log itself,
never from the browser.

A visit begins with `page_open`. Each time the page is left or hidden, `page_close` adds the time
it was visible since the last one, so the reading time of a visit is the sum of its closes.

Searches, opened pages and quotes are logged by the server as they are served: a browser that
reports nothing loses reading time, scroll depth, words looked for inside a page and clicks on links
out, and nothing else.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, replace
from typing import Any, Final

from django.db import transaction
from django.utils.html import escape

from accounts.models import User
from annotation.access import work
from annotation.core.models.work import Assignment, Event
from annotation.reading import events
from annotation.reading.articles import read_article
from annotation.reading.policies import check_can_close, check_can_log, is_logged
from annotation.reading.queries import (
    MAX_OFFSET,
    RESULTS_PER_PAGE,
    Search,
    SearchResult,
    match_pasted,
)
from wikipedia.articles.article import Article
from wikipedia.articles.services import record_shown_page
from wikipedia.html.page import SourcePage
from wikipedia.models import Quote, Snapshot
from wikipedia.providers.registry import provider_for
from wikipedia.quotes.services import QuoteRefused
from wikipedia.quotes.services import save_quote as save_quote_of_page
from wikipedia.search.results import SearchHit

K = Event.Kind
MAX_QUERY: Final = 500
MAX_SELECTION: Final = 1_000
MAX_PATH: Final = 1_000
MADE_BY: Final = (Quote.MadeBy.SELECTION.value, Quote.MadeBy.PASTE.value)
NOW: Final = dt.timedelta()
_UNUSABLE: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_TARGET: Final = re.compile(r"(?:new|single|[1-9][0-9]?)?", re.ASCII)


class ReadingRefused(ValueError):
    """A search, visit or quote that is refused; the text is shown to the person."""


@dataclass(frozen=True)
class OpenedPage:
    """A page that was opened; `event` is its visit in the log, None when it is not logged."""

    source: SourcePage
    article: Article
    event: int | None


def may_be_path(path: str) -> bool:
    """Whether a page can have this path."""
    return len(path) <= MAX_PATH and not _UNUSABLE.search(path)


def search_wikipedia(
    *, assignment: Assignment, query: str, offset: int, by: User, now: dt.datetime
) -> Search:
    """Search the project's Wikipedia and log the results; raises as `search_snapshot`."""
    work.check_owns(by, assignment)
    search = search_snapshot(assignment.project.snapshot, query=query, offset=offset)
    data = {
        "query": search.query,
        "offset": search.offset,
        "total": search.total,
        "results": [
            {
                "title": result.title,
                "path": result.path,
                "snippet": result.snippet,
                "redirect_from": result.redirect_from,
                "exact": result.exact,
            }
            for result in search.results
        ],
        "suggestion": search.suggestion,
    }
    event = _log_step(assignment, K.SEARCH, data, same=("query", "offset"), by=by, now=now)
    return replace(search, event=event)


def search_snapshot(snapshot: Snapshot, *, query: str, offset: int) -> Search:
    """Search a Wikipedia, without a log.

    Raises ReadingRefused for a query that cannot be searched, and ProviderUnavailable.
    """
    words = " ".join(_CONTROL.sub(" ", query).split())
    if not words:
        raise ReadingRefused("Write what to search for: a name, a title or a question.")
    if len(words) > MAX_QUERY:
        raise ReadingRefused(
            f"The search has {len(words):,} characters. The maximum is {MAX_QUERY}; shorten it."
        )
    offset = max(0, min(offset, MAX_OFFSET - RESULTS_PER_PAGE))
    offset -= offset % RESULTS_PER_PAGE
    page = provider_for(snapshot).search(words, limit=RESULTS_PER_PAGE, offset=offset)
    results = tuple(
        SearchResult(
            rank=offset + number,
            title=hit.title,
            path=hit.path,
            snippet=_marked(hit),
            redirect_from=hit.redirect_from or "",
            exact=hit.exact,
        )
        for number, hit in enumerate(page.hits[:RESULTS_PER_PAGE], start=1)
    )
    return Search(None, words, offset, page.total, results, page.suggestion)


def open_page(
    *,
    assignment: Assignment,
    path: str,
    via: str,
    search_event: int | None,
    rank: int | None,
    by: User,
    now: dt.datetime,
    from_open: int | None = None,
    anchor: str = "",
) -> OpenedPage:
    """Open an article: store it as shown, and begin a visit in the log.

    A redirect counts as the page it leads to. `from_open` is the visit whose link was followed,
    `anchor` the place on the page it leads to. Raises PageMissing and ProviderUnavailable.
    """
    work.check_owns(by, assignment)
    source, article = read_article(assignment, path)
    if not is_logged(assignment):
        return OpenedPage(source, article, None)
    shown_page = record_shown_page(
        snapshot=assignment.project.snapshot, page=source, article=article
    )
    if via not in events.VIA or (
        via == "search" and not _was_result(assignment, search_event, rank, path)
    ):
        via = "link"
    data = {
        "title": source.title,
        "path": source.path,
        "via": via,
        "search_event": search_event if via == "search" else None,
        "rank": rank if via == "search" else None,
        "from_open": _came_from(assignment, from_open) if via == "link" else None,
        "anchor": _CONTROL.sub(" ", anchor),
        "redirect_from": source.redirect_from,
        "shown": shown_page.pk,
        "rev_id": source.rev_id,
        "text_sha256": article.text_sha256,
        "html_sha256": shown_page.html_sha256,
        "stored": bool(source.stored_because),
    }
    return OpenedPage(
        source, article, _log_step(assignment, K.PAGE_OPEN, data, same=("path",), by=by, now=now)
    )


def _came_from(assignment: Assignment, visit: int | None) -> int | None:
    """Return the visit with this id if it belongs to the assignment, else the last one."""
    visits = Event.objects.filter(assignment=assignment, kind=K.PAGE_OPEN).order_by("-id")
    if visit is not None and visits.filter(pk=visit).exists():
        return visit
    return visits.values_list("pk", flat=True).first()


@transaction.atomic
def close_page(
    *,
    assignment: Assignment,
    page_open: int,
    dwell_ms: int,
    depth: int,
    by: User,
    now: dt.datetime,
    ago: dt.timedelta = NOW,
    key: str = "",
) -> Event:
    """Log that a page was left or hidden `ago`, after being visible for `dwell_ms` more.

    `depth` is how far down it was scrolled in this visit, in percent. The
    closing times of a visit are capped in total at the time the page was open.
    """
    work.check_owns(by, assignment)
    check_can_close(assignment, now)
    opened = _visit(assignment, page_open)
    at = max(_when(assignment, now, ago), opened.at)
    closes = Event.objects.filter(
        assignment=assignment, kind=K.PAGE_CLOSE, data__page_open=page_open
    )
    counted = sum(data["dwell_ms"] for data in closes.values_list("data", flat=True))
    most = max(0, round((at - opened.at).total_seconds() * 1_000) - counted)
    data = {"page_open": page_open, "dwell_ms": min(dwell_ms, most), "depth": depth}
    # Not through events.log, which refuses reports that arrive after submission.
    return events.write_event(assignment=assignment, kind=K.PAGE_CLOSE, data=data, at=at, key=key)


@transaction.atomic
def find_in_page(
    *,
    assignment: Assignment,
    query: str,
    hits: int,
    by: User,
    now: dt.datetime,
    page_open: int | None = None,
    ago: dt.timedelta = NOW,
    key: str = "",
) -> Event:
    """Log a search inside a page, and its number of hits."""
    data = {"page_open": page_open, "query": query, "hits": hits}
    return _reported(assignment, K.FIND_IN_PAGE, data, by=by, now=now, ago=ago, key=key)


@transaction.atomic
def external_click(
    *,
    assignment: Assignment,
    url: str,
    by: User,
    now: dt.datetime,
    page_open: int | None = None,
    ago: dt.timedelta = NOW,
    key: str = "",
) -> Event:
    """Log that a link out of Wikipedia, or to the page on Wikipedia itself, was followed."""
    data = {"page_open": page_open, "url": url}
    return _reported(assignment, K.EXTERNAL_CLICK, data, by=by, now=now, ago=ago, key=key)


def _reported(
    assignment: Assignment,
    kind: str,
    data: dict[str, Any],
    *,
    by: User,
    now: dt.datetime,
    ago: dt.timedelta,
    key: str,
) -> Event:
    """Log a report of the browser; like the last close it may arrive just after the end."""
    work.check_owns(by, assignment)
    check_can_close(assignment, now)
    at = _when(assignment, now, ago)
    if data["page_open"] is not None:
        at = max(at, _visit(assignment, data["page_open"]).at)
    return events.write_event(assignment=assignment, kind=kind, data=data, at=at, key=key)


def _visit(assignment: Assignment, page_open: int) -> Event:
    opened = Event.objects.filter(pk=page_open, assignment=assignment, kind=K.PAGE_OPEN).first()
    if opened is None:
        raise ReadingRefused("There is no such visit to a page in this work.")
    return opened


def _when(assignment: Assignment, now: dt.datetime, ago: dt.timedelta) -> dt.datetime:
    """Return the time of a browser's report, kept within the time of the work."""
    return min(now, max(assignment.started_at, now - ago))


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
    """Store selected or pasted words of a page opened in this assignment, with provenance.

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
    events.log_event(assignment=assignment, kind=K.QUOTE, data=data, by=by, now=now)
    return quote


def quote_pasted(
    *, assignment: Assignment, text: str, target: str, by: User, now: dt.datetime
) -> Quote | None:
    """Store pasted words as a quote of the opened page that contains them; None if none does."""
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
    """Log a search or an opened page, unless it equals the last one in the fields `same`."""
    if not is_logged(assignment):
        return None
    with transaction.atomic():
        # Makes simultaneous requests (a double click) happen one after the other.
        Assignment.objects.select_for_update().only("pk").get(pk=assignment.pk)
        last = (
            Event.objects.filter(assignment=assignment, kind__in=(K.SEARCH, K.PAGE_OPEN))
            .order_by("-id")
            .first()
        )
        if last and last.kind == kind and all(last.data[key] == data[key] for key in same):
            return last.pk
        return events.log_event(assignment=assignment, kind=kind, data=data, by=by, now=now).pk


def _was_result(
    assignment: Assignment, search_event: int | None, rank: int | None, path: str
) -> bool:
    """Return whether the logged search showed this page at this rank."""
    if search_event is None or rank is None:
        return False
    event = Event.objects.filter(pk=search_event, assignment=assignment, kind=K.SEARCH).first()
    if event is None:
        return False
    index = rank - event.data["offset"] - 1
    results = event.data["results"]
    return 0 <= index < len(results) and str(results[index]["path"]) == path


def _marked(hit: SearchHit) -> str:
    """Return the snippet in the form of the AmbigNQ files: <b> around matches, all else escaped."""
    return "".join(f"<b>{escape(text)}</b>" if hit_ else escape(text) for text, hit_ in hit.snippet)
