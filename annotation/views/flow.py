"""What every work page does alike: show, save as a draft, submit, whatever is on the form.

A stage's page says how its form is read, checked and drawn; see `Flow`. Every button works without
scripts: it posts the whole form and comes back to it. Who asks, and that the turn is theirs, is
`annotation.views.work`'s to see to.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation.checks import Finding
from annotation.models import Assignment
from annotation.policies import Denied
from annotation.policies.work import Refused
from annotation.queries import home as queries
from annotation.responses import ResponseError
from annotation.services import assignments, drafts, events
from annotation.services.seats import has_room
from annotation.states import SET_ASIDE
from annotation.views.loaders import UserRequest
from annotation.views.parts import ConflictShown, compared
from annotation.views.reading import panel_context
from annotation.views.turns import is_fragment, lease_context, next_address

State = Assignment.State
R = TypeVar("R")


class Said(Protocol):
    """What the rules of any stage say."""

    @property
    def findings(self) -> tuple[Finding, ...]: ...


P = TypeVar("P", bound=Said)


class Flow(ABC, Generic[R, P]):
    """One request about one turn. `R` is the stage's response, `P` what its rules say of one."""

    page_template: ClassVar[str]
    reply_template: ClassVar[str]

    def __init__(self, request: UserRequest, assignment: Assignment) -> None:
        self.request, self.assignment = request, assignment
        self.now = timezone.now()

    # --- what a stage says ------------------------------------------------------------------------

    @abstractmethod
    def stored(self) -> R:
        """Return the draft."""

    @abstractmethod
    def read(self) -> R:
        """Return what is on the form. Raises ResponseError with a sentence where it cannot be."""

    def handed_in(self) -> R:
        """Return what is on the form, for handing it in."""
        return self.read()

    @abstractmethod
    def pressed(self, response: R, press: str) -> R:
        """Return the response after a press on a button of the form."""

    @abstractmethod
    def anchor(self, response: R, press: str) -> str:
        """Return the id of what the person looks at after the press."""

    @abstractmethod
    def draft_of(self, response: R) -> dict[str, object]:
        """Return what a draft holds."""

    @abstractmethod
    def read_draft(self, draft: Mapping[str, object]) -> R:
        """Read a stored draft."""

    @abstractmethod
    def report(self, response: R, *, touched: Sequence[str] | None) -> P:
        """Run the rules. Nothing is shown at a field that is not among `touched`; None: all."""

    @abstractmethod
    def written(self, response: R) -> list[str]:
        """Return the fields that have text: only there a rule speaks before submitting."""

    @abstractmethod
    def texts(self, response: R) -> Iterable[tuple[str, str]]:
        """Return label and text of every field, for comparing two drafts."""

    @abstractmethod
    def shown(self, response: R, report: P, *, show_problems: bool) -> dict[str, Any]:
        """Return what the form and the reply to it show."""

    def followed(self, response: R, press: str) -> dict[str, Any]:
        """Return what the reply to a saved form shows beside that."""
        return {}

    @abstractmethod
    def around(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """Return what only the whole page shows, beside what is in `context`."""

    @abstractmethod
    def ended(self) -> HttpResponse:
        """Show work that is not in hand."""

    # --- what is asked for ------------------------------------------------------------------------

    def page(self) -> HttpResponse:
        """Show the work, or what became of it."""
        if self.assignment.state != State.ACTIVE:
            return self.ended()
        response = self.stored()
        return self.whole(response, self.report(response, touched=self.written(response)))

    def draft(self) -> HttpResponse:
        """Save what is on the form; a fragment with what the rules say, or back to the page."""
        press = self.request.POST.get("action", "")
        try:
            response = self.read()
            if press:
                response = self.pressed(response, press)
        except ResponseError as error:
            return self.unreadable(str(error))
        try:
            self.save(response)
        except drafts.DraftConflict as conflict:
            return self.conflict(response, conflict)
        if not is_fragment(self.request):
            if self.assignment.state != State.ACTIVE:
                return redirect("work-page", self.assignment.pk)
            return redirect(f"{self.address}#{self.anchor(response, press)}")
        tried = "tried" in self.request.POST
        touched = None if tried else self.request.POST.getlist("touched")
        report = self.report(response, touched=touched)
        self.note_warnings(report)
        more = self.followed(response, press)
        return self.reply(response, report, show_problems=tried, more=more)

    def submit(self) -> HttpResponse:
        """Hand the work in and go on to the next question."""
        if self.assignment.state == State.SUBMITTED:
            told = "You have submitted this question already. Nothing was changed."
            messages.info(self.request, told)
            return go(self.request, self.address)
        try:
            response = self.handed_in()
        except ResponseError as error:
            return self.unreadable(str(error))
        if (conflict := self.newer(response)) is not None:
            return self.conflict(response, conflict)
        try:
            assignments.submit(
                assignment=self.assignment, response=response, by=self.request.user, now=self.now
            )
        except Refused as refused:
            return self.refused(response, refused.report)
        except Denied:
            # What was typed just before is kept all the same; the sentence promises it.
            with suppress(Denied):
                self.save(response)
            raise
        return go(
            self.request, next_address(self.request, self.assignment, self.now, done="Submitted.")
        )

    # --- steps ------------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        return reverse("work-page", args=[self.assignment.pk])

    def save(self, response: R) -> None:
        """Save the draft. Raises DraftConflict where another window was faster."""
        drafts.save_draft(
            assignment=self.assignment,
            draft=self.draft_of(response),
            version=version_of(self.request),
            by=self.request.user,
            now=self.now,
        )

    def newer(self, response: R) -> drafts.DraftConflict | None:
        """Return the other window's draft, where one was saved since this form was made."""
        assignment = self.assignment
        version = assignment.draft_version
        known: tuple[dict[str, object], ...] = ({}, self.draft_of(response))
        if version_of(self.request) == version or assignment.draft in known:
            return None
        return drafts.DraftConflict(assignment.draft, version, assignment.draft_saved_at)

    def refused(self, response: R, report: P) -> HttpResponse:
        """Show everything that is still to do. What was typed is kept first."""
        try:
            self.save(response)
        except drafts.DraftConflict as conflict:
            return self.conflict(response, conflict)
        self.note_warnings(report)
        answer = self.reply if is_fragment(self.request) else self.whole
        return answer(response, report, show_problems=True, status=422)

    def unreadable(self, problem: str) -> HttpResponse:
        """Say why the form cannot be read; the text stays in the browser, the draft as it was."""
        if is_fragment(self.request):
            context = {"problem": problem}
            return render(self.request, "annotation/_problems.html", context, status=422)
        messages.error(self.request, problem)
        return redirect("work-page", self.assignment.pk)

    def conflict(self, response: R, conflict: drafts.DraftConflict) -> HttpResponse:
        """Show where this form and the draft of another window differ."""
        theirs = self.read_draft(conflict.theirs)
        rows = compared(self.texts(response), self.texts(theirs))
        shown = ConflictShown(conflict.saved_at, conflict.version, rows)
        if is_fragment(self.request):
            context = {
                "conflict": shown,
                "assignment": self.assignment,
                "draft_url": self.draft_url,
            }
            return render(self.request, "annotation/_conflict_reply.html", context, status=409)
        report = self.report(response, touched=self.written(response))
        return self.whole(response, report, status=409, conflict=shown)

    def note_warnings(self, report: P) -> None:
        """Log which warnings the person sees, so that each rule's share of kept ones is known."""
        shown = [(each.rule, each.field) for each in report.findings if each.level == "warning"]
        if self.assignment.state == State.ACTIVE:
            events.warnings_shown(
                assignment=self.assignment, warnings=shown, by=self.request.user, now=self.now
            )

    # --- answers ----------------------------------------------------------------------------------

    @property
    def draft_url(self) -> str:
        return reverse("work-draft", args=[self.assignment.pk])

    def _form(self, response: R, report: P, show_problems: bool) -> dict[str, Any]:
        return (
            self.shown(response, report, show_problems=show_problems)
            | lease_context(self.assignment, self.now)
            | {
                "version": self.assignment.draft_version,
                "saved_at": self.assignment.draft_saved_at,
                "draft_url": self.draft_url,
                "pay_line": self.assignment.policy.pay_line,
            }
        )

    def reply(
        self,
        response: R,
        report: P,
        *,
        show_problems: bool = False,
        status: int = 200,
        more: Mapping[str, Any] | None = None,
    ) -> HttpResponse:
        """Answer a script: the parts of the page that may have changed."""
        context = self._form(response, report, show_problems) | dict(more or {})
        return render(self.request, self.reply_template, context, status=status)

    def whole(
        self,
        response: R,
        report: P,
        *,
        show_problems: bool = False,
        status: int = 200,
        conflict: ConflictShown | None = None,
    ) -> HttpResponse:
        """Answer with the whole page."""
        assignment, project = self.assignment, self.assignment.project
        hours = assignment.policy.park_hours
        context = panel_context(assignment, self.request.GET)
        context |= self._form(response, report, show_problems)
        context |= {
            "project": project,
            "question": assignment.task.question,
            "reference_date": project.reference_date,
            "skip_reasons": Assignment.SkipReason.choices,
            "park_time": f"{hours} hours" if hours < 48 else f"{hours // 24} days",
            "guideline_version": queries.newest_guideline_version(assignment.project_id),
            "conflict": conflict,
            "section": "work",
        }
        return render(
            self.request, self.page_template, context | self.around(context), status=status
        )


# --- for any of them -----------------------------------------------------------------------------


def version_of(request: HttpRequest) -> int:
    """Return the version the form was made from; "Keep this one" overwrites a newer one."""
    verb, _, number = request.POST.get("action", "").partition(" ")
    text = number if verb == "overwrite" else request.POST.get("version", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def go(request: HttpRequest, address: str) -> HttpResponse:
    """Lead to an address: scripts get it in a header, since fetch would follow a redirect."""
    if is_fragment(request):
        return HttpResponse(headers={"HX-Redirect": address})
    return redirect(address)


def resuming(assignment: Assignment) -> dict[str, Any]:
    """Return whether work that is not in hand can be taken up again, and why nobody can."""
    free = assignment.state in (State.EXPIRED, State.RETURNED, State.SKIPPED)
    aside = SET_ASIDE.get(assignment.task.question.state, "") if free else ""
    room = free and not aside and has_room(assignment.task_id)
    return {"can_resume": assignment.state == State.PARKED or room, "aside": aside}
