"""The sheet of validation, which makes accepted answers from several annotations."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from annotation.sheets.fields import FormData, Keep
from annotation.sheets.report import FindingsReport
from annotation.sheets.sheet import Sheet
from annotation.suggestions.sheet import (
    build_panel,
    keep_only_offered,
    origins_shown,
    suggestion_anchor,
)
from annotation.suggestions.values import SuggestionOffers
from annotation.text.cleaning import ResponseError
from validation.verdicts import checks
from validation.verdicts import json_codec as exchange
from validation.verdicts import post_parser as forms
from validation.verdicts import presses as editing
from validation.verdicts.form_context import WORDS
from validation.verdicts.merging import Member
from validation.verdicts.presentation import ValidationFormBuilder
from validation.verdicts.responses import (
    PAST,
    AnswerRow,
    Contribution,
    Form,
    Phrasing,
    ValidationResponse,
    caught_up,
    row_letter,
)
from validation.verdicts.suggestions import Answers
from validation.verdicts.tokens import column_token
from validation.verdicts.values import EXPECTED_MULTIPLE, EXPECTED_NONE, KeptReason, PageRead
from wikipedia.models import Quote

_TICKED = ("combine", "separate", "exclude")


@dataclass(frozen=True)
class ValidationContext:
    """What rules and page need: the annotations of the generators, and their sources.

    `assignment` is the turn's id, from which columns and quotes get names that hide their authors;
    `stored` is the draft, brought up to date with `said`; `suggestions` are those of a model, None
    where none are shown. Functions query only when called.
    """

    assignment: int
    said: Sequence[Contribution]
    stored: ValidationResponse
    prompt: str
    reference_date: dt.date
    settings: Mapping[str, object] = field(default_factory=dict)
    tokens: Callable[[], Mapping[str, int]] = dict
    pages: Callable[[], Sequence[Sequence[PageRead]]] = list
    quotes: Callable[[], Mapping[int, Sequence[Quote]]] = dict
    kept: Callable[[], Mapping[int, Sequence[KeptReason]]] = dict
    suggestions: SuggestionOffers | None = None


class ValidationSheet(Sheet[ValidationResponse, ValidationContext]):
    """Rows of answers, verdicts, and the result of both."""

    page = "validation/verdicts/work_view.html"
    reply = "validation/verdicts/_draft.html"
    ended = "validation/verdicts/work_ended.html"
    script = "validation.js"
    blank = ValidationResponse()
    taking = Answers()

    # --- reading and keeping ----------------------------------------------------------------------

    def read(self, post: FormData, given: ValidationContext) -> ValidationResponse:
        posted = forms.from_post(post, stored=given.stored, said=given.said, tokens=given.tokens())
        return editing.record_undo_step(given.stored, posted)

    def load(self, draft: Mapping[str, Any]) -> ValidationResponse:
        if not draft:
            return self.blank
        try:
            return ValidationResponse(
                covers=tuple(int(pk) for pk in draft["covers"]),
                rows=_rows(draft["rows"]),
                verdicts=tuple(
                    None if verdict is None else bool(verdict) for verdict in draft["verdicts"]
                ),
                exclude_reason=str(draft["exclude_reason"]),
                feedback=str(draft["feedback"]),
                keeps=tuple(Keep(**keep) for keep in draft["keeps"]),
                past=tuple(_rows(rows) for rows in draft["past"])[-PAST:],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ResponseError(f"This draft cannot be read ({error}).") from None

    def dump(self, response: ValidationResponse) -> dict[str, object]:
        return asdict(response)

    # --- clients of the API -----------------------------------------------------------------------

    def given_to_json(self, given: ValidationContext) -> dict[str, Any]:
        """Return the annotations in the order of the columns, without their authors.

        Three queries: pages read, quotes, kept warnings.
        """
        return {"annotations": exchange.annotations_as_json(given)}

    def response_to_json(self, response: ValidationResponse, assignment: int) -> dict[str, object]:
        """Return the response, whose columns have names that hide their authors."""
        names = [column_token(assignment, pk) for pk in response.covers]
        return exchange.response_as_json(response, names)

    def response_from_json(
        self, data: Mapping[str, object], given: ValidationContext
    ) -> ValidationResponse:
        """Read the response as the form of the page is read: nothing in it is believed."""
        return self.read(exchange.build_form_fields(data), given)

    def schema(self) -> dict[str, Any]:
        return exchange.build_response_schema()

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
            return replace(response, exclude_reason=forms.why_excluded(post))
        press = forms.pressed_on(press, response, post)
        return editing.apply_press(
            response, press, said=given.said, selected=forms.read_ticked_rows(post)
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
            selected=() if press in _TICKED else forms.read_ticked_rows(post),
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


def _rows(data: Iterable[Mapping[str, Any]]) -> tuple[AnswerRow, ...]:
    return tuple(
        AnswerRow(
            key=str(row["key"]),
            members=tuple(Member(int(m["annotation"]), int(m["pair"])) for m in row["members"]),
            shared=tuple(map(str, row["shared"])),
            forms=tuple(
                Form(str(form["text"]), tuple(form["origin"]) if form["origin"] else None)
                for form in row["forms"]
            ),
            phrasings=tuple(
                Phrasing(
                    str(phrasing["text"]),
                    tuple(phrasing["origin"]) if phrasing["origin"] else None,
                    bool(phrasing["kept"]),
                )
                for phrasing in row["phrasings"]
            ),
            combined=bool(row["combined"]),
            excluded=bool(row["excluded"]),
            why=str(row["why"]),
            suggestion=None if row.get("suggestion") is None else int(row["suggestion"]),
        )
        for row in data
    )
