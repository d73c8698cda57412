"""The sheet of validation, which makes accepted answers from several annotations."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from annotation.sheets.fields import FormData
from annotation.sheets.report import FindingsReport
from annotation.sheets.sheet import Sheet
from annotation.suggestions.sheet import (
    build_panel,
    keep_only_offered,
    origins_shown,
    suggestion_anchor,
)
from validation.verdicts import checks
from validation.verdicts import presses as editing
from validation.verdicts.drafts import DRAFT
from validation.verdicts.fitting import fit_response
from validation.verdicts.form import (
    FORM,
    SentResponse,
    pressed_on,
    read_ticked_rows,
    why_excluded,
)
from validation.verdicts.form_context import WORDS
from validation.verdicts.given import ValidationContext, annotations_as_json
from validation.verdicts.presentation import ValidationFormBuilder
from validation.verdicts.responses import (
    ValidationResponse,
    caught_up,
    row_letter,
)
from validation.verdicts.suggestions import Answers
from validation.verdicts.tokens import column_token
from validation.verdicts.values import EXPECTED_MULTIPLE, EXPECTED_NONE

_TICKED = ("combine", "separate", "exclude")


class ValidationSheet(Sheet[ValidationResponse, ValidationContext]):
    """Rows of answers, verdicts, and the result of both."""

    page = "validation/verdicts/work_view.html"
    reply = "validation/verdicts/_draft.html"
    ended = "validation/verdicts/work_ended.html"
    script = "validation/verdicts/validation.js"
    form = DRAFT
    blank = ValidationResponse()
    taking = Answers()

    # --- reading and keeping ----------------------------------------------------------------------

    def read(self, post: FormData, given: ValidationContext) -> ValidationResponse:
        return _fit(FORM.from_post(post), given)

    # --- clients of the API -----------------------------------------------------------------------

    def given_to_json(self, given: ValidationContext) -> dict[str, Any]:
        """Return the annotations in the order of the columns, without their authors.

        Three queries: pages read, quotes, kept warnings.
        """
        return {"annotations": annotations_as_json(given)}

    def response_to_json(self, response: ValidationResponse, assignment: int) -> dict[str, object]:
        """Return the response, whose columns have names that hide their authors."""
        return FORM.to_json(
            SentResponse(
                columns=tuple(column_token(assignment, pk) for pk in response.covers),
                rows=response.rows,
                verdicts=response.verdicts,
                exclude_reason=response.exclude_reason,
                feedback=response.feedback,
                keeps=response.keeps,
            )
        )

    def response_from_json(
        self, data: Mapping[str, object], given: ValidationContext
    ) -> ValidationResponse:
        return _fit(FORM.from_json(data), given)

    def schema(self) -> dict[str, Any]:
        return FORM.schema()

    def adapt_response(
        self, response: ValidationResponse, given: ValidationContext
    ) -> ValidationResponse:
        """Bring the response up to date with annotations added or left out meanwhile."""
        current = keep_only_offered(self.taking, caught_up(response, given.said), given.suggestions)
        return current if current is response else editing.record_undo_step(given.stored, current)

    # --- presses ----------------------------------------------------------------------------------

    def apply_press(
        self, response: ValidationResponse, press: str, given: ValidationContext, post: FormData
    ) -> ValidationResponse:
        if press == "exclude-question":
            return replace(response, exclude_reason=why_excluded(post))
        press = pressed_on(press, response, post)
        return editing.apply_press(
            response, press, said=given.said, selected=read_ticked_rows(post)
        )

    def press_anchor(
        self, response: ValidationResponse, press: str, before: ValidationResponse
    ) -> str:
        return suggestion_anchor(self.taking, response, press) or editing.anchor_after_press(
            response, press, before=before
        )

    def press_effect(
        self, response: ValidationResponse, press: str, before: ValidationResponse, *, renewed: bool
    ) -> dict[str, Any]:
        """Return whether to render all rows again, the id to focus, and what to announce."""
        return {
            "whole": renewed or press not in ("", "save", "keep"),
            "focus": self.press_anchor(response, press, before) if press else "",
            "told": _told(press, before, response),
        }

    # --- rules ------------------------------------------------------------------------------------

    def check_response(
        self,
        response: ValidationResponse,
        given: ValidationContext,
        *,
        touched: Collection[str] | None = None,
    ) -> FindingsReport:
        """Leave out findings on untouched fields; they still count as blocking."""
        report = checks.check_response(
            response,
            given.said,
            prompt=given.prompt,
            reference_date=given.reference_date,
            settings=given.settings,
        )
        if touched is None:
            return report
        seen = {*touched, "rows"}
        return replace(
            report,
            findings=tuple(
                finding
                for finding in report.findings
                if finding.field in seen and finding.rule != "nothing-accepted"
            ),
        )

    def list_filled_fields(self, response: ValidationResponse) -> list[str]:
        fields = [f"row-{row.key}-answer" for row in response.standing if row.forms]
        return fields + [
            f"row-{row.key}-question-{place}"
            for row in response.standing
            for place, phrasing in enumerate(row.phrasings, start=1)
            if phrasing.text
        ]

    # --- showing ----------------------------------------------------------------------------------

    def list_field_texts(self, response: ValidationResponse) -> Iterable[tuple[str, str]]:
        for number, verdict in enumerate(response.verdicts, start=1):
            yield f"Verdict on annotator {number}", WORDS[verdict]
        for place, row in enumerate(response.rows):
            name = f"Answer {row_letter(place)}"
            texts = " | ".join(form.text for form in row.forms)
            yield name, f"excluded: {row.why or texts}" if row.excluded else texts
            if not row.excluded:
                yield f"{name}, questions", " | ".join(phrasing.text for phrasing in row.kept)
        yield "Why the question is excluded", response.exclude_reason
        yield "Feedback", response.feedback

    def summarise_response(self, response: ValidationResponse) -> str:
        standing = len(response.standing)
        if not response.covers:
            return ""
        return "1 answer" if standing == 1 else f"{standing} answers"

    def form_context(
        self,
        response: ValidationResponse,
        report: FindingsReport,
        given: ValidationContext,
        post: FormData,
    ) -> dict[str, Any]:
        """Return the context of the page. Three queries: pages read, quotes, kept warnings; one
        more for suggestions.
        """
        press, offered = str([*post.getlist("action"), ""][0]), given.suggestions
        shown = ValidationFormBuilder(
            given,
            response,
            report,
            # These presses have used the ticks.
            selected=() if press in _TICKED else read_ticked_rows(post),
        ).build_form()
        likes = [(n, column.number) for column in shown.columns for n in column.numbers[1:]]
        alike = {f"verdict-{n}" for n, _ in likes}
        common = self.common_context(
            response,
            replace(
                report,
                blocking=tuple(
                    finding for finding in report.blocking if finding.field not in alike
                ),
            ),
        )
        # Columns that are alike share their findings, listed and counted once.
        todo = list(dict.fromkeys(common["blocking"]))
        return common | {
            "shown": shown,
            "people": len(given.said),
            "expected": (round(100 * EXPECTED_MULTIPLE), round(100 * EXPECTED_NONE)),
            "rows": shown.rows,
            "columns": shown.columns,
            "tokens": [column_token(given.assignment, pk) for pk in response.covers],
            "likes": likes,
            "rows_findings": report.findings_at("rows"),
            "exclude_reason": response.exclude_reason,
            "suggestions": offered and build_panel(self.taking, given.prompt, response, offered),
            "origins": {
                origin.key: origin
                for origin in origins_shown(self.taking, response, offered).values()
            },
            "undo": editing.describe_change(response.past[-1], response.rows)
            if response.past
            else "",
            "todo": len(todo),
            "blocking": todo,
        }

    def field_anchor(self, field: str, response: ValidationResponse) -> str:
        return "rows-title" if field == "rows" else field


def _told(press: str, before: ValidationResponse, response: ValidationResponse) -> str:
    """Return in a few words what a press did, if undo can take it back."""
    if press == "undo" or before.rows == response.rows:
        return ""
    if press == "reset":
        return "Started over"
    return editing.describe_change(before.rows, response.rows)


def _fit(sent: SentResponse, given: ValidationContext) -> ValidationResponse:
    """Return what was sent, fitted to what is given; what it changed can be undone."""
    response = fit_response(sent, stored=given.stored, said=given.said, tokens=given.tokens())
    return editing.record_undo_step(given.stored, response)
