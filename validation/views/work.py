"""The work page of validation: several annotations become what is accepted.

Every button works without scripts: it posts the whole form and comes back to it. Who asks, and
that the turn is theirs, is `annotation.views.work`'s to see to.
"""

import datetime as dt
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation import stages
from annotation.models import Assignment
from annotation.policies.base import Denied, roles_in
from annotation.policies.work import Refused, check_still_works_here
from annotation.queries import home
from annotation.responses import ResponseError
from annotation.services import assignments, drafts, events
from annotation.states import HELD
from annotation.views.answering import go, next_address, version_of
from annotation.views.generation import ConflictShown
from annotation.views.loaders import UserRequest
from annotation.views.reading import panel_context
from annotation.views.turns import is_fragment, lease_context
from validation import checks, editing, forms, queries
from validation.responses import Response, Said, caught_up
from validation.stage import Validating
from validation.views import ended
from validation.views.showing import Showing
from validation.views.shown import word
from validation.views.windows import compared

State = Assignment.State
_TICKED = ("combine", "separate", "exclude")


def page(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Show the work, or what became of it."""
    if assignment.state != State.ACTIVE:
        return ended.page(request, assignment)
    response, said = _stage(assignment).opened(assignment)
    report = _report(assignment, response, said, touched=_written(response))
    return _page(request, assignment, response, said, report, now=timezone.now())


def draft(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Save what is on the form; a fragment with what follows from it, or back to the page."""
    stage, now, press = _stage(assignment), timezone.now(), request.POST.get("action", "")
    stored, said = stage.opened(assignment)
    try:
        posted = _posted(request, assignment, stored, said)
        if (refusal := _former(request, assignment)) is not None:
            _keep(request, assignment, posted, now)
            raise refusal
        before = editing.noted(stored, caught_up(posted, said))
        response = _pressed(request, before, press, said)
    except ResponseError as error:
        return _unreadable(request, assignment, str(error))
    try:
        drafts.save_draft(
            assignment=assignment,
            draft=stage.draft_of(response),
            version=version_of(request),
            by=request.user,
            now=now,
        )
    except drafts.DraftConflict as conflict:
        return _conflict(request, assignment, response, said, conflict, now)
    anchor = editing.anchor(response, press, before=before)
    if not is_fragment(request):
        if assignment.state != State.ACTIVE:
            return redirect("work-page", assignment.pk)
        return redirect(f"{_address(assignment)}#{anchor}")
    tried = "tried" in request.POST
    report = _report(
        assignment, response, said, touched=None if tried else request.POST.getlist("touched")
    )
    _note_warnings(request, assignment, report, now)
    whole = posted.covers != response.covers or press not in ("", "save", "keep")
    return _reply(
        request,
        assignment,
        response,
        said,
        report,
        now=now,
        tried=tried,
        more={
            "whole": whole,
            "focus": anchor if press else "",
            "told": _told(press, before, response),
        },
    )


def submit(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Hand the decision in and go on to the next question."""
    stage, now = _stage(assignment), timezone.now()
    if assignment.state == State.SUBMITTED:
        messages.info(request, "You have submitted this question already. Nothing was changed.")
        return go(request, _address(assignment))
    stored, said = stage.opened(assignment)
    try:
        response = editing.noted(stored, _posted(request, assignment, stored, said))
    except ResponseError as error:
        return _unreadable(request, assignment, str(error))
    conflict = _newer(request, assignment, stage.draft_of(response))
    # Who is no longer a validator reads the refusal, and not what others have written since.
    if conflict is not None and _former(request, assignment) is None:
        return _conflict(request, assignment, caught_up(response, said), said, conflict, now)
    try:
        assignments.submit(assignment=assignment, response=response, by=request.user, now=now)
    except Refused as refused:
        return _refused(request, assignment, response, said, refused.report, now)
    return go(request, next_address(request, assignment, now))


def _former(request: UserRequest, assignment: Assignment) -> Denied | None:
    """Return what somebody reads who is no longer a validator here: their turn ended with that."""
    if assignment.state in HELD:
        return None
    roles = roles_in(request.user, assignment.project)
    try:
        check_still_works_here(user=request.user, has_role=_stage(assignment).role in roles)
    except Denied as refusal:
        return refusal
    return None


def _keep(
    request: UserRequest, assignment: Assignment, response: Response, now: dt.datetime
) -> None:
    """Keep what is on the form, over what another window of the same person saved."""
    draft, version = _stage(assignment).draft_of(response), version_of(request)
    for _ in range(2):
        try:
            drafts.save_draft(
                assignment=assignment, draft=draft, version=version, by=request.user, now=now
            )
        except drafts.DraftConflict as conflict:
            version = conflict.version
        else:
            return


# --- translating in ------------------------------------------------------------------------------


def _stage(assignment: Assignment) -> Validating:
    """Return the stage as what it is."""
    stage = stages.get(assignment.stage)
    assert isinstance(stage, Validating)
    return stage


def _posted(
    request: UserRequest, assignment: Assignment, stored: Response, said: list[Said]
) -> Response:
    tokens = queries.annotation_tokens(assignment)
    return forms.from_post(request.POST, stored=stored, said=said, tokens=tokens)


def _pressed(request: UserRequest, response: Response, press: str, said: list[Said]) -> Response:
    if press == "exclude-question":
        return replace(response, exclude_reason=forms.why_excluded(request.POST))
    return editing.pressed(response, press, said=said, selected=forms.selected(request.POST))


def _told(press: str, before: Response, response: Response) -> str:
    """Return in a few words what a press did, where undo would take it back."""
    if press == "undo" or before.rows == response.rows:
        return ""
    if press == "reset":
        return "Started over"
    return editing.told(before.rows, response.rows)


def _newer(
    request: UserRequest, assignment: Assignment, draft: dict[str, object]
) -> drafts.DraftConflict | None:
    """Return the other window's draft, where one was saved since this form was made."""
    version = assignment.draft_version
    if version_of(request) == version or assignment.draft in ({}, draft):
        return None
    return drafts.DraftConflict(assignment.draft, version, assignment.draft_saved_at)


def _written(response: Response) -> list[str]:
    """Return the fields that have text: only there an error may be shown before submitting."""
    fields = [f"row-{row.key}-answer" for row in response.standing if row.forms]
    return fields + [
        f"row-{row.key}-question-{place}"
        for row in response.standing
        for place, each in enumerate(row.phrasings, start=1)
        if each.text
    ]


def _report(
    assignment: Assignment, response: Response, said: list[Said], *, touched: list[str] | None
) -> checks.Report:
    """Run the rules. What was not touched yet is left in peace; what blocks is counted."""
    report = _stage(assignment).report(assignment, response, said)
    if touched is None:
        return report
    seen = {*touched, "rows"}
    shown = tuple(each for each in report.findings if each.field in seen)
    return checks.Report(tuple(f for f in shown if f.rule != "nothing-accepted"), report.blocking)


def _note_warnings(
    request: UserRequest, assignment: Assignment, report: checks.Report, now: dt.datetime
) -> None:
    """Log which warnings the person sees, so that each rule's share of kept ones can be told."""
    shown = [(each.rule, each.field) for each in report.findings if each.level == "warning"]
    if assignment.state == State.ACTIVE:
        events.warnings_shown(assignment=assignment, warnings=shown, by=request.user, now=now)


# --- translating out -----------------------------------------------------------------------------


def _address(assignment: Assignment) -> str:
    return reverse("work-page", args=[assignment.pk])


def _refused(
    request: UserRequest,
    assignment: Assignment,
    response: Response,
    said: list[Said],
    report: checks.Report,
    now: dt.datetime,
) -> HttpResponse:
    """Show everything that is still to do. What was typed is kept first."""
    try:
        drafts.save_draft(
            assignment=assignment,
            draft=_stage(assignment).draft_of(response),
            version=version_of(request),
            by=request.user,
            now=now,
        )
    except drafts.DraftConflict as conflict:
        return _conflict(request, assignment, response, said, conflict, now)
    _note_warnings(request, assignment, report, now)
    answer = _reply if is_fragment(request) else _page
    return answer(request, assignment, response, said, report, now=now, tried=True, status=422)


def _unreadable(request: UserRequest, assignment: Assignment, problem: str) -> HttpResponse:
    """Say why the form cannot be read; the text stays in the browser, the draft as it was."""
    if is_fragment(request):
        return render(request, "annotation/_problems.html", {"problem": problem}, status=422)
    messages.error(request, problem)
    return redirect("work-page", assignment.pk)


def _conflict(
    request: UserRequest,
    assignment: Assignment,
    response: Response,
    said: list[Said],
    conflict: drafts.DraftConflict,
    now: dt.datetime,
) -> HttpResponse:
    theirs = caught_up(_stage(assignment).read_draft(conflict.theirs), said)
    shown = ConflictShown(
        saved_at=conflict.saved_at, version=conflict.version, rows=compared(response, theirs)
    )
    if is_fragment(request):
        context = {"conflict": shown, "assignment": assignment}
        return render(request, "annotation/_conflict.html", context, status=409)
    report = _report(assignment, response, said, touched=_written(response))
    return _page(request, assignment, response, said, report, now=now, status=409, conflict=shown)


def _shared(
    request: UserRequest,
    assignment: Assignment,
    response: Response,
    said: list[Said],
    report: checks.Report,
    now: dt.datetime,
    tried: bool,
) -> dict[str, Any]:
    """Return what page and reply show. Two queries: the pages read, and the quotes."""
    showing = Showing(
        assignment,
        response,
        said,
        report,
        pages=queries.pages_read(said),
        quotes=queries.quotes_of(said, assignment.project.snapshot_id),
        # What was ticked has had what it was ticked for.
        selected=() if request.POST.get("action") in _TICKED else forms.selected(request.POST),
    )
    shown = showing.shown()
    seen = {(finding.rule, finding.field) for finding in report.findings}
    anchors = {n: each.number for each in shown.columns for n in each.numbers}
    alike = {f"verdict-{n}" for n, first in anchors.items() if n != first}
    todo = [
        (each.summary, "rows-title" if each.field == "rows" else each.field)
        for each in report.blocking
        if each.field not in alike  # said once, at the first of them
    ]
    return lease_context(assignment, now) | {
        "shown": shown,
        "people": len(said),
        "rows": shown.rows,
        "columns": shown.columns,
        "tokens": [queries.column_token(assignment.pk, pk) for pk in response.covers],
        "likes": [(n, c.number) for c in shown.columns for n in c.numbers if n != c.number],
        "rows_findings": report.at("rows"),
        "feedback": response.feedback,
        "exclude_reason": response.exclude_reason,
        "idle_keeps": [keep for keep in response.keeps if (keep.rule, keep.field) not in seen],
        "undo": editing.told(response.past[-1], response.rows) if response.past else "",
        "todo": len(todo),
        "blocking": list(dict.fromkeys(todo)),
        "problems": list(dict.fromkeys(todo)) if tried else [],
        "version": assignment.draft_version,
        "saved_at": assignment.draft_saved_at,
        "draft_url": reverse("work-draft", args=[assignment.pk]),
    }


def _reply(
    request: UserRequest,
    assignment: Assignment,
    response: Response,
    said: list[Said],
    report: checks.Report,
    *,
    now: dt.datetime,
    tried: bool = False,
    status: int = 200,
    more: dict[str, Any] | None = None,
) -> HttpResponse:
    context = _shared(request, assignment, response, said, report, now, tried) | (more or {})
    return render(request, "validation/_draft.html", context, status=status)


def _page(
    request: UserRequest,
    assignment: Assignment,
    response: Response,
    said: list[Said],
    report: checks.Report,
    *,
    now: dt.datetime,
    tried: bool = False,
    status: int = 200,
    conflict: ConflictShown | None = None,
) -> HttpResponse:
    context = panel_context(assignment, request.GET)
    context |= _shared(request, assignment, response, said, report, now, tried)
    hours = assignment.policy.park_hours
    context |= {
        "project": assignment.project,
        "question": assignment.task.question,
        "reference_date": assignment.project.reference_date,
        "people_word": word(len(said)),
        "reading": "page" in request.GET or "search" in request.GET,
        "pay_line": assignment.policy.pay_line,
        "park_time": f"{hours} hours" if hours < 48 else f"{hours // 24} days",
        "guideline_version": home.newest_guideline_version(assignment.project_id),
        "conflict": conflict,
        "section": "work",
    }
    return render(request, "validation/work_view.html", context, status=status)
