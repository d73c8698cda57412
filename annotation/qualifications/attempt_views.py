"""A person's own attempt at a qualification: its items, submission and result.

Every button works without scripts: it posts the whole form and comes back to it.
"""

from typing import Any
from urllib.parse import quote

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.access.loaders import UserRequest
from annotation.access.projects import is_member
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.qualifications import attempts as services
from annotation.qualifications import presentation, queries
from annotation.qualifications.item_queries import Asked, is_answered
from annotation.qualifications.models import Part, QualificationAnswer, QualificationAttempt
from annotation.qualifications.policies import can_ask
from annotation.reading.articles import plain_title, read_from
from annotation.sheets.parts import ConflictShown, compare_drafts
from annotation.text.cleaning import ResponseError
from annotation.work.drafts import DraftConflict
from annotation.work.page import redirect_to_address, version_of
from annotation.work.turn_views import is_fragment
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


@never_cache
@require_safe
def attempt_view(request: UserRequest, attempt_id: int) -> HttpResponse:
    """Show an overview of an attempt before it is submitted; its result afterwards."""
    attempt = _attempt(request, attempt_id)
    qualification = attempt.qualification
    answers = list(attempt.answers.all())
    context: dict[str, Any] = {
        "section": "work",
        "attempt": attempt,
        "qualification": qualification,
        "project": qualification.project,
    }
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
    if answer.handed_in_at is not None:
        return _sample(request, answer)
    if answer.attempt.state != State.IN_PROGRESS:
        return redirect("attempt-view", attempt_id)
    asked = _asked(answer)
    return _page(request, answer, asked.sheet.load(answer.draft))


def _sample(request: UserRequest, answer: QualificationAnswer) -> HttpResponse:
    others = list(answer.attempt.answers.all())
    left = [other.number for other in others if other.handed_in_at is None]
    later = [number for number in left if number > answer.number]
    context = {
        "section": "work",
        "attempt": answer.attempt,
        "answer": answer,
        "qualification": answer.attempt.qualification,
        "project": answer.attempt.qualification.project,
        "result": presentation.result_shown(answer, staff=False),
        "items": [(other, presentation.answer_mark(other)) for other in others],
        "following": next(iter(later or left), None),
    }
    return render(request, "annotation/qualifications/qualification_sample.html", context)


@require_POST
def attempt_draft(request: UserRequest, attempt_id: int, number: int) -> HttpResponse:
    """Save the form and do what was pressed: check, hint, another item, submit."""
    answer, now = _answer(request, attempt_id, number), timezone.now()
    asked, press = _asked(answer), request.POST.get("action", "")
    try:
        before, response = presentation.read_posted_responses(asked, request.POST, press)
    except ResponseError as error:
        return _unreadable(request, answer, str(error))
    try:
        services.save_draft(
            answer=answer,
            draft=asked.sheet.dump(response),
            version=version_of(request),
            by=request.user,
            now=now,
        )
    except DraftConflict as conflict:
        return _conflict(request, answer, response, conflict)
    verb, _, rest = press.partition(" ")
    if verb in ("go", "finish"):
        return _leave(request, answer, rest if verb == "go" else "")
    if verb == "hand-in":
        return _hand_in(request, answer)
    if verb == "check":
        services.check_answer(answer=answer, by=request.user, now=now)
    if verb == "hint":
        try:
            services.show_hint(answer=answer, by=request.user, now=now)
        except Conflict:
            # A browser with a fast clock asks early: the reply says how long is left.
            if not is_fragment(request):
                raise
    if not is_fragment(request):
        place = {"check": "verdict", "hint": "hint"}.get(verb) or asked.sheet.press_anchor(
            response, press, before
        )
        return redirect(f"{reverse('attempt-item', args=[attempt_id, number])}#{place}")
    context = _context(request, answer, response, touched=request.POST.getlist("touched"))
    context["asked_hint"] = verb == "hint"
    return render(request, "annotation/qualifications/_qualification_draft.html", context)


def _hand_in(request: UserRequest, answer: QualificationAnswer) -> HttpResponse:
    """Submit one sample and show it next to the prepared answers."""
    address = reverse("attempt-item", args=[answer.attempt_id, answer.number])
    try:
        services.hand_in_sample(answer=answer, by=request.user, now=timezone.now())
    except Conflict as refusal:
        if answer.attempt.part != Part.STUDY:
            raise
        messages.error(request, str(refusal))
    return redirect_to_address(request, address)


def _leave(request: UserRequest, answer: QualificationAnswer, number: str) -> HttpResponse:
    """Go to another item, or to the page where the attempt is submitted."""
    attempt = answer.attempt
    if not (number.isascii() and number.isdigit() and len(number) < 4):
        return redirect_to_address(request, reverse("attempt-view", args=[attempt.pk]))
    other = _answer(request, attempt.pk, int(number))
    services.open_item(answer=other, by=request.user, now=timezone.now())
    return redirect_to_address(request, reverse("attempt-item", args=[attempt.pk, other.number]))


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


