"""The work page of generation: a question is answered and handed in.

Every button works without scripts: it posts the whole form and comes back to it. Who asks, and
that the turn is theirs, is `annotation.views.work`'s to see to.
"""

import datetime as dt
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation import responses, stages
from annotation.checks import Context, Report, run_checks
from annotation.forms import answers
from annotation.models import Annotation, Assignment
from annotation.policies import Denied
from annotation.policies.work import Refused
from annotation.queries import home as queries
from annotation.queries import threads
from annotation.responses import Response, ResponseError
from annotation.services import assignments, drafts, events
from annotation.services.seats import has_room
from annotation.stages.generation import Generation
from annotation.views import generation
from annotation.views.loaders import UserRequest
from annotation.views.reading import panel_context
from annotation.views.turns import is_fragment, lease_context

State = Assignment.State


def page(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Show the work, or what became of it."""
    if assignment.state != State.ACTIVE:
        return _ended(request, assignment)
    stage = _generation(assignment)
    response, now = stage.read_draft(assignment.draft), timezone.now()
    context = stage.context(assignment, response, now=now)
    report = _report(response, context, touched=_written(response))
    return _page(request, assignment, response, report, now=now)


def draft(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Save what is on the form; a fragment with what the rules say of it, or back to the page."""
    stage, now = _generation(assignment), timezone.now()
    response, problem = _read(request)
    if problem:
        return _unreadable(request, assignment, problem, now)
    press = request.POST.get("action", "")
    context = stage.context(assignment, response, now=now)
    if press:
        report = _report(response, context)
        prompt = assignment.task.question.prompt
        try:
            response = answers.pressed(response, press, prompt=prompt, findings=report.findings)
        except ResponseError as error:
            return _unreadable(request, assignment, str(error), now)
    try:
        drafts.save_draft(
            assignment=assignment,
            draft=stage.draft_of(response),
            version=version_of(request),
            by=request.user,
            now=now,
        )
    except drafts.DraftConflict as conflict:
        return _conflict(request, assignment, response, conflict, now)
    if not is_fragment(request):
        if assignment.state != State.ACTIVE:
            return redirect("work-page", assignment.pk)
        return redirect(f"{_address(assignment)}#{answers.anchor(response, press)}")
    tried = "tried" in request.POST
    report = _report(response, context, touched=None if tried else request.POST.getlist("touched"))
    _note_warnings(request, assignment, report, now)
    return _reply(request, assignment, response, report, now=now, show_problems=tried)


def submit(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Hand the answer in and go on to the next question."""
    stage, now = _generation(assignment), timezone.now()
    if assignment.state == State.SUBMITTED:
        messages.info(request, "You have submitted this question already. Nothing was changed.")
        return go(request, _address(assignment))
    response, problem = _read(request)
    if problem:
        return _unreadable(request, assignment, problem, now)
    if (conflict := _newer(request, assignment, stage.draft_of(response))) is not None:
        return _conflict(request, assignment, response, conflict, now)
    try:
        assignments.submit(assignment=assignment, response=response, by=request.user, now=now)
    except Refused as refused:
        return _refused(request, assignment, response, refused.report, now)
    return go(request, next_address(request, assignment, now))


# --- translating in ------------------------------------------------------------------------------


def _generation(assignment: Assignment) -> Generation:
    """Return the stage as what it is."""
    stage = stages.get(assignment.stage)
    assert isinstance(stage, Generation)
    return stage


def _read(request: HttpRequest) -> tuple[Response, str]:
    """Return the response on the form, or the sentence why it cannot be read."""
    try:
        return responses.from_post(request.POST), ""
    except ResponseError as error:
        return Response(), str(error)


def version_of(request: HttpRequest) -> int:
    """Return the version the form was made from; "Keep this one" overwrites a newer one."""
    verb, _, number = request.POST.get("action", "").partition(" ")
    text = number if verb == "overwrite" else request.POST.get("version", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _newer(
    request: HttpRequest, assignment: Assignment, draft: dict[str, object]
) -> drafts.DraftConflict | None:
    """Return the other window's draft, where one was saved since this form was made."""
    version = assignment.draft_version
    if version_of(request) == version or assignment.draft in ({}, draft):
        return None
    return drafts.DraftConflict(assignment.draft, version, assignment.draft_saved_at)


def _written(response: Response) -> list[str]:
    """Return the fields that have text: only there an error may be shown before submitting."""
    fields = ["kind"] if len(response.pairs) > 2 else []
    for number, pair in enumerate(response.pairs, start=1):
        fields += [f"question-{number}"] if pair.question else []
        fields += [f"answer-{number}"] if pair.answers else []
    fields += ["single-answer"] if response.single else []
    return fields + (["none-reason"] if response.none_reason else [])


def _report(response: Response, context: Context, *, touched: list[str] | None = None) -> Report:
    """Run the rules. A question that is being typed for the first time is left in peace: neither
    errors nor warnings are shown before somebody has been in the field and left it."""
    report = run_checks(response, context, touched=touched)
    if touched is None:
        return report
    seen = {*touched, "kind", "pages", "time"}
    return replace(report, findings=tuple(each for each in report.findings if each.field in seen))


def _note_warnings(
    request: UserRequest, assignment: Assignment, report: Report, now: dt.datetime
) -> None:
    """Log which warnings the person sees, so that each rule's share of kept ones can be told."""
    shown = [(each.rule, each.field) for each in report.findings if each.level == "warning"]
    if assignment.state == State.ACTIVE:
        events.warnings_shown(assignment=assignment, warnings=shown, by=request.user, now=now)


# --- translating out -----------------------------------------------------------------------------


def _address(assignment: Assignment) -> str:
    return reverse("work-page", args=[assignment.pk])


def go(request: HttpRequest, address: str) -> HttpResponse:
    """Lead to an address: scripts get it in a header, since fetch would follow a redirect."""
    if is_fragment(request):
        return HttpResponse(headers={"HX-Redirect": address})
    return redirect(address)


def next_address(request: UserRequest, assignment: Assignment, now: dt.datetime) -> str:
    """Take the next question, if there is one, and say what happened."""
    try:
        following = assignments.take_next(
            project=assignment.project, stage=assignment.stage, by=request.user, now=now
        )
    except Denied as denied:
        say_submitted(request, str(denied))
        return reverse("home")
    if following is None:
        say_submitted(request, "No other question is ready for you here.")
        return reverse("home")
    say_submitted(request, "Here is the next question.")
    return _address(following)


def say_submitted(request: UserRequest, what_next: str) -> None:
    """Say it once: what an earlier submission said is over, also where its page was never seen."""
    list(messages.get_messages(request))
    messages.success(request, f"Submitted. {what_next}")


def _refused(
    request: UserRequest,
    assignment: Assignment,
    response: Response,
    report: Report,
    now: dt.datetime,
) -> HttpResponse:
    """Show everything that is still to do. What was typed is kept first."""
    try:
        drafts.save_draft(
            assignment=assignment,
            draft=_generation(assignment).draft_of(response),
            version=version_of(request),
            by=request.user,
            now=now,
        )
    except drafts.DraftConflict as conflict:
        return _conflict(request, assignment, response, conflict, now)
    _note_warnings(request, assignment, report, now)
    answer = _reply if is_fragment(request) else _page
    return answer(request, assignment, response, report, now=now, show_problems=True, status=422)


def _unreadable(
    request: UserRequest, assignment: Assignment, problem: str, now: dt.datetime
) -> HttpResponse:
    """Say why the form cannot be read; the text stays in the browser, the draft as it was."""
    if is_fragment(request):
        context = {"problem": problem}
        return render(request, "annotation/_problems.html", context, status=422)
    messages.error(request, problem)
    return redirect("work-page", assignment.pk)


def _conflict(
    request: UserRequest,
    assignment: Assignment,
    response: Response,
    conflict: drafts.DraftConflict,
    now: dt.datetime,
) -> HttpResponse:
    stage = _generation(assignment)
    theirs = stage.read_draft(conflict.theirs)
    shown = generation.ConflictShown(
        saved_at=conflict.saved_at,
        version=conflict.version,
        rows=generation.compared(response, theirs),
    )
    if is_fragment(request):
        context = {"conflict": shown, "assignment": assignment, "draft_url": _draft_url(assignment)}
        return render(request, "annotation/_conflict.html", context, status=409)
    report = stage.check(assignment, response, now=now)
    return _page(request, assignment, response, report, now=now, status=409, conflict=shown)


def _draft_url(assignment: Assignment) -> str:
    return reverse("work-draft", args=[assignment.pk])


def _shared(
    assignment: Assignment,
    response: Response,
    report: Report,
    now: dt.datetime,
    show_problems: bool,
) -> dict[str, Any]:
    context = generation.form_context(
        assignment, response, report, now=now, show_problems=show_problems
    )
    return (
        context
        | lease_context(assignment, now)
        | {
            "version": assignment.draft_version,
            "saved_at": assignment.draft_saved_at,
            "draft_url": _draft_url(assignment),
            "pay_line": assignment.policy.pay_line,
        }
    )


def _reply(
    request: UserRequest,
    assignment: Assignment,
    response: Response,
    report: Report,
    *,
    now: dt.datetime,
    show_problems: bool = False,
    status: int = 200,
) -> HttpResponse:
    context = _shared(assignment, response, report, now, show_problems)
    return render(request, "annotation/_draft.html", context, status=status)


def _page(
    request: UserRequest,
    assignment: Assignment,
    response: Response,
    report: Report,
    *,
    now: dt.datetime,
    show_problems: bool = False,
    status: int = 200,
    conflict: generation.ConflictShown | None = None,
) -> HttpResponse:
    context = panel_context(assignment, request.GET)
    context |= _shared(assignment, response, report, now, show_problems)
    guideline = queries.newest_guideline_version(assignment.project_id)
    hours = assignment.policy.park_hours
    context |= {
        "project": assignment.project,
        "question": assignment.task.question,
        "reference_date": assignment.project.reference_date,
        "stage_label": _generation(assignment).label,
        "skip_reasons": Assignment.SkipReason.choices,
        "park_time": f"{hours} hours" if hours < 48 else f"{hours // 24} days",
        "guideline_version": guideline,
        "conflict": conflict,
        "section": "work",
    }
    return render(request, "annotation/work_view.html", context, status=status)


def _ended(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Show work that is not in hand: what it is, what is in it, and how it goes on."""
    annotation = Annotation.objects.filter(assignment=assignment).first()
    draft = _generation(assignment).read_draft(assignment.draft)
    free = assignment.state in (State.EXPIRED, State.RETURNED, State.SKIPPED)
    context = {
        "assignment": assignment,
        "project": assignment.project,
        "question": assignment.task.question,
        "annotation": annotation,
        "draft": draft,
        "pairs": generation.submitted_pairs(annotation)
        if annotation
        else generation.written_pairs(draft),
        "can_resume": assignment.state == State.PARKED or (free and has_room(assignment.task_id)),
        "threads": threads.on(assignment),
        "section": "work",
    }
    return render(request, "annotation/work_ended.html", context)
