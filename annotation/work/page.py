"""The work page of whatever stage a turn belongs to: show, save as a draft, submit.

Everything specific to a stage is in its sheet and in the stage; see `annotation.stages.registry`.
Every button works without scripts: it posts the whole form and comes back to it.
`annotation.work.views` checks that the turn belongs to the person who asks.
"""

import datetime as dt
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from annotation.access.loaders import UserRequest
from annotation.core import limits
from annotation.core.models.work import Assignment
from annotation.core.refusals import Denied, ResponseRefused
from annotation.core.states import SET_ASIDE
from annotation.reading.views import panel_context
from annotation.sheets.parts import ConflictShown, compare_drafts
from annotation.sheets.report import FindingsReport
from annotation.sheets.steps import list_fixed_steps, list_steps
from annotation.text.addresses import address_of
from annotation.text.cleaning import ResponseError
from annotation.work import assignments, drafts
from annotation.work.seats import has_room
from annotation.work.turn import Turn
from annotation.work.turn_views import is_fragment, lease_context, next_address

State = Assignment.State


class WorkPage(Turn):
    """One request about one turn."""

    def __init__(self, request: UserRequest, assignment: Assignment) -> None:
        super().__init__(assignment, by=request.user, now=timezone.now())
        self.request = request

    # --- what is asked for ------------------------------------------------------------------------

    def show_work(self) -> HttpResponse:
        """Show the work, or its outcome."""
        if self.assignment.state != State.ACTIVE or limits.is_grace_over(self.assignment, self.now):
            return self.render_ended_page()
        response = self.load_response(self.assignment.draft)
        return self.render_page(
            response, self.check_response(response, touched=self.sheet.list_filled_fields(response))
        )

    def save_draft(self) -> HttpResponse:
        """Save the form; reply with a fragment of the rules' findings, or redirect to the page."""
        press = self.request.POST.get("action", "")
        try:
            posted = self.read()
            self.check_may_look(posted, version_of(self.request))
            before = self.sheet.adapt_response(posted, self.given)
            response = before
            if press:
                response = self.stage.apply_press(
                    self.assignment,
                    before,
                    press,
                    self.given,
                    self.request.POST,
                    by=self.request.user,
                    now=self.now,
                )
        except ResponseError as error:
            return self.render_unreadable(str(error))
        try:
            self.save(response, version_of(self.request))
        except drafts.DraftConflict as conflict:
            return self.render_conflict(response, conflict)
        if not is_fragment(self.request):
            if self.assignment.state != State.ACTIVE:
                return redirect("work-page", self.assignment.pk)
            return redirect(f"{self.address}#{self.sheet.press_anchor(response, press, before)}")
        tried = "tried" in self.request.POST
        touched = None if tried else self.request.POST.getlist("touched")
        report = self.check_response(response, touched=touched)
        self.note_warnings(report)
        more = self.sheet.press_effect(response, press, before, renewed=before != posted)
        return self.render_fragment(response, report, show_problems=tried, more=more)

    def step_on(self) -> HttpResponse:
        """Finish the step in hand and continue with the next one; submit where none follows. The
        press "back" goes back to the step before.

        A form of another step (a second click, a window left open) only leads back to the page.
        """
        if not self.sheet.steps:
            raise Http404
        if self.assignment.state != State.ACTIVE:
            return redirect_to_address(self.request, self.address)
        if self.is_stale(self.posted_step, version_of(self.request)):
            messages.info(self.request, self.still_here)
            return redirect_to_address(self.request, self.address)
        back = self.request.POST.get("action") == "back"
        try:
            response = self.read()
        except ResponseError as error:
            return self.render_unreadable(str(error))
        if not back and not self.has_next_step(response):
            return self.submit()
        if (newer := self.find_newer_draft(response, version_of(self.request))) is not None:
            return self.render_conflict(response, newer)
        try:
            (self.go_back if back else self.finish_step)(response, self.assignment.draft_version)
        except ResponseRefused as refused:
            return self.render_refusal(response, refused.report)
        except drafts.DraftConflict as conflict:
            return self.render_conflict(response, conflict)
        return redirect_to_address(self.request, self.address)

    def submit(self) -> HttpResponse:
        """Submit the work and continue with the next question."""
        if self.assignment.state == State.SUBMITTED:
            told = "You have submitted this question already. Nothing was changed."
            messages.info(self.request, told)
            return redirect_to_address(self.request, self.address)
        try:
            response = self.read()
        except ResponseError as error:
            return self.render_unreadable(str(error))
        if (conflict := self.find_newer_draft(response, version_of(self.request))) is not None:
            return self.render_conflict(response, conflict)
        try:
            following = assignments.submit_and_take(
                assignment=self.assignment, response=response, by=self.request.user, now=self.now
            )
        except ResponseRefused as refused:
            return self.render_refusal(response, refused.report)
        except Denied:
            # The latest text is saved all the same, as the sentence promises.
            with suppress(Denied):
                self.save(response, version_of(self.request))
            raise
        address = next_address(
            self.request, self.assignment, self.now, done="Submitted.", following=following
        )
        return redirect_to_address(self.request, address)

    def render_ended_page(self) -> HttpResponse:
        """Show work that is not in hand: its state, its contents, and how to continue."""
        assignment = self.assignment
        context = {
            "assignment": assignment,
            "project": assignment.project,
            "question": assignment.task.question,
            "section": "work",
        }
        context |= self.stage.ended_page_context(assignment) | build_resume_context(
            assignment, self.now
        )
        return render(self.request, self.sheet.ended, context)

    # --- steps ------------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        return address_of("work-page", self.assignment.pk)

    @property
    def draft_url(self) -> str:
        return address_of("work-draft", self.assignment.pk)

    @property
    def posted_step(self) -> str:
        """The step that the form was made for; without saying so, it is the one in hand."""
        return self.request.POST.get("step", self.step)

    @property
    def still_here(self) -> str:
        """What somebody is told whose press was on a page of another step."""
        label = self.sheet.steps[self.progress.at].label
        return f"You are at “{label}” now. The last press changed nothing."

    def read(self) -> Any:
        """Return the response on the form. Raises ResponseError with a sentence."""
        self.check_step(self.posted_step, version_of(self.request))
        # Few forms are read by what is given; a submission reads that again, under its locks.
        given = SimpleLazyObject(lambda: self.given)
        return self.with_other_steps(self.sheet.read(self.request.POST, given))

    def render_refusal(self, response: Any, report: FindingsReport) -> HttpResponse:
        """Show everything that is still to do, after saving the response."""
        try:
            self.save(response, version_of(self.request))
        except drafts.DraftConflict as conflict:
            return self.render_conflict(response, conflict)
        self.note_warnings(report)
        answer = self.render_fragment if is_fragment(self.request) else self.render_page
        return answer(response, report, show_problems=True, status=422)

    def render_unreadable(self, problem: str) -> HttpResponse:
        """Reply why the form cannot be read; the text stays in the browser, the draft unchanged."""
        if is_fragment(self.request):
            context = {"problem": problem}
            return render(self.request, "annotation/work/_problems.html", context, status=422)
        messages.error(self.request, problem)
        return redirect("work-page", self.assignment.pk)

    def render_conflict(self, response: Any, conflict: drafts.DraftConflict) -> HttpResponse:
        """Show where this form and the draft of another window differ."""
        response = self.sheet.adapt_response(response, self.given)
        theirs = self.load_response(conflict.theirs)
        rows = compare_drafts(
            self.sheet.list_field_texts(response), self.sheet.list_field_texts(theirs)
        )
        shown = ConflictShown(conflict.saved_at, conflict.version, rows)
        if is_fragment(self.request):
            context = {
                "conflict": shown,
                "assignment": self.assignment,
                "draft_url": self.draft_url,
            }
            return render(self.request, "annotation/work/_conflict_reply.html", context, status=409)
        report = self.check_response(response, touched=self.sheet.list_filled_fields(response))
        return self.render_page(response, report, status=409, conflict=shown)

    # --- answers ----------------------------------------------------------------------------------

    def _form(self, response: Any, report: FindingsReport, show_problems: bool) -> dict[str, Any]:
        shown = self.sheet.form_context(response, report, self.given, self.request.POST)
        return (
            shown
            | lease_context(self.assignment, self.now)
            | {
                "problems": shown["blocking"] if show_problems else [],
                "version": self.assignment.draft_version,
                "saved_at": self.assignment.draft_saved_at,
                "draft_url": self.draft_url,
                "pay_line": self.assignment.policy.pay_line,
                "steps": list_steps(self.sheet.steps, self.progress.at),
                "step": self.step,
                "follows": self.has_next_step(response),
                "press": self.sheet.steps[self.progress.at].press if self.step else "",
                "step_before": self.step_before,
                "fixed": list_fixed_steps(self.sheet.steps, self.progress.at),
                "dropped": self.progress.dropped,
            }
        )

    def render_fragment(
        self,
        response: Any,
        report: FindingsReport,
        *,
        show_problems: bool = False,
        status: int = 200,
        more: Mapping[str, Any] | None = None,
    ) -> HttpResponse:
        """Answer a script: the parts of the page that may have changed."""
        context = self._form(response, report, show_problems) | dict(more or {})
        return render(self.request, self.sheet.reply, context, status=status)

    def render_page(
        self,
        response: Any,
        report: FindingsReport,
        *,
        show_problems: bool = False,
        status: int = 200,
        conflict: ConflictShown | None = None,
    ) -> HttpResponse:
        """Answer with the whole page."""
        assignment, project = self.assignment, self.assignment.project
        hours = assignment.policy.park_hours
        context = panel_context(assignment, self.request.GET) if self.sheet.reads else {}
        context |= self._form(response, report, show_problems)
        history = context.get("reading_history")
        begun = show_problems or conflict or assignment.draft_saved_at
        context |= {
            # The panel that a phone shows first: what to read, until something was read or written.
            "opens_at": "read" if history and not history.pages and not begun else "write",
            "project": project,
            "question": assignment.task.question,
            "sheet": self.sheet,
            "stage_label": self.stage.label,
            "reference_date": project.reference_date,
            "reading": "page" in self.request.GET or "search" in self.request.GET,
            "skip_reasons": Assignment.SkipReason.choices,
            "park_time": f"{hours} hours" if hours < 48 else f"{hours // 24} days",
            "guideline_version": assignment.newest_guideline,
            "conflict": conflict,
            "section": "work",
        }
        context |= self.stage.page_context(assignment, self.given, context, by=self.request.user)
        return render(self.request, self.sheet.page, context, status=status)


# --- for any form that is saved as it is typed ---------------------------------------------------


def version_of(request: HttpRequest) -> int:
    """Return the draft version the form was made from; "Keep this one" overwrites a newer one."""
    verb, _, number = request.POST.get("action", "").partition(" ")
    text = number if verb == "overwrite" else request.POST.get("version", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def redirect_to_address(request: HttpRequest, address: str) -> HttpResponse:
    """Redirect to an address; scripts get it in a header, since fetch would follow a redirect."""
    if is_fragment(request):
        return HttpResponse(headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)


def build_resume_context(assignment: Assignment, now: dt.datetime) -> dict[str, Any]:
    """Return whether work that is not in hand can be resumed, and if not, why."""
    free = assignment.state in (State.EXPIRED, State.RETURNED, State.SKIPPED)
    aside = SET_ASIDE.get(assignment.task.question.state, "") if free else ""
    if limits.is_time_up(assignment, now):
        return {"can_resume": False, "aside": aside, "over": True}
    room = free and not aside and has_room(assignment.task_id)
    return {"can_resume": assignment.state == State.PARKED or room, "aside": aside}
