"""The reading side of the work page: search, articles, quotes, and what the reader reports.

Searching and opening a page are GETs, because they are links and a search form, work without
scripts and can be opened in another tab. They do not change the state of the work. They add to the
log, where repeating the last step adds nothing (see services.reading), and prefetches are refused.
With scripts the answer is a fragment and the address bar shows the work page with `?page=` and
`?search=`, which never logs; without, they lead back to that page.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.request import QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.access.loaders import UserRequest, get_assignment, get_assignment_of_member
from annotation.core.models.work import Assignment, Event
from annotation.reading import browser_events, queries, services
from annotation.reading.articles import (
    article_context,
    articles_base,
    problem_status,
    read_article,
)
from annotation.reading.places import ReadingPlace
from annotation.reading.policies import is_logged
from annotation.reading.quotes import (
    quote_shown,
    quotes_shown,
)
from annotation.reading.services import OpenedPage, ReadingRefused
from annotation.text.addresses import address_of
from wikipedia.html.page import PageMissing
from wikipedia.providers.base import ProviderUnavailable

MAX_BODY_BYTES = 64 * 1024


def panel_context(assignment: Assignment, data: QueryDict | None = None) -> dict[str, Any]:
    """Return the context of `_search.html` and `_reader.html` when the work page loads.

    `data` is the page's query string: `search` (a logged search) and `page` (a page that was opened
    in this work); by default the last search and the last page. Nothing is logged, and the search
    is not run again.
    """
    data = data or QueryDict()
    history = queries.history_of(assignment) if assignment.has_log else queries.History()
    search = history.last_search
    if wanted := _logged_search(assignment, _number(data.get("search"))):
        search = wanted
    read = history.by_path.get(data.get("page", "")) or history.last_page
    place = _place(assignment)
    context = _context(assignment, history) | place.build_search_context(search, history)
    if read is None:
        return context
    try:
        source, article = read_article(assignment, read.path)
    except (PageMissing, ProviderUnavailable) as problem:
        return context | place.build_problem_context(read.path, problem, via="history")
    event = read.event if is_logged(assignment) else None
    return context | _reader_context(assignment, OpenedPage(source, article, event), history)


@require_GET
@never_cache
def work_search(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Search (`q`, `offset`), or show a search of this work again (`event`), which logs nothing."""
    assignment = get_assignment_of_member(request, assignment_id)
    if refusal := _prefetch(request):
        return refusal
    query, problem, retry = request.GET.get("q", ""), "", False
    search = _logged_search(assignment, _number(request.GET.get("event")))
    if search is None:
        try:
            search = services.search_wikipedia(
                assignment=assignment,
                query=query,
                offset=_number(request.GET.get("offset")) or 0,
                by=request.user,
                now=timezone.now(),
            )
        except ReadingRefused as refused:
            problem = str(refused)
        except ProviderUnavailable as unavailable:
            problem, retry = str(unavailable), True
    if "HX-Request" not in request.headers:
        event = search.event if search else None
        return _to_work_page(request, assignment, problem, search=event)
    history = queries.history_of(assignment)
    found = _place(assignment).build_search_context(search, history)
    context = _context(assignment, history) | found
    retry_url = f"{request.path}?{request.GET.urlencode()}" if retry else ""
    context |= {"search_problem": problem, "search_retry_url": retry_url, "asked": query[:200]}
    status = 503 if retry else 422 if problem else 200
    return render(request, "annotation/reading/_search_answer.html", context, status=status)


@require_GET
@never_cache
def work_read(request: UserRequest, assignment_id: int, path: str) -> HttpResponse:
    """Open an article of the project's Wikipedia.

    `via`, `search` and `rank`, or `from` and `anchor`, say from where.
    """
    assignment = get_assignment_of_member(request, assignment_id)
    if refusal := _prefetch(request):
        return refusal
    opened: OpenedPage | None = None
    problem: PageMissing | ProviderUnavailable | None = None
    via = request.GET.get("via", "link")
    try:
        if not services.may_be_path(path):
            raise PageMissing("No page can have this address.")
        opened = services.open_page(
            assignment=assignment,
            path=path,
            via=via,
            search_event=_number(request.GET.get("search")),
            rank=_number(request.GET.get("rank")),
            from_open=_number(request.GET.get("from")),
            anchor=request.GET.get("anchor", "")[:300],
            by=request.user,
            now=timezone.now(),
        )
    except (PageMissing, ProviderUnavailable) as found:
        problem = found
    if "HX-Request" not in request.headers:
        page = opened.source.path if opened else None
        return _to_work_page(request, assignment, str(problem or ""), page=page)
    history = queries.history_of(assignment)
    context = _context(assignment, history)
    if opened is None:
        assert problem is not None
        context |= _place(assignment).build_problem_context(path, problem, via=via)
        status = problem_status(problem)
        return render(request, "annotation/reading/_reader_answer.html", context, status=status)
    context |= _reader_context(assignment, opened, history)
    return render(request, "annotation/reading/_reader_answer.html", context)


