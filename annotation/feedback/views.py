"""Feedback of the team on one submission."""

from urllib.parse import urlsplit

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from annotation.access.loaders import UserRequest, get_assignment, get_project, parse_number
from annotation.access.projects import check_can_manage
from annotation.core.models.work import Assignment
from annotation.feedback import services
from annotation.feedback.queries import feedback_messages


@require_POST
def feedback_give(request: UserRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Leave feedback: one press of a tag, or a line."""
    project = get_project(request, slug, check_can_manage)
    turns = Assignment.objects.select_related("task__question", "project")
    turn = get_object_or_404(turns, project=project, pk=assignment_id)
    services.give_feedback(
        assignment=turn,
        tag=request.POST.get("tag", ""),
        text=request.POST.get("text", ""),
        by=request.user,
        now=timezone.now(),
    )
    messages.success(request, "Sent. Its author will see it under My work.")
    return redirect(_back(request, slug, turn))


@require_POST
def feedback_take_back(request: UserRequest, slug: str, feedback_id: int) -> HttpResponse:
    """Take back feedback that has not been read."""
    project = get_project(request, slug, check_can_manage)
    rows = feedback_messages().select_related("thread__assignment__task", "thread__project")
    feedback = get_object_or_404(rows, thread__project=project, pk=feedback_id)
    services.take_back(feedback=feedback, by=request.user, now=timezone.now())
    messages.success(request, "Taken back. No one had read it.")
    return redirect(_back(request, slug, feedback.thread.assignment))


@require_POST
def feedback_read(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Record that the feedback on one's own submission was read."""
    assignment = get_assignment(request, assignment_id)
    services.mark_read(
        assignment=assignment,
        seen=parse_number(request.POST.get("seen", "")),
        by=request.user,
        now=timezone.now(),
    )
    return HttpResponse(status=204)


def _back(request: UserRequest, slug: str, turn: Assignment) -> str:
    """Return the address of the button's page if it is on this site, else the question's page."""
    came_from = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(came_from, allowed_hosts=None):
        parts = urlsplit(came_from)
        return f"{parts.path}#{parts.fragment}" if parts.fragment else parts.path
    return reverse("question-view", args=[slug, turn.task.question_id])
