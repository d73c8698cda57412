"""Taking, parking, skipping and releasing a question: a person's turn apart from answering."""

import datetime as dt
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.html import format_html
from django.utils.text import Truncator
from django.views.decorators.http import require_POST

from annotation.access.loaders import UserRequest, get_assignment, get_project
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict, Denied
from annotation.core.states import SENTENCES
from annotation.stages import registry as stages
from annotation.text.addresses import address_of
from annotation.work import assignments, changing
from annotation.work.team_questions import park_and_ask

State = Assignment.State


@require_POST
def work_next(request: UserRequest, slug: str, stage: str) -> HttpResponse:
    """Take the next question of a stage, or continue with the one in hand."""
    project = get_project(request, slug)
    if stage not in {entry.key for entry in stages.of_protocol(project.protocol)}:
        raise Http404
    assignment = assignments.take_next(
        project=project, stage=stage, by=request.user, now=timezone.now()
    )
    if assignment is None:
        messages.info(request, f"No question of {project.title} is ready for you at the moment.")
        return redirect("home")
    return redirect("work-page", assignment.pk)


@require_POST
def work_park(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Park the question with a reason, and optionally ask the team about it."""
    assignment = get_assignment(request, assignment_id)
    asks = "ask" in request.POST
    park = park_and_ask if asks else assignments.park_assignment
    park(
        assignment=assignment,
        reason=request.POST.get("reason", ""),
        by=request.user,
        now=timezone.now(),
    )
    told = " The team’s answer will appear there, too." if asks else ""
    return _left(request, assignment, f"Parked. It waits for you under My work.{told}")


@require_POST
def work_skip(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Skip the question, with a reason."""
    assignment = get_assignment(request, assignment_id)
    assignments.skip_question(
        assignment=assignment,
        reason=request.POST.get("reason", ""),
        feedback=request.POST.get("feedback", ""),
        by=request.user,
        now=timezone.now(),
    )
    undo = "" if request.user.is_participant else " To take it back, look under Drafts in My work."
    return _left(request, assignment, f"Skipped.{undo}")


@require_POST
def work_return(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Release the question for someone else."""
    assignment = get_assignment(request, assignment_id)
    assignments.give_back(assignment=assignment, by=request.user, now=timezone.now())
    return _left(request, assignment, "Released. Someone else can have it now.")


def _left(request: UserRequest, assignment: Assignment, done: str) -> HttpResponse:
    """Continue with the next question of the same project and stage, or stop, as requested."""
    if request.POST.get("then") == "next":
        return redirect(next_address(request, assignment, timezone.now(), done=done))
    messages.success(request, done)
    return redirect("home")


def next_address(
    request: UserRequest,
    assignment: Assignment,
    now: dt.datetime,
    *,
    done: str,
    following: Assignment | None = None,
) -> str:
    """Take the next question, unless one is `following`, and set the message on what was done and
    what is next.
    """
    address, what_next = address_of("home"), "No other question is ready for you here."
    say = messages.success
    try:
        if stages.get_stage(assignment.stage).limit is not None:
            what_next = "The time for the next question starts when you take it."
        else:
            following = following or assignments.take_next(
                project=assignment.project, stage=assignment.stage, by=request.user, now=now
            )
    except Denied as denied:
        what_next, say = str(denied), messages.warning  # it stays: it says why nothing follows
    else:
        if following is not None:
            address = address_of("work-page", following.pk)
            what_next = "Here is the next question."
    # Only once: drop messages of earlier turns, even if they were never shown.
    list(messages.get_messages(request))
    prompt = Truncator(assignment.task.question.prompt).chars(60)
    link = format_html('<a href="{}">View “{}”</a>', address_of("work-page", assignment.pk), prompt)
    say(request, format_html("{} {} {}", done, what_next, link))
    return address


@require_POST
def work_resume(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Resume a question that was parked, released or skipped, or whose lease ended."""
    assignment = get_assignment(request, assignment_id)
    take_up = (
        assignments.resume_assignment
        if assignment.state == State.PARKED
        else assignments.reopen_assignment
    )
    if assignment.state != State.ACTIVE:
        take_up(assignment=assignment, by=request.user, now=timezone.now())
    return redirect("work-page", assignment.pk)


@require_POST
def work_change(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Change one's own submission, which stays as it is until the change is submitted."""
    assignment = get_assignment(request, assignment_id)
    changing.begin_change(assignment=assignment, by=request.user, now=timezone.now())
    return redirect("work-page", assignment.pk)


@require_POST
def work_change_leave(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Leave one's own submission as it was."""
    assignment = get_assignment(request, assignment_id)
    changing.leave_change(assignment=assignment, by=request.user, now=timezone.now())
    messages.success(request, "Nothing was changed: what you submitted stays as it was.")
    return redirect(_page_of_submission(request, assignment))


def address_after_change(request: UserRequest, assignment: Assignment) -> str:
    """Return where somebody goes who submitted a change: to what they have in hand, or to the page
    of the submission; set the message.
    """
    in_hand = Assignment.objects.filter(
        user=request.user, project=assignment.project_id, stage=assignment.stage, state=State.ACTIVE
    ).first()
    what_next = " Here is the question that you have in hand." if in_hand else ""
    messages.success(request, f"Your change is submitted.{what_next}")
    if in_hand is not None:
        return address_of("work-page", in_hand.pk)
    return _page_of_submission(request, assignment)


def _page_of_submission(request: UserRequest, assignment: Assignment) -> str:
    """Return the page of a submission; participants have none but the one of the work."""
    name = "work-page" if request.user.is_participant else "submission-view"
    return address_of(name, assignment.pk)


@require_POST
def work_extend(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Restart the lease of the question."""
    assignment, now = get_assignment(request, assignment_id), timezone.now()
    assignments.extend_lease(assignment=assignment, by=request.user, now=now)
    if not is_fragment(request):
        return redirect("work-page", assignment.pk)
    return render(request, "annotation/work/_lease.html", lease_context(assignment, now))


@require_POST
def work_touch(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Record that the person is active: reading counts as work, too."""
    assignment, now = get_assignment(request, assignment_id), timezone.now()
    if assignment.state != State.ACTIVE and not assignment.is_changing:
        raise Conflict(SENTENCES[assignment.state])
    assignments.record_activity(assignment=assignment, by=request.user, now=now)
    return render(request, "annotation/work/_lease.html", lease_context(assignment, now))


def is_fragment(request: HttpRequest) -> bool:
    """Whether a script asks for a part of the page."""
    return "HTTP_HX_REQUEST" in request.META  # `headers` would read all of them


def lease_context(assignment: Assignment, now: dt.datetime) -> dict[str, Any]:
    """Return the context of `_lease.html`, which shows a time limit where there is one."""
    ends = assignment.lease_ends_at or assignment.changing_until
    left = max(0, int((ends - now).total_seconds())) if ends else 0
    context = {"assignment": assignment, "now": now, "lease_left": left}
    if limit := assignment.limit_ends_at:
        context["time_left"] = max(0, int((limit - now).total_seconds()))
        context["time_limit"] = stages.get_stage(assignment.stage).limit or 0
    return context
