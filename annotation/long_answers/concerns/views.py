"""Concerns about disambiguations: writers and the team raise them, the team decides."""

import re
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.access.loaders import (
    UserRequest,
    get_assignment,
    get_project,
    parse_date_time,
    parse_number,
)
from annotation.access.projects import check_can_manage
from annotation.contexts.writer_context import inputs_for
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.refusals import is_allowed
from annotation.long_answers.concerns import policies, queries, services
from annotation.long_answers.concerns.models import Concern
from annotation.pages.views import project_page
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.work.turn_views import is_fragment

State = Concern.State


# --- the writer's side -------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def work_concern(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Show one's own concerns about a question and what was decided; raise one."""
    assignment = _own(request, assignment_id)
    if request.method == "POST":
        services.raise_concern(
            assignment=assignment,
            disambiguations=read_ticked_positions(request),
            reason=request.POST.get("reason", ""),
            changes=parse_number(request.POST.get("changes", "")) or None,
            by=request.user,
            now=timezone.now(),
        )
        messages.success(request, "Concern sent. You can keep working.")
        return _back_to_work(assignment)
    mine = queries.list_own_concerns(assignment)
    decided = [concern.decided_at for concern in mine if concern.decided_at and not concern.read_at]
    question = assignment.task.question
    context = {
        "section": "work",
        "assignment": assignment,
        "question": question,
        "project": assignment.project,
        "concerns": [concern for concern in mine if concern.state != State.OPEN],
        "concern": next((concern for concern in mine if concern.state == State.OPEN), None),
        "exclusion": queries.find_exclusion(question),
        "inputs": inputs_for(assignment),
        "can_raise": is_allowed(policies.check_can_raise, request.user, assignment)
        and question.state != Question.State.EXCLUDED,
        "unread_until": max(decided).isoformat() if decided else "",
    }
    return render(request, "annotation/long_answers/concern_view.html", context)


