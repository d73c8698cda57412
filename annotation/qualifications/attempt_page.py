"""The page of an item that somebody answers: the page of work, with a verdict and other items."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation.access.loaders import UserRequest
from annotation.core.refusals import Conflict
from annotation.qualifications import attempts, presentation, queries
from annotation.qualifications.desk import AnswerDesk
from annotation.qualifications.models import Part, QualificationAnswer
from annotation.sheets.report import FindingsReport
from annotation.text.addresses import address_of
from annotation.work.page import WorkPage, redirect_to_address
from annotation.work.turn_views import is_fragment


class ItemPage(WorkPage[AnswerDesk]):
    """One request about one item of an attempt."""

    page = "annotation/qualifications/qualification_item.html"
    reply = "annotation/qualifications/_qualification_draft.html"

    def __init__(self, request: UserRequest, answer: QualificationAnswer) -> None:
        super().__init__(request, AnswerDesk(answer, by=request.user, now=timezone.now()))

    def follow_press(self, response: Any, press: str) -> HttpResponse | None:
        """Check, show the hint, or go elsewhere: another item, the overview, a submitted sample."""
        desk = self.desk
        verb, _, rest = press.partition(" ")
        if verb in ("go", "finish"):
            return self._leave(rest if verb == "go" else "")
        if verb == "hand-in":
            return self._hand_in(response)
        if verb == "check":
            attempts.check_answer(answer=desk.answer, by=desk.by, now=desk.now)
        if verb == "hint":
            try:
                attempts.show_hint(answer=desk.answer, by=desk.by, now=desk.now)
            except Conflict:
                # A browser with a fast clock asks early: the reply says how long is left.
                if not is_fragment(self.request):
                    raise
        return None

    def _leave(self, number: str) -> HttpResponse:
        """Go to another item, or to the page where the attempt is submitted."""
        attempt = self.desk.attempt
        if not (number.isascii() and number.isdigit() and len(number) < 4):
            return redirect_to_address(self.request, address_of("attempt-view", attempt.pk))
        other = queries.answer_of(self.desk.by, attempt.pk, int(number))
        if other is None:
            raise Http404
        attempts.open_item(answer=other, by=self.desk.by, now=self.desk.now)
        address = address_of("attempt-item", attempt.pk, other.number)
        return redirect_to_address(self.request, address)

    def _hand_in(self, response: Any) -> HttpResponse:
        """Submit one sample and show it next to the prepared answers."""
        try:
            self.desk.submit(response)
        except Conflict as refusal:
            if self.desk.attempt.part != Part.STUDY:
                raise
            messages.error(self.request, str(refusal))
        return redirect_to_address(self.request, self.desk.address)

    def render_ended_page(self) -> HttpResponse:
        """Show a submitted sample next to the prepared answers; lead from others to the attempt."""
        answer, attempt = self.desk.answer, self.desk.attempt
        if answer.handed_in_at is None:
            return redirect("attempt-view", attempt.pk)
        others = list(attempt.answers.all())
        left = [other.number for other in others if other.handed_in_at is None]
        later = [number for number in left if number > answer.number]
        context = presentation.frame_context(attempt) | {
            "answer": answer,
            "result": presentation.result_shown(answer, staff=False),
            "items": [(other, presentation.answer_mark(other)) for other in others],
            "following": next(iter(later or left), None),
        }
        return render(self.request, "annotation/qualifications/qualification_sample.html", context)

    def form_context(
        self, response: Any, report: FindingsReport, show_problems: bool
    ) -> dict[str, Any]:
        """Return the context of the form, with the verdict, the hint and the other items."""
        return (
            super().form_context(response, report, show_problems)
            | presentation.attempt_context(self.desk.answer, self.desk.now)
            | {"asked_hint": self.request.POST.get("action", "").startswith("hint")}
        )
