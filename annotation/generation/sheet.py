"""The sheet of generation: every plausible answer, each with its question."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.generation import presses
from annotation.generation.answer_checks import asks_conflict
from annotation.generation.check_values import Context
from annotation.generation.checks import RULES
from annotation.generation.known_answers import grade_answers
from annotation.generation.pair_pay import count_written_pairs
from annotation.generation.responses import (
    FORM,
    GenerationResponse,
    WrittenPair,
    keep_submitted_parts,
    quotes_in,
)
from annotation.generation.suggestions import Pairs
from annotation.sheets.answers import AnswerForm
from annotation.sheets.fields import FormData
from annotation.sheets.known_items import Grade, KnownItem
from annotation.sheets.parts import QuoteShown
from annotation.sheets.report import FindingsReport
from annotation.sheets.rules import Finding
from annotation.sheets.sheet import Sheet
from annotation.suggestions.sheet import (
    Origin,
    build_panel,
    keep_only_offered,
    made_of,
    origins_shown,
    suggestion_anchor,
)
from metrics.edits import EditSpan, SpanKind, list_diff_spans, word_edits

KINDS: Sequence[tuple[str, str]] = (
    ("multiple", "Several answers"),
    ("single", "One clear answer"),
    ("none", "Not found"),
)
# The targets of links to fields that are not text boxes.
_PLACES = {"pages": "query", "time": "checks-title"}
# Fields that only work has, not the form of an item.
_OF_WORK = {*_PLACES, "no-conflict"}


@dataclass(frozen=True)
class PairShown:
    """One pair as the form shows it. `index` counts from 0, `number` from 1."""

    index: int
    first: bool
    last: bool
    question: str
    forms: tuple[AnswerForm, ...]
    quotes: tuple[QuoteShown, ...] = ()
    question_findings: tuple[Finding, ...] = ()
    answer_findings: tuple[Finding, ...] = ()
    spans: tuple[EditSpan, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    suggestion: int | None = None
    origin: Origin | None = None  # the suggestion it began as

    @property
    def number(self) -> int:
        return self.index + 1

    @property
    def label(self) -> str:
        return f"pair {self.number}"

    @property
    def prefix(self) -> str:
        return f"pair-{self.index}"

    @property
    def question_field(self) -> str:
        return f"question-{self.number}"

    @property
    def answer_field(self) -> str:
        return f"answer-{self.number}"

    @property
    def change(self) -> str:
        """The number of words added and removed: "3 added, 1 removed"."""
        return f"{self._words('ins')} added, {self._words('del')} removed" if self.question else ""

    def _words(self, kind: SpanKind) -> int:
        words = (word for span in self.spans if span.kind == kind for word in span.words)
        return sum(any(map(str.isalnum, word)) for word in words)


BLANK_PAIR = PairShown(index=0, first=True, last=True, question="", forms=())


class GenerationSheet(Sheet[GenerationResponse, Context]):
    """Answers of generation."""

    page = "annotation/generation/work_view.html"
    reply = "annotation/generation/_draft.html"
    ended = "annotation/generation/work_ended.html"
    fields = {
        "kind": "the kind of answer",
        "single-answer": "the answer",
        "none-reason": "the reason",
        "no-conflict": "your conflict of interest",
        "pages": "the pages",
        "time": "the time",
    }
    script = "annotation/generation/generation.js"
    form = FORM
    rules = RULES
    blank = GenerationResponse(pairs=(WrittenPair(), WrittenPair()))
    taking = Pairs()

    def submitted_part(self, response: GenerationResponse) -> GenerationResponse:
        return keep_submitted_parts(response)

    def grade_response(
        self, response: GenerationResponse, item: KnownItem, unanswered: Sequence[str] = ()
    ) -> Grade:
        return grade_answers(response, item, unanswered)

    def apply_press(
        self, response: GenerationResponse, press: str, given: Context, post: FormData
    ) -> GenerationResponse:
        findings = self.check_response(response, given).findings
        return presses.apply_press(response, press, prompt=given.prompt, findings=findings)

    def press_anchor(
        self, response: GenerationResponse, press: str, before: GenerationResponse
    ) -> str:
        return suggestion_anchor(self.taking, response, press) or presses.anchor_after_press(
            response, press
        )

    def adapt_response(self, response: GenerationResponse, given: Context) -> GenerationResponse:
        return keep_only_offered(self.taking, response, given.suggestions)

    def press_effect(
        self, response: GenerationResponse, press: str, before: GenerationResponse, *, renewed: bool
    ) -> dict[str, Any]:
        """Return the place of the pair that was made of a suggestion, and whether it is new."""
        place = made_of(self.taking, response, press)
        if place is None or made_of(self.taking, before, press) is not None:
            return {}
        return {"made_at": place, "made_new": len(response.pairs) > len(before.pairs)}

    def list_shown_fields(
        self, response: GenerationResponse, touched: Collection[str], given: Context
    ) -> Collection[str]:
        return {*touched, "kind", "pages", "time"}

    def list_filled_fields(self, response: GenerationResponse) -> list[str]:
        fields = ["kind"] if len(response.pairs) > 2 else []
        for number, pair in enumerate(response.pairs, start=1):
            fields += [f"question-{number}"] if pair.question else []
            fields += [f"answer-{number}"] if pair.answers else []
        fields += ["single-answer"] if response.single else []
        fields += ["none-reason"] if response.none_reason else []
        return fields + (["no-conflict"] if response.no_conflict else [])

    def list_field_texts(self, response: GenerationResponse) -> Iterable[tuple[str, str]]:
        yield "Kind of answer", dict(KINDS)[response.kind]
        for number, pair in enumerate(response.pairs, start=1):
            yield f"Pair {number}, question", pair.question
            yield f"Pair {number}, answer", " | ".join(form.text for form in pair.answers)
        yield "Answer", " | ".join(form.text for form in response.single)
        yield "Reason", response.none_reason
        yield "Conflict of interest", "None" if response.no_conflict else ""
        yield "Feedback", response.feedback

    def summarise_response(self, response: GenerationResponse) -> str:
        if response.kind != "multiple":
            return dict(KINDS)[response.kind]
        pairs = sum(bool(pair.question or pair.answers) for pair in response.pairs)
        return ("1 pair" if pairs == 1 else f"{pairs} pairs") if pairs else ""

    def form_context(
        self, response: GenerationResponse, report: FindingsReport, given: Context, post: FormData
    ) -> dict[str, Any]:
        """At most two queries, for quotes and suggestions."""
        quotes = given.quotes(quotes_in(response))
        offered = given.suggestions
        origins = origins_shown(self.taking, response, offered)
        pairs = pairs_shown(given.prompt, response, report, quotes, origins)
        return self.common_context(response, report) | {
            "kinds": KINDS,
            "kind": response.kind,
            "pairs": pairs,
            "suggestions": offered and build_panel(self.taking, given.prompt, response, offered),
            "blank_pair": BLANK_PAIR,
            "single": response.single,
            "single_quotes": _of(response.single, quotes),
            "none_reason": response.none_reason,
            # Where the pages read are unknown, nothing is submitted.
            "asks_conflict": given.page_texts is not None and asks_conflict(given),
            "no_conflict": response.no_conflict,
            "conflict_findings": report.findings_at("no-conflict"),
            "messages_of": [
                (field, label, report.findings_at(field))
                for field, label in self.fields.items()
                # If the pages read are unknown, the checklist does not ask about them.
                if given.page_texts is not None or field not in _OF_WORK
            ],
            "kind_findings": report.findings_at("kind"),
            "single_findings": report.findings_at("single-answer"),
            "none_findings": report.findings_at("none-reason"),
            "pages_findings": report.findings_at("pages"),
            "time_findings": report.findings_at("time"),
            "pair_pay": given.pair_pay,
            "pay_hint": given.pair_pay and given.pair_pay.write_line(count_written_pairs(response)),
            "wait": given.seconds_left if report.is_blocked_by("too-quick") else 0,
            "apart": tuple(pair for pair in pairs if pair.question)
            if response.kind == "multiple"
            else (),
        }

    def field_anchor(self, field: str, response: GenerationResponse) -> str:
        return f"kind-{response.kind}" if field == "kind" else _PLACES.get(field, field)


def written_pairs(response: GenerationResponse) -> list[dict[str, Any]]:
    """Return the pairs of a draft for display: questions with their forms."""
    if response.kind == "single":
        return [{"question": "", "forms": [form.text for form in response.single]}]
    return [
        {"question": pair.question, "forms": [form.text for form in pair.answers]}
        for pair in response.pairs
        if pair != WrittenPair()
    ]


def pairs_shown(
    prompt: str,
    response: GenerationResponse,
    report: FindingsReport,
    quotes: Mapping[int, QuoteShown],
    origins: Mapping[int, Origin],
) -> list[PairShown]:
    """Return the pairs of a response for the form, each with its findings and its diff."""
    pairs = []
    for index, pair in enumerate(response.pairs):
        change = word_edits(prompt, pair.question) if pair.question else None
        pairs.append(
            PairShown(
                index=index,
                first=index == 0,
                last=index == len(response.pairs) - 1,
                question=pair.question,
                forms=pair.answers,
                quotes=_of(pair.answers, quotes),
                question_findings=report.findings_at(f"question-{index + 1}"),
                answer_findings=report.findings_at(f"answer-{index + 1}"),
                spans=tuple(list_diff_spans(prompt, pair.question)) if pair.question else (),
                added=tuple(change.added.elements()) if change else (),
                removed=tuple(change.deleted.elements()) if change else (),
                suggestion=pair.suggestion,
                origin=origins.get(index),
            )
        )
    return pairs


def _of(forms: Iterable[AnswerForm], quotes: Mapping[int, QuoteShown]) -> tuple[QuoteShown, ...]:
    ids = dict.fromkeys(quote for form in forms for quote in form.quotes)
    return tuple(quotes[pk] for pk in ids if pk in quotes)
