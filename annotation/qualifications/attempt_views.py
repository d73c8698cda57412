"""A person's own attempt at a qualification: its items, submission and result.

Every button works without scripts: it posts the whole form and comes back to it.
"""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.access.loaders import UserRequest
from annotation.access.projects import is_member
from annotation.qualifications import attempts as services
from annotation.qualifications import presentation, queries
from annotation.qualifications.attempt_page import ItemPage
from annotation.qualifications.item_queries import is_answered
from annotation.qualifications.models import QualificationAnswer, QualificationAttempt
from annotation.qualifications.policies import can_ask
from annotation.reading.articles import (
    address_below,
    article_context,
    plain_title,
    problem_status,
    read_from,
)
from wikipedia.html.page import PageMissing
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.providers.registry import provider_for

State = QualificationAttempt.State
LONGEST_QUERY = 300


def _answer(request: UserRequest, attempt_id: int, number: int) -> QualificationAnswer:
    answer = queries.answer_of(request.user, attempt_id, number)
    if answer is None:
        raise Http404
    return answer


def _attempt(request: UserRequest, attempt_id: int) -> QualificationAttempt:
    attempt = queries.attempt_of(request.user, attempt_id)
    if attempt is None:
        raise Http404
    return attempt


def _lead_to_demand(request: UserRequest, attempt: QualificationAttempt) -> HttpResponse | None:
    """Lead a person who must agree to something first there and back, as the page of work does.

    People who have left the project still read what they typed.
    """
    if attempt.state != State.IN_PROGRESS:
        return None
    project = attempt.qualification.project
    demand = queries.find_demand(request.user, project)
    if demand is None or not is_member(request.user, project):
        return None
    return redirect(f"{demand.leads_to}?next={request.path}")


@never_cache
@require_safe
def attempt_view(request: UserRequest, attempt_id: int) -> HttpResponse:
    """Show an overview of an attempt before it is submitted; its result afterwards."""
    attempt = _attempt(request, attempt_id)
    answers = list(attempt.answers.all())
    context = presentation.frame_context(attempt)
    if asked := _lead_to_demand(request, attempt):
        return asked
    if attempt.state == State.IN_PROGRESS:
        context["items"] = [(answer, presentation.answer_mark(answer)) for answer in answers]
        context["answered"] = sum(is_answered(answer) for answer in answers)
        return render(request, "annotation/qualifications/qualification_overview.html", context)
    context["can_ask"] = can_ask(attempt)
    context["results"] = [presentation.result_shown(answer, staff=False) for answer in answers]
    return render(request, "annotation/qualifications/qualification_result.html", context)


@never_cache
@require_safe
def attempt_item(request: UserRequest, attempt_id: int, number: int) -> HttpResponse:
    """Show one item to answer; a submitted sample next to the prepared answers."""
    answer = _answer(request, attempt_id, number)
    return _lead_to_demand(request, answer.attempt) or ItemPage(request, answer).show_work()


@require_POST
def attempt_draft(request: UserRequest, attempt_id: int, number: int) -> HttpResponse:
    """Save the form and do what was pressed: check, hint, another item, submit."""
    return ItemPage(request, _answer(request, attempt_id, number)).save_draft()


@require_POST
def attempt_submit(request: UserRequest, attempt_id: int) -> HttpResponse:
    """Submit the attempt."""
    attempt = _attempt(request, attempt_id)
    services.submit_attempt(attempt=attempt, by=request.user, now=timezone.now())
    return redirect("attempt-view", attempt_id)


@require_POST
def attempt_ask(request: UserRequest, attempt_id: int) -> HttpResponse:
    """Ask the team to read an attempt that did not pass automatically."""
    attempt = _attempt(request, attempt_id)
    services.request_review(
        attempt=attempt,
        text=request.POST.get("text", ""),
        by=request.user,
        now=timezone.now(),
    )
    messages.success(request, "The team will read your attempt. The result appears here.")
    return redirect("attempt-view", attempt_id)


# --- Wikipedia beside it: to read, without a log -------------------------------------------------


@never_cache
@require_safe
def attempt_search(request: UserRequest, attempt_id: int) -> HttpResponse:
    """Search the project's Wikipedia."""
    attempt = _attempt_of_member(request, attempt_id)
    query = " ".join(request.GET.get("q", "").replace("\x00", "").split())[:LONGEST_QUERY]
    if not query:
        return _reader(request, attempt, {"query": query})
    try:
        provider = provider_for(attempt.qualification.project.snapshot)
        hits = provider.search(query, limit=10, offset=0).hits[:10]
    except ProviderUnavailable as problem:
        return _reader(request, attempt, {"query": query}, problem)
    base = _articles_base(attempt)
    rows = [(hit, address_below(base, hit.path), hit.snippet) for hit in hits]
    return _reader(request, attempt, {"query": query, "hits": rows})


@never_cache
@require_safe
def attempt_read(request: UserRequest, attempt_id: int, path: str) -> HttpResponse:
    """Read an article of the project's Wikipedia."""
    attempt = _attempt_of_member(request, attempt_id)
    snapshot, place = attempt.qualification.project.snapshot, path[:1000].replace("\x00", "")
    try:
        source, article = read_from(snapshot, place, base=_articles_base(attempt))
    except PageMissing as problem:
        query = plain_title(path)[:LONGEST_QUERY]
        return _reader(request, attempt, {"query": query}, problem)
    except ProviderUnavailable as problem:
        return _reader(request, attempt, {}, problem)
    return _reader(request, attempt, article_context(source, article))


def _attempt_of_member(request: UserRequest, attempt_id: int) -> QualificationAttempt:
    attempt = _attempt(request, attempt_id)
    if not is_member(request.user, attempt.qualification.project):
        raise Http404
    return attempt


def _articles_base(attempt: QualificationAttempt) -> str:
    return reverse("attempt-read", args=[attempt.pk, "x"]).removesuffix("x")


def _reader(
    request: UserRequest,
    attempt: QualificationAttempt,
    context: dict[str, Any],
    problem: PageMissing | ProviderUnavailable | None = None,
) -> HttpResponse:
    context |= presentation.frame_context(attempt) | {
        "snapshot": attempt.qualification.project.snapshot,
        "problem": str(problem or ""),
    }
    status = problem_status(problem) if problem else 200
    return render(
        request, "annotation/qualifications/qualification_reader.html", context, status=status
    )
