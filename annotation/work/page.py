"""The page of a form of work: show it, save it as a draft, do what is pressed.

It serves every desk: `annotation.work.assignment_page` adds what only a question in hand has,
`annotation.qualifications.attempt_page` what only an item of an exam has. Everything specific to a
form is in its sheet. Every button works without scripts: it posts the whole form and comes back to
it. Views check that the desk belongs to the person who asks.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject

from annotation.access.loaders import UserRequest
from annotation.sheets.parts import ConflictShown, compare_drafts
from annotation.sheets.report import FindingsReport
from annotation.text.cleaning import ResponseError
from annotation.work.drafts import DraftConflict
from annotation.work.turn import D, Turn
from annotation.work.turn_views import is_fragment


class WorkPage(Turn[D], ABC):
    """One request about one turn. page, reply: the templates of the whole page and of the reply to
    a script.
    """

    page: str
    reply: str

    def __init__(self, request: UserRequest, desk: D) -> None:
        super().__init__(desk)
        self.request = request

    # --- what is asked for ------------------------------------------------------------------------

    def show_work(self) -> HttpResponse:
        """Show the form, or what has become of it."""
        if not self.desk.is_in_hand:
            return self.render_ended_page()
        response = self.load_response(self.desk.row.draft)
        return self.render_page(response, self.check_filled_fields(response))

    def save_draft(self) -> HttpResponse:
        """Save the form and do what was pressed; reply with the parts of the page that may have
        changed, or redirect to the page.
        """
        press = self.request.POST.get("action", "")
        try:
            posted = self.read()
            self.check_may_look(posted, version_of(self.request))
            before = self.sheet.adapt_response(posted, self.given)
            response = before
            if press:
                response = self.desk.apply_press(before, press, self.request.POST)
        except ResponseError as error:
            return self.render_unreadable(str(error))
        try:
            self.desk.save_draft(response, version_of(self.request))
        except DraftConflict as conflict:
            return self.render_conflict(response, conflict)
        if (elsewhere := self.follow_press(response, press)) is not None:
            return elsewhere
        if not is_fragment(self.request):
            anchor = self.desk.press_anchor(response, press, before)
            place = f"#{anchor}" if self.desk.is_in_hand else ""
            return HttpResponseRedirect(f"{self.desk.address}{place}")
        tried = "tried" in self.request.POST
        touched = None if tried else self.request.POST.getlist("touched")
        report = self.check_response(response, touched=touched)
        self.desk.note_warnings(report)
        more = self.sheet.press_effect(response, press, before, renewed=before != posted)
        return self.render_fragment(response, report, show_problems=tried, more=more)

    # --- what desks have of their own -------------------------------------------------------------

    @abstractmethod
    def render_ended_page(self) -> HttpResponse:
        """Show what is not in hand."""

    def follow_press(self, response: Any, press: str) -> HttpResponse | None:
        """Do what a press asks for once the draft is saved, and answer if it leads elsewhere."""
        return None

    def page_context(self, context: dict[str, Any], *, begun: bool) -> dict[str, Any]:
        """Return the context of the whole page, from that of its form; `begun`: whether anything
        was written yet.
        """
        return context

    # --- reading ----------------------------------------------------------------------------------

    @property
    def posted_step(self) -> str:
        """The step that the form was made for; without saying so, it is the one in hand."""
        return self.request.POST.get("step", self.step)

    def read(self) -> Any:
        """Return the response on the form. Raises ResponseError with a sentence."""
        self.check_step(self.posted_step, version_of(self.request))
        # Few forms are read by what is given; a submission reads that again, under its locks.
        given = SimpleLazyObject(lambda: self.given)
        return self.with_other_steps(self.sheet.read(self.request.POST, given))

    def check_filled_fields(self, response: Any) -> FindingsReport:
        """Run the rules; only findings on fields with text are shown."""
        return self.check_response(response, touched=self.sheet.list_filled_fields(response))

    # --- answers ----------------------------------------------------------------------------------

    def render_unreadable(self, problem: str) -> HttpResponse:
        """Reply why the form cannot be read; the text stays in the browser, the draft unchanged."""
        if is_fragment(self.request):
            context = {"problem": problem}
            return render(self.request, "annotation/work/_problems.html", context, status=422)
        messages.error(self.request, problem)
        return HttpResponseRedirect(self.desk.address)

    def render_refusal(self, response: Any, report: FindingsReport) -> HttpResponse:
        """Show everything that is still to do, after saving the response."""
        try:
            self.desk.save_draft(response, version_of(self.request))
        except DraftConflict as conflict:
            return self.render_conflict(response, conflict)
        self.desk.note_warnings(report)
        answer = self.render_fragment if is_fragment(self.request) else self.render_page
        return answer(response, report, show_problems=True, status=422)

    def render_conflict(self, response: Any, conflict: DraftConflict) -> HttpResponse:
        """Show where this form and the draft of another window differ."""
        response = self.sheet.adapt_response(response, self.given)
        theirs = self.load_response(conflict.theirs)
        rows = compare_drafts(
            self.sheet.list_field_texts(response), self.sheet.list_field_texts(theirs)
        )
        shown = ConflictShown(conflict.saved_at, conflict.version, rows)
        if is_fragment(self.request):
            context = {"conflict": shown, "page_url": self.desk.address}
            return render(self.request, "annotation/work/_conflict_reply.html", context, status=409)
        report = self.check_filled_fields(response)
        return self.render_page(response, report, status=409, conflict=shown)

    def form_context(
        self, response: Any, report: FindingsReport, show_problems: bool
    ) -> dict[str, Any]:
        """Return the context of the form, for the page and for replies to scripts."""
        shown = self.sheet.form_context(response, report, self.given, self.request.POST)
        return shown | {
            "problems": shown["blocking"] if show_problems else [],
            "version": self.desk.row.draft_version,
            "saved_at": self.desk.row.draft_saved_at,
            "draft_url": self.desk.draft_url,
            "page_url": self.desk.address,
            "section": "work",
        }

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
        context = self.form_context(response, report, show_problems) | dict(more or {})
        return render(self.request, self.reply, context, status=status)

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
        begun = bool(show_problems or conflict or self.desk.row.draft_saved_at)
        context = self.form_context(response, report, show_problems) | {"conflict": conflict}
        context = self.page_context(context, begun=begun)
        return render(self.request, self.page, context, status=status)


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