# --- the item's page -----------------------------------------------------------------------------


def _asked(answer: QualificationAnswer) -> Asked:
    return Asked(answer.attempt.qualification, answer.item)


def _context(
    request: UserRequest, answer: QualificationAnswer, response: Any, *, touched: list[str]
) -> dict[str, Any]:
    everything = presentation.is_checked(answer)
    context = presentation.item_context(
        _asked(answer), response, request.POST, touched=None if everything else touched
    )
    return (
        context
        | presentation.attempt_context(answer, timezone.now())
        | {
            "section": "work",
            "draft_url": reverse("attempt-draft", args=[answer.attempt_id, answer.number]),
        }
    )


def _page(
    request: UserRequest,
    answer: QualificationAnswer,
    response: Any,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    touched = _asked(answer).sheet.list_filled_fields(response)
    context = _context(request, answer, response, touched=touched) | more
    return render(
        request, "annotation/qualifications/qualification_item.html", context, status=status
    )


def _unreadable(request: UserRequest, answer: QualificationAnswer, problem: str) -> HttpResponse:
    """Reply why the form cannot be read; the text stays in the browser, the draft unchanged."""
    if is_fragment(request):
        return render(request, "annotation/work/_problems.html", {"problem": problem}, status=422)
    messages.error(request, problem)
    return redirect("attempt-item", answer.attempt_id, answer.number)


def _conflict(
    request: UserRequest,
    answer: QualificationAnswer,
    response: Any,
    conflict: DraftConflict,
) -> HttpResponse:
    sheet = _asked(answer).sheet
    rows = compare_drafts(
        sheet.list_field_texts(response), sheet.list_field_texts(sheet.load(conflict.theirs))
    )
    context = {
        "conflict": ConflictShown(saved_at=conflict.saved_at, version=conflict.version, rows=rows),
        "page_url": reverse("attempt-item", args=[answer.attempt_id, answer.number]),
    }
    if is_fragment(request):
        return render(request, "annotation/work/_conflict_reply.html", context, status=409)
    return _page(request, answer, response, status=409, **context)


# --- Wikipedia beside it: to read, without a log -------------------------------------------------


def _wikipedia(request: UserRequest, attempt_id: int) -> tuple[QualificationAttempt, Project]:
    attempt = _attempt(request, attempt_id)
    project = attempt.qualification.project
    if not is_member(request.user, project):
        raise Http404
    return attempt, project


@never_cache
@require_safe
def attempt_search(request: UserRequest, attempt_id: int) -> HttpResponse:
    """Search the project's Wikipedia."""
    attempt, project = _wikipedia(request, attempt_id)
    query = " ".join(request.GET.get("q", "").replace("\x00", "").split())[:LONGEST_QUERY]
    context: dict[str, Any] = {"query": query}
    status = 200
    if query:
        try:
            results = provider_for(project.snapshot).search(query, limit=10, offset=0)
        except ProviderUnavailable as unavailable:
            context["problem"], status = str(unavailable), 503
        else:
            context["hits"] = [
                (hit, _page_url(attempt, hit.path), hit.snippet) for hit in results.hits[:10]
            ]
    return _reader(request, attempt, project, context, status=status)


@never_cache
@require_safe
def attempt_read(request: UserRequest, attempt_id: int, path: str) -> HttpResponse:
    """Read an article of the project's Wikipedia."""
    attempt, project = _wikipedia(request, attempt_id)
    base = reverse("attempt-read", args=[attempt.pk, "x"]).removesuffix("x")
    status = 200
    context: dict[str, Any] = {}
    try:
        source, article = read_from(project.snapshot, path[:1000].replace("\x00", ""), base=base)
        context = {"source": source, "article": article}
        if source.redirect_from:
            context["redirect_title"] = plain_title(source.redirect_from)
    except PageMissing as missing:
        context |= {"problem": str(missing), "query": plain_title(path)[:LONGEST_QUERY]}
        status = 404
    except ProviderUnavailable as unavailable:
        context["problem"], status = str(unavailable), 503
    return _reader(request, attempt, project, context, status=status)


def _page_url(attempt: QualificationAttempt, path: str) -> str:
    base = reverse("attempt-read", args=[attempt.pk, "x"]).removesuffix("x")
    return base + quote(path, safe="/~:@!$&'()*+,;=")


def _reader(
    request: UserRequest,
    attempt: QualificationAttempt,
    project: Project,
    context: dict[str, Any],
    *,
    status: int,
) -> HttpResponse:
    context |= {
        "section": "work",
        "attempt": attempt,
        "qualification": attempt.qualification,
        "project": project,
        "snapshot": project.snapshot,
    }
    return render(
        request, "annotation/qualifications/qualification_reader.html", context, status=status
    )