@require_POST
def work_concern_withdraw(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Take back one's own concern while the team has not decided."""
    assignment = _own(request, assignment_id)
    concern = queries.own_open(assignment)
    if concern is None:
        return redirect("work-concern", assignment.pk)  # decided or withdrawn: the page says so
    services.withdraw_concern(concern=concern, by=request.user, now=timezone.now())
    messages.success(request, "Concern withdrawn.")
    return _back_to_work(assignment)


@require_POST
def work_concern_read(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Record that the writer has read the decision."""
    assignment = _own(request, assignment_id)
    until = parse_date_time(request.POST.get("until", ""))
    if until is not None:
        services.mark_read(assignment=assignment, until=until, by=request.user, now=timezone.now())
    return HttpResponse(status=204) if is_fragment(request) else redirect("home")


def _own(request: UserRequest, assignment_id: int) -> Assignment:
    """Return the person's own assignment of a project that has concerns."""
    assignment = get_assignment(request, assignment_id)
    if not protocols.protocol_of(assignment.project).has_feature(Feature.CONCERNS):
        raise Http404
    return assignment


def _back_to_work(assignment: Assignment) -> HttpResponseRedirect:
    """Return to where the person was: their text while they write, otherwise the concern."""
    active = assignment.state == Assignment.State.ACTIVE
    return redirect("work-page" if active else "work-concern", assignment.pk)


def read_ticked_positions(request: HttpRequest) -> set[int]:
    """Return the positions ticked on the form, -1 for anything that is not a position."""
    ticked = request.POST.getlist("disambiguation")
    usable = re.compile(r"\d{1,6}", re.ASCII)
    return {int(position) if usable.fullmatch(position) else -1 for position in ticked[:100]}


# --- the team's side ---------------------------------------------------------------------------


@require_GET
@never_cache
def concern_list(request: UserRequest, slug: str) -> HttpResponse:
    """List open concerns, oldest first, with the latest decisions; or those in one state."""
    project = _project(request, slug)
    shown = request.GET.get("show", State.OPEN.value)
    shown = shown if shown in State.values else State.OPEN.value
    place = min(parse_number(request.GET.get("after", "")), 1_000_000)
    page = queries.list_concerns(project, state=shown, place=place)
    counts = queries.count_by_state(project)
    context = project_page(request, project, "concerns") | {
        "rows": [_row(request, concern) for concern in page[: queries.PAGE]],
        "shown": shown,
        "choices": [
            (value, "Waiting" if value == State.OPEN else label, counts.get(value, 0))
            for value, label in State.choices
        ],
        "following": place + queries.PAGE if len(page) > queries.PAGE else 0,
        "longest": services.LONGEST,
    }
    context["alone"] = not policies.has_other_staff(request.user, project)
    if shown == State.OPEN and not place:
        context["lately"] = [
            _row(request, concern) for concern in queries.list_recent_decisions(project)
        ]
    return render(request, "annotation/long_answers/concern_list.html", context)


def _row(request: UserRequest, listed: queries.Listed) -> dict[str, Any]:
    return {"listed": listed, "mine": listed.concern.author_id == request.user.pk}


def question_concerns(request: UserRequest, project: Project, question: Question) -> dict[str, Any]:
    """Return what `_question_concerns.html` shows on the page of a question.

    Nothing where a question has no disambiguations.
    """
    if not protocols.protocol_of(project).has_feature(Feature.CONCERNS):
        return {}
    rows = [_row(request, concern) for concern in queries.of_question(question)]
    mine = [row for row in rows if row["mine"] and row["listed"].concern.state == State.OPEN]
    return {
        "concerns": rows,
        "disambiguations": queries.list_disambiguations(question),
        "alone": bool(rows) and not policies.has_other_staff(request.user, project),
        "raises": not mine and question.state != Question.State.EXCLUDED,
        "longest": services.LONGEST,
    }


@require_POST
def concern_raise(request: UserRequest, slug: str, question_id: int) -> HttpResponse:
    """Raise a concern as a member of the team."""
    project = _project(request, slug)
    question = get_object_or_404(
        Question.objects.select_related("project"), project=project, pk=question_id
    )
    services.raise_as_staff(
        question=question,
        disambiguations=read_ticked_positions(request),
        reason=request.POST.get("reason", ""),
        by=request.user,
        now=timezone.now(),
    )
    messages.success(
        request, "Concern raised. The question is not handed out again until it is decided."
    )
    return redirect(reverse("question-view", args=[slug, question.pk]) + "#concerns")


@require_POST
def concern_decide(request: UserRequest, slug: str, concern_id: int) -> HttpResponse:
    """Exclude the question, or keep it."""
    concern = _concern(request, slug, concern_id)
    services.decide_concern(
        concern=concern,
        state=request.POST.get("state", ""),
        note=request.POST.get("note", ""),
        by=request.user,
        now=timezone.now(),
    )
    messages.success(request, _decided(concern))
    return _back(request, slug)


def _decided(concern: Concern) -> str:
    """Return a sentence on the effect of the decision, for the question as it is now."""
    if concern.state == State.UPHELD:
        return "Excluded from the release. What was written stays paid, and you can undo this."
    if concern.question.state == Question.State.EXCLUDED:
        return "Kept after this concern. Another concern still excludes the question."
    if concern.question.state == Question.State.FLAGGED:
        return "Kept after this concern. Another concern about the question is waiting."
    return "Kept. The question continues as before."


@require_POST
def concern_reopen(request: UserRequest, slug: str, concern_id: int) -> HttpResponse:
    """Undo a decision."""
    concern = _concern(request, slug, concern_id)
    services.reopen_concern(concern=concern, by=request.user, now=timezone.now())
    messages.success(request, "Undone. The concern waits for a decision again.")
    return _back(request, slug)


@require_POST
def concern_withdraw(request: UserRequest, slug: str, concern_id: int) -> HttpResponse:
    """Take back one's own concern as a member of the team."""
    concern = _concern(request, slug, concern_id)
    services.withdraw_concern(concern=concern, by=request.user, now=timezone.now())
    messages.success(request, "Concern withdrawn.")
    return _back(request, slug)


def _project(request: UserRequest, slug: str) -> Project:
    """Return the project for its staff; 404 if its protocol has no concerns."""
    project = get_project(request, slug, check_can_manage)
    if not protocols.protocol_of(project).has_feature(Feature.CONCERNS):
        raise Http404
    return project


def _concern(request: UserRequest, slug: str, concern_id: int) -> Concern:
    rows = Concern.objects.select_related("question__project")
    return get_object_or_404(rows, question__project=_project(request, slug), pk=concern_id)


def _back(request: UserRequest, slug: str) -> HttpResponseRedirect:
    """Return to the question if the button was there, otherwise to the filtered list."""
    question = parse_number(request.POST.get("question", ""))
    if question:
        return redirect(reverse("question-view", args=[slug, question]) + "#concerns")
    shown = request.POST.get("show", "")
    query = f"?show={shown}" if shown in State.values and shown != State.OPEN else ""
    return redirect(reverse("concern-list", args=[slug]) + query)
