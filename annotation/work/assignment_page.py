"""The work page of whatever stage an assignment belongs to: with steps, Wikipedia and submission.

Everything specific to a stage is in its sheet and in the stage; see `annotation.stages.registry`.
"""

import datetime as dt
from contextlib import suppress
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from annotation.access.loaders import UserRequest
from annotation.core import limits
from annotation.core.models.work import Assignment
from annotation.core.refusals import Denied, ResponseRefused
from annotation.core.states import SET_ASIDE
from annotation.reading.views import panel_context
from annotation.sheets.report import FindingsReport
from annotation.sheets.steps import list_fixed_steps, list_steps
from annotation.text.cleaning import ResponseError
from annotation.work import drafts
from annotation.work.assignment_desk import AssignmentDesk, ChangeDesk, open_desk
from annotation.work.page import WorkPage, redirect_to_address, version_of
from annotation.work.seats import has_room
from annotation.work.turn_views import address_after_change, lease_context, next_address

State = Assignment.State


class AssignmentPage(WorkPage[AssignmentDesk]):
    """One request about one question in hand."""

    def __init__(self, request: UserRequest, assignment: Assignment) -> None:
        super().__init__(request, open_desk(assignment, by=request.user, now=timezone.now()))
        self.assignment, self.stage, self.now = assignment, self.desk.stage, self.desk.now
        self.page, self.reply = self.sheet.page, self.sheet.reply

    def step_on(self) -> HttpResponse:
        """Finish the step in hand and continue with the next one; submit where none follows. The
        press "back" goes back to the step before.

        A form of another step (a second click, a window left open) only leads back to the page.
        """
        if not self.sheet.steps:
            raise Http404
        if self.assignment.state != State.ACTIVE:
            return redirect_to_address(self.request, self.desk.address)
        if self.is_stale(self.posted_step, version_of(self.request)):
            messages.info(self.request, self.still_here)
            return redirect_to_address(self.request, self.desk.address)
        back = self.request.POST.get("action") == "back"
        try:
            response = self.read()
        except ResponseError as error:
            return self.render_unreadable(str(error))
        if not back and not self.has_next_step(response):
            return self.submit()
        newer = self.desk.find_newer_draft(response, version_of(self.request))
        if newer is not None:
            return self.render_conflict(response, newer)
        try:
            (self.go_back if back else self.finish_step)(response, self.assignment.draft_version)
        except ResponseRefused as refused:
            return self.render_refusal(response, refused.report)
        except drafts.DraftConflict as conflict:
            return self.render_conflict(response, conflict)
        return redirect_to_address(self.request, self.desk.address)

    def submit(self) -> HttpResponse:
        """Submit the work and continue with the next question, or what is in hand."""
        changes = isinstance(self.desk, ChangeDesk)
        if self.assignment.state == State.SUBMITTED and not changes:
            told = "You have submitted this question already. Nothing was changed."
            messages.info(self.request, told)
            return redirect_to_address(self.request, self.desk.address)
        try:
            response = self.read()
        except ResponseError as error:
            return self.render_unreadable(str(error))
        newer = self.desk.find_newer_draft(response, version_of(self.request))
        if newer is not None:
            return self.render_conflict(response, newer)
        try:
            if changes:
                self.desk.submit(response)
                return redirect_to_address(
                    self.request, address_after_change(self.request, self.assignment)
                )
            following = self.desk.submit_and_take(response)
        except ResponseRefused as refused:
            return self.render_refusal(response, refused.report)
        except Denied:
            # The latest text is saved all the same, as the sentence promises.
            with suppress(Denied):
                self.desk.save_draft(response, version_of(self.request))
            raise
        address = next_address(
            self.request, self.assignment, self.now, done="Submitted.", following=following
        )
        return redirect_to_address(self.request, address)

    @property
    def still_here(self) -> str:
        """What somebody is told whose press was on a page of another step."""
        label = self.sheet.steps[self.progress.at].label
        return f"You are at “{label}” now. The last press changed nothing."

    # --- answers ----------------------------------------------------------------------------------

    def render_ended_page(self) -> HttpResponse:
        """Show work that is not in hand: its state, its contents, and how to continue."""
        assignment = self.assignment
        context = {
            "assignment": assignment,
            "project": assignment.project,
            "question": assignment.task.question,
            "section": "work",
            # Of a change whose time has ended, what was typed is still there.
            "kept_change": isinstance(self.desk, ChangeDesk),
        }
        context |= self.stage.ended_page_context(assignment) | build_resume_context(
            assignment, self.now
        )
        return render(self.request, self.sheet.ended, context)

    def form_context(
        self, response: Any, report: FindingsReport, show_problems: bool
    ) -> dict[str, Any]:
        """Return the context of the form, with its lease and its steps."""
        return (
            super().form_context(response, report, show_problems)
            | lease_context(self.assignment, self.now)
            | {
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

    def page_context(self, context: dict[str, Any], *, begun: bool) -> dict[str, Any]:
        """Add what is around the form: Wikipedia, the question, and how to leave it."""
        assignment, project = self.assignment, self.assignment.project
        hours = assignment.policy.park_hours
        panel = panel_context(assignment, self.request.GET) if self.sheet.reads else {}
        history = panel.get("reading_history")
        whole = (
            panel
            | context
            | {
                # What a phone shows first: what to read, until something was read or written.
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
            }
        )
        return whole | self.stage.page_context(assignment, self.given, whole, by=self.desk.by)


def build_resume_context(assignment: Assignment, now: dt.datetime) -> dict[str, Any]:
    """Return whether work that is not in hand can be resumed, and if not, why."""
    free = assignment.state in (State.EXPIRED, State.RETURNED, State.SKIPPED)
    aside = SET_ASIDE.get(assignment.task.question.state, "") if free else ""
    if limits.is_time_up(assignment, now):
        return {"can_resume": False, "aside": aside, "over": True}
    room = free and not aside and has_room(assignment.task_id)
    return {"can_resume": assignment.state == State.PARKED or room, "aside": aside}
