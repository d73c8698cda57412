"""The sheet of a long answer: a text that has every short answer, with evidence."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from annotation.contexts.inputs import inputs_as_json, inputs_of
from annotation.long_answers import presses
from annotation.long_answers.checks import RULES, Context, response_coverage, supported_share
from annotation.long_answers.presentation import (
    BLANK_PIECE,
    answer_shown,
    describe_length,
    pieces_shown,
)
from annotation.long_answers.response import (
    FORM,
    LongAnswerResponse,
    keep_submitted_parts,
    quotes_in,
)
from annotation.long_answers.suggestions import Drafts
from annotation.sheets.fields import FormData
from annotation.sheets.known_items import Grade, KnownItem
from annotation.sheets.report import FindingsReport
from annotation.sheets.sheet import Sheet
from annotation.suggestions.sheet import (
    build_panel,
    keep_only_offered,
    made_of,
    origins_shown,
    suggestion_anchor,
)

# The targets of links to fields that are not text boxes.
_PLACES = {"knowledge": "knowledge-title", "time": "checks-title"}


class LongAnswerSheet(Sheet[LongAnswerResponse, Context]):
    """Long answers."""

    page = "annotation/long_answers/long_answer_view.html"
    reply = "annotation/long_answers/_long_draft.html"
    ended = "annotation/long_answers/long_answer_ended.html"
    script = "annotation/long_answers/long-answer.js"
    form = FORM
    rules = RULES
    blank = LongAnswerResponse()
    taking = Drafts()

    def given_to_json(self, given: Context) -> dict[str, Any]:
        """Return the disambiguations with their paragraphs, and the pages that may say more."""
        return inputs_as_json(given.inputs)

    def adapt_response(self, response: LongAnswerResponse, given: Context) -> LongAnswerResponse:
        return keep_only_offered(self.taking, response, given.suggestions)

    def submitted_part(self, response: LongAnswerResponse) -> LongAnswerResponse:
        return keep_submitted_parts(response)

    def grade_response(
        self, response: LongAnswerResponse, item: KnownItem, unanswered: Sequence[str] = ()
    ) -> Grade:
        """Return figures for the person who grades it; no measure says whether it is good.

        The score is the share of disambiguations with an accepted form in the text, as STR-EM
        counts it. `support`: the share of the text's words that its inputs and evidence have (S42).
        """
        context = Context(inputs=inputs_of(item.prompt, item.expected, {}))
        covered = response_coverage(response, context)
        present = sum(outcome.state == "found" for outcome in covered)
        figures = {
            "present": present,
            "total": len(covered),
            "said": sum(outcome.state == "said" for outcome in covered),
            "words": len(response.text.split()),
            "pieces": sum(not piece.empty for piece in response.knowledge),
            "support": supported_share(response, context),
        }
        score = present / len(covered) if covered else 0.0
        return Grade(score, None, None, tuple(unanswered), figures)

    def apply_press(
        self, response: LongAnswerResponse, press: str, given: Context, post: FormData
    ) -> LongAnswerResponse:
        return presses.apply_press(response, press, inputs=given.inputs, data=post)

    def press_anchor(
        self, response: LongAnswerResponse, press: str, before: LongAnswerResponse
    ) -> str:
        return suggestion_anchor(self.taking, response, press) or presses.anchor_after_press(
            response, press
        )

    def press_effect(
        self, response: LongAnswerResponse, press: str, before: LongAnswerResponse, *, renewed: bool
    ) -> dict[str, Any]:
        """Return the place of the piece that was made of a suggestion, and whether it is new."""
        made = made_of(self.taking, response, press)
        if not made or made_of(self.taking, before, press) is not None:
            return {}
        new = len(response.knowledge) > len(before.knowledge)
        return {"made_at": made - 1, "made_new": new}

    def list_shown_fields(
        self, response: LongAnswerResponse, touched: Collection[str], given: Context
    ) -> Collection[str]:
        """Add the lines of the short answers, which always show what is missing from the text."""
        fields = {
            *touched,
            "time",
            *(disambiguation.field for disambiguation in given.inputs.disambiguations),
        }
        if "long-answer" in fields:
            fields.add("knowledge")
        for number, piece in enumerate(response.knowledge, start=1):
            left = f"piece-{number}" in touched and piece.page
            # A piece asks for its page only once the person has been in that field.
            fields.discard(f"piece-{number}")
            if left or f"page-{number}" in touched:
                fields.add(f"piece-{number}")
        return fields

    def list_filled_fields(self, response: LongAnswerResponse) -> list[str]:
        fields = ["long-answer"] if response.text else []
        for number, piece in enumerate(response.knowledge, start=1):
            fields += [f"piece-{number}"] if piece.content else []
            fields += [f"page-{number}"] if piece.page else []
        return fields

    def list_field_texts(self, response: LongAnswerResponse) -> Iterable[tuple[str, str]]:
        yield "Long answer", response.text
        for number, piece in enumerate(response.knowledge, start=1):
            yield f"Piece {number}, sentences", piece.content
            yield f"Piece {number}, page", piece.page
        for override in response.said:
            yield f"Disambiguation {override.disambiguation + 1}, in other words", override.words
        yield "Feedback", response.feedback

    def summarise_response(self, response: LongAnswerResponse) -> str:
        words = len(response.text.split())
        pieces = sum(bool(piece.content) for piece in response.knowledge)
        parts = [f"{words:,} word{'' if words == 1 else 's'}"] if words else []
        if pieces:
            parts.append(f"{pieces} piece{'' if pieces == 1 else 's'} of knowledge")
        return ", ".join(parts)

    def form_context(
        self, response: LongAnswerResponse, report: FindingsReport, given: Context, post: FormData
    ) -> dict[str, Any]:
        """At most two queries, for quotes and suggestions; one more where there are none."""
        answers = [
            answer_shown(outcome, response.text, report.findings_at(outcome.disambiguation.field))
            for outcome in response_coverage(response, given)
        ]
        present = sum(answer.state != "missing" for answer in answers)
        share = supported_share(response, given)
        quotes = given.quotes(quotes_in(response))
        offered = given.suggestions
        origins = origins_shown(self.taking, response, offered)
        return self.common_context(response, report) | {
            "inputs": given.inputs,
            "text": response.text,
            "length": describe_length(response.text),
            "text_findings": report.findings_at("long-answer"),
            "knowledge_findings": report.findings_at("knowledge"),
            "time_findings": report.findings_at("time"),
            "pieces": pieces_shown(response.knowledge, report, quotes, origins) or [BLANK_PIECE],
            "suggestions": offered
            and build_panel(self.taking, given.inputs.prompt, response, offered),
            "drafted": response.suggestion,
            "text_origin": origins.get(0),
            "blank_piece": BLANK_PIECE,
            "answers": answers,
            "there": present,
            "missing": len(answers) - present,
            "said": response.said,
            "support": None if share is None else round(100 * share),
            "full": given.inputs.full,
            "wait": given.seconds_left if report.is_blocked_by("long-answer-too-quick") else 0,
            "so_far": given.seconds_on_task,
        }

    def field_anchor(self, field: str, response: LongAnswerResponse) -> str:
        return _PLACES.get(field, field)
