"""The page of an item of a rehearsal: that of its stage, without what only an assignment has."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from annotation.access.loaders import UserRequest
from annotation.core.refusals import ResponseRefused
from annotation.models import Project
from annotation.sheets.report import FindingsReport
from annotation.text.cleaning import ResponseError
from annotation.work.page import WorkPage, redirect_to_address
from annotation.work.turn_views import is_fragment
from evaluation.rehearsals.desk import RehearsalDesk
from evaluation.rehearsals.kept import Rehearsal
from evaluation.rehearsals.reading import RehearsedReading
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

    @cached_property
    def reading(self) -> RehearsedReading | None:
        """Wikipedia beside the item; None where the stage has none."""
        return RehearsedReading(self.desk) if self.sheet.reads else None

    def show_work(self) -> HttpResponse:
        """Show the form, with the article of the address (`page`), if it names one."""
        if (path := self.request.GET.get("page")) and self.reading is not None:
            self.reading.read(path)
        return super().show_work()

    def show_search(self, query: str, offset: str) -> HttpResponse:
        """Search Wikipedia beside the item: its results, or without scripts the whole page."""
        return self._show_reading(self._get_reading().search(query, offset), "_search_answer.html")

    def show_article(self, path: str) -> HttpResponse:
        """Open an article beside the item, or without scripts on the whole page."""
        return self._show_reading(self._get_reading().read(path), "_reader_answer.html")

    def _get_reading(self) -> RehearsedReading:
        if self.reading is None:  # a stage without Wikipedia
            raise Http404
        return self.reading

    def _show_reading(self, status: int, template: str) -> HttpResponse:
        if is_fragment(self.request):
            context = self._get_reading().context
            return render(self.request, f"annotation/reading/{template}", context, status=status)
        return self.show_work()

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
        reading = self.reading.context if self.reading else {}
        return (
            reading
            | context
            | {
                "assignment": RehearsedWork(desk.rehearsal.stage),
                "sheet_page": self.sheet.page,
                "sheet": self.sheet,
                "project": desk.project,
                "question": desk.question,
                "stage_label": desk.stage.label,
                "number": desk.number,
                "of": len(desk.rehearsal.turns),
                # As for a rater: on a phone, what to read comes first.
                "opens_at": "read" if reading and not begun else "write",
            }
        )
