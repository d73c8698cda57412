"""The work page of validation: several annotations become what is accepted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.http import HttpResponse

from annotation import stages
from annotation.models import Assignment
from annotation.policies.base import Denied, roles_in
from annotation.policies.work import check_still_works_here
from annotation.services import drafts
from annotation.states import HELD
from annotation.views.flow import Flow, version_of
from annotation.views.loaders import UserRequest
from annotation.views.parts import idle
from validation import checks, editing, forms, queries
from validation.reporting import EXPECTED_MULTIPLE, EXPECTED_NONE
from validation.responses import Response, Said, caught_up
from validation.stage import Validating
from validation.views import ended
from validation.views.showing import Showing
from validation.views.shown import word
from validation.views.windows import texts

_TICKED = ("combine", "separate", "exclude")


def page(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Show the work, or what became of it."""
    return Deciding(request, assignment).page()


def draft(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Save what is on the form; a fragment with what follows from it, or back to the page."""
    return Deciding(request, assignment).draft()


def submit(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Hand the decision in and go on to the next question."""
    return Deciding(request, assignment).submit()


class Deciding(Flow[Response, checks.Report]):
    """The page of validation. `before` is what was on the form before a press."""

    page_template = "validation/work_view.html"
    reply_template = "validation/_draft.html"
    before: Response
    whole_rows = False

    @cached_property
    def stage(self) -> Validating:
        """The stage as what it is."""
        stage = stages.get(self.assignment.stage)
        assert isinstance(stage, Validating)
        return stage

    @cached_property
    def opened(self) -> tuple[Response, list[Said]]:
        """The draft brought up to the annotations that are there now, and these."""
        return self.stage.opened(self.assignment)

    @property
    def said(self) -> list[Said]:
        return self.opened[1]

    def stored(self) -> Response:
        return self.opened[0]

    def read(self) -> Response:
        """Read the form as it is about what is there now.

        Who is no longer a validator here reads the refusal; what they did is kept first.
        """
        posted = self._posted()
        if (refusal := self._former()) is not None:
            self._keep(posted)
            raise refusal
        self.before = editing.noted(self.stored(), caught_up(posted, self.said))
        self.whole_rows = posted.covers != self.before.covers
        return self.before

    def handed_in(self) -> Response:
        """Read the form as it is: what is about other annotations is refused."""
        return editing.noted(self.stored(), self._posted())

    def read_draft(self, draft: Mapping[str, object]) -> Response:
        return caught_up(self.stage.read_draft(draft), self.said)

    def draft_of(self, response: Response) -> dict[str, object]:
        return self.stage.draft_of(response)

    def pressed(self, response: Response, press: str) -> Response:
        if press == "exclude-question":
            return replace(response, exclude_reason=forms.why_excluded(self.request.POST))
        press = forms.pressed_on(press, response, self.request.POST)
        selected = forms.selected(self.request.POST)
        return editing.pressed(response, press, said=self.said, selected=selected)

    def anchor(self, response: Response, press: str) -> str:
        return editing.anchor(response, press, before=self.before)

    def report(self, response: Response, *, touched: Sequence[str] | None) -> checks.Report:
        """Run the rules. What was not touched yet is left in peace; what blocks is counted."""
        report = self.stage.report(self.assignment, response, self.said)
        if touched is None:
            return report
        seen = {*touched, "rows"}
        shown = tuple(each for each in report.findings if each.field in seen)
        return checks.Report(
            tuple(f for f in shown if f.rule != "nothing-accepted"), report.blocking
        )

    def written(self, response: Response) -> list[str]:
        fields = [f"row-{row.key}-answer" for row in response.standing if row.forms]
        return fields + [
            f"row-{row.key}-question-{place}"
            for row in response.standing
            for place, each in enumerate(row.phrasings, start=1)
            if each.text
        ]

    def texts(self, response: Response) -> Iterable[tuple[str, str]]:
        return texts(response)

    def newer(self, response: Response) -> drafts.DraftConflict | None:
        """Who is no longer a validator reads the refusal, and not what others wrote since."""
        conflict = super().newer(response)
        return conflict if conflict is None or self._former() is None else None

    def conflict(self, response: Response, conflict: drafts.DraftConflict) -> HttpResponse:
        return super().conflict(caught_up(response, self.said), conflict)

    def shown(
        self, response: Response, report: checks.Report, *, show_problems: bool
    ) -> dict[str, Any]:
        """Return what page and reply show. Three queries: pages read, quotes, warnings kept."""
        press = self.request.POST.get("action", "")
        showing = Showing(
            self.assignment,
            response,
            self.said,
            report,
            pages=queries.pages_read(self.said),
            quotes=queries.quotes_of(self.said, self.assignment.project.snapshot_id),
            kept=queries.reasons_kept(self.said),
            # What was ticked has had what it was ticked for.
            selected=() if press in _TICKED else forms.selected(self.request.POST),
        )
        shown = showing.shown()
        anchors = {n: each.number for each in shown.columns for n in each.numbers}
        alike = {f"verdict-{n}" for n, first in anchors.items() if n != first}
        # Each is said and counted once, at the first of several alike.
        todo = list(
            dict.fromkeys(
                (each.summary, "rows-title" if each.field == "rows" else each.field)
                for each in report.blocking
                if each.field not in alike
            )
        )
        likes = [(n, c.number) for c in shown.columns for n in c.numbers if n != c.number]
        return {
            "shown": shown,
            "people": len(self.said),
            "expected": (round(100 * EXPECTED_MULTIPLE), round(100 * EXPECTED_NONE)),
            "rows": shown.rows,
            "columns": shown.columns,
            "tokens": [queries.column_token(self.assignment.pk, pk) for pk in response.covers],
            "likes": likes,
            "rows_findings": report.at("rows"),
            "feedback": response.feedback,
            "exclude_reason": response.exclude_reason,
            "idle_keeps": idle(response.keeps, report.findings),
            "undo": editing.told(response.past[-1], response.rows) if response.past else "",
            "todo": len(todo),
            "blocking": todo,
            "problems": todo if show_problems else [],
        }

    def followed(self, response: Response, press: str) -> dict[str, Any]:
        """Return what a press did: whether all rows are drawn anew, where to look, what to say."""
        return {
            "whole": self.whole_rows or press not in ("", "save", "keep"),
            "focus": self.anchor(response, press) if press else "",
            "told": _told(press, self.before, response),
        }

    def around(self, context: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "people_word": word(len(self.said)),
            "reading": "page" in self.request.GET or "search" in self.request.GET,
        }

    def ended(self) -> HttpResponse:
        return ended.page(self.request, self.assignment)

    def _posted(self) -> Response:
        tokens = queries.annotation_tokens(self.assignment)
        return forms.from_post(
            self.request.POST, stored=self.stored(), said=self.said, tokens=tokens
        )

    def _former(self) -> Denied | None:
        """Return what somebody reads who is no longer a validator: their turn ended with that."""
        if self.assignment.state in HELD:
            return None
        roles = roles_in(self.request.user, self.assignment.project)
        try:
            check_still_works_here(user=self.request.user, has_role=self.stage.role in roles)
        except Denied as refusal:
            return refusal
        return None

    def _keep(self, response: Response) -> None:
        """Keep what is on the form, over what another window of the same person saved."""
        draft, version = self.stage.draft_of(response), version_of(self.request)
        for _ in range(2):
            try:
                drafts.save_draft(
                    assignment=self.assignment,
                    draft=draft,
                    version=version,
                    by=self.request.user,
                    now=self.now,
                )
            except drafts.DraftConflict as conflict:
                version = conflict.version
            else:
                return


def _told(press: str, before: Response, response: Response) -> str:
    """Return in a few words what a press did, where undo would take it back."""
    if press == "undo" or before.rows == response.rows:
        return ""
    if press == "reset":
        return "Started over"
    return editing.told(before.rows, response.rows)
