"""The sheet of validation, which makes accepted answers from several annotations."""

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from annotation.suggestions.values import SuggestionOffers
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
from validation.verdicts.presentation import ValidationFormBuilder
from validation.verdicts.responses import (
    Contribution,
    ValidationResponse,
    caught_up,
    row_letter,
)
from validation.verdicts.suggestions import Answers
from validation.verdicts.tokens import column_token, quote_token
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


def annotations_as_json(given: ValidationContext) -> list[dict[str, Any]]:
    """Return what each generator wrote, with the pages they read, the quotes behind their answers,
    and the warnings they kept. Quotes have names that hide their authors.
    """
    pages, quotes, kept = given.pages(), given.quotes(), given.kept()
    return [
        {
            "kind": contribution.kind,
            "pairs": [
                {
                    "question": pair.question,
                    "answers": list(pair.forms),
                    "quotes": [
                        {
                            "id": quote_token(given.assignment, quote.pk),
                            "exact": quote.exact,
                            "path": quote.page.path,
                            "title": quote.page.title,
                        }
                        for quote in quotes.get(pair.pk or 0, ())
                    ],
                }
                for pair in contribution.pairs
            ],
            "none_reason": contribution.none_reason,
            "pages": [{"path": page.path, "title": page.title} for page in read],
            "kept": [
                {"rule": reason.rule, "pair": reason.pair, "reason": reason.reason}
                for reason in kept.get(contribution.annotation, ())
            ],
        }
        for contribution, read in zip(given.said, pages, strict=True)
    ]
