"""The page of an item of a rehearsal: that of its stage, without what only an assignment has."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from annotation.access.loaders import UserRequest
from annotation.core.refusals import ResponseRefused
from annotation.models import Project
from annotation.sheets.report import FindingsReport
from annotation.text.cleaning import ResponseError
from annotation.work.page import WorkPage, redirect_to_address
from evaluation.rehearsals.desk import RehearsalDesk
from evaluation.rehearsals.kept import Rehearsal
from evaluation.studies.raters import policy_of


@dataclass(frozen=True)
class RehearsedWork:
    """What the page knows in the place of an assignment: whose keys it has."""

    stage: str


class RehearsalPage(WorkPage[RehearsalDesk]):
    """One request about one item of a rehearsal."""

    page = "evaluation/rehearsals/rehearsal.html"

    def __init__(
        self, request: UserRequest, rehearsal: Rehearsal, number: int, project: Project
    ) -> None:
        super().__init__(
            request,
            RehearsalDesk(
                rehearsal, number, project,
                session=request.session, by=request.user, now=timezone.now(),
            ),
        )  # fmt: skip
        self.reply = self.sheet.reply

    def submit(self) -> HttpResponse:
        """Submit the item and go on to the next one, after the last one to what was said."""
        if not self.desk.is_in_hand:
            return redirect_to_address(self.request, self._find_next())
        try:
            response = self.read()
        except ResponseError as error:
            return self.render_unreadable(str(error))
        try:
            self.desk.submit(response)
        except ResponseRefused as refused:
            return self.render_refusal(response, refused.report)
        return redirect_to_address(self.request, self._find_next())

    def render_ended_page(self) -> HttpResponse:
        """Go on where an item was submitted: a rehearsal keeps it to be read at the end."""
        return HttpResponseRedirect(self._find_next())

    def _find_next(self) -> str:
        following, slug = self.desk.rehearsal.following, self.desk.project.slug
        if following is None:
            return reverse("study-try", args=[slug])
        return reverse("study-try-item", args=[slug, following])

    def form_context(
        self, response: Any, report: FindingsReport, show_problems: bool
    ) -> dict[str, Any]:
        """Return the context of the form, with the pay that raters read."""
        desk = self.desk
        policy = policy_of(desk.project, desk.rehearsal.stage, desk.rehearsal.split)
        return super().form_context(response, report, show_problems) | {
            "submit_url": desk.submit_url,
            "pay_line": policy.pay_line if policy else "",
        }

    def page_context(self, context: dict[str, Any], *, begun: bool) -> dict[str, Any]:
        """Add what is around the form."""
        desk = self.desk
        return context | {
            "assignment": RehearsedWork(desk.rehearsal.stage),
            "sheet_page": self.sheet.page,
            "sheet": self.sheet,
            "project": desk.project,
            "question": desk.question,
            "stage_label": desk.stage.label,
            "number": desk.number,
            "of": len(desk.rehearsal.turns),
            "opens_at": "write",
        }