@require_POST
def work_quotes(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Store words as a quote; the reply shows it in the form and the reader.

    With a `path` the words were selected there. Pasted words without one are looked for on the
    pages opened in this work; 204 if they are on none, which is not an error.
    """
    assignment = get_assignment(request, assignment_id)
    data = request.POST
    path, made_by = data.get("path", ""), data.get("made_by", services.MADE_BY[0])
    words: dict[str, Any] = {
        "assignment": assignment,
        "target": data.get("target", ""),
        "by": request.user,
        "now": timezone.now(),
    }
    try:
        if made_by not in services.MADE_BY or not services.may_be_path(path):
            raise ReadingRefused("Select the words in an open article.")
        if path or made_by == services.MADE_BY[0]:
            quote = services.save_quote(
                path=path,
                exact=data.get("exact", ""),
                prefix=data.get("prefix", "")[-200:],
                suffix=data.get("suffix", "")[:200],
                start=_number(data.get("start")),
                made_by=made_by,
                **words,
            )
        elif (pasted := services.quote_pasted(text=data.get("exact", ""), **words)) is not None:
            quote = pasted
        else:
            return HttpResponse(status=204)
    except (ReadingRefused, PageMissing) as refused:
        return JsonResponse({"detail": str(refused)}, status=422)
    except ProviderUnavailable as unavailable:
        return JsonResponse({"detail": str(unavailable)}, status=503)
    context = _context(assignment, queries.history_of(assignment))
    shown = quote_shown(assignment, quote)
    shown["history"] = render_to_string("annotation/reading/_search_history.html", context, request)
    return JsonResponse(shown, status=201)


@require_POST
def work_events(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Log events of the reader in the browser: time on a page, find in page, links out."""
    assignment = get_assignment(request, assignment_id)
    if len(request.body) > MAX_BODY_BYTES:
        return _bad("This is more than one report of the reader.")
    try:
        payload = json.loads(request.body)
    except (ValueError, RecursionError):
        return _bad("Send JSON in UTF-8.")
    try:
        reported = browser_events.log_reported(
            assignment=assignment, payload=payload, by=request.user, now=timezone.now()
        )
    except ReadingRefused as refused:
        return JsonResponse({"detail": str(refused)}, status=422)
    if reported.problems:
        # The other events are logged; sending them again would change nothing.
        return JsonResponse({"detail": " ".join(reported.problems)}, status=422)
    return HttpResponse(status=204)


def _context(assignment: Assignment, history: queries.History) -> dict[str, Any]:
    prompt = assignment.task.question.prompt
    context = _place(assignment).build_context(assignment.project.snapshot, prompt, history)
    return context | {"assignment": assignment}


def _place(assignment: Assignment) -> ReadingPlace:
    return ReadingPlace(
        page=address_of("work-page", assignment.pk),
        search=address_of("work-search", assignment.pk),
        articles=articles_base(assignment.pk),
    )


def _reader_context(
    assignment: Assignment, opened: OpenedPage, history: queries.History
) -> dict[str, Any]:
    source, article = opened.source, opened.article
    return article_context(source, article) | {
        "open_event": opened.event or "",
        "quotes_shown": quotes_shown(assignment, source.path, article, history),
    }


def _logged_search(assignment: Assignment, event_id: int | None) -> queries.Search | None:
    if event_id is None:
        return None
    event = Event.objects.filter(pk=event_id, assignment=assignment, kind=Event.Kind.SEARCH).first()
    return queries.search_of(event.pk, event.data) if event else None


def _to_work_page(
    request: HttpRequest, assignment: Assignment, problem: str, **shown: str | int | None
) -> HttpResponseRedirect:
    """Without scripts, redirect to the whole page, which shows the new search or page."""
    if problem:
        messages.error(request, problem)
    query = urlencode({key: value for key, value in shown.items() if value})
    address = address_of("work-page", assignment.pk)
    return HttpResponseRedirect(f"{address}?{query}" if query else address)


def _prefetch(request: HttpRequest) -> HttpResponse | None:
    """Refuse prefetches: the log records only what a person actually looked at."""
    purpose = request.headers.get("Sec-Purpose", "") + request.headers.get("Purpose", "")
    return HttpResponse(status=503) if "prefetch" in purpose or "prerender" in purpose else None


def _number(text: str | None) -> int | None:
    """Read a positive whole number that fits a database id, or None."""
    if text and text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    return None


def _bad(sentence: str) -> JsonResponse:
    return JsonResponse({"detail": sentence}, status=400)
