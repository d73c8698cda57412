"""The kinds of qualification: the sheet, what is given with an item, and how results are shown.

An exam uses the sheets of work, which also grade it, or one of its own (judging). It has no log of
reading: rules about pages read or about time count as satisfied, and nothing can be quoted.
"""

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

from annotation.contexts.inputs import inputs_of
from annotation.generation.check_values import Context
from annotation.generation.known_answers import read_answers
from annotation.generation.responses import GenerationResponse, WrittenPair
from annotation.generation.sheet import GenerationSheet
from annotation.long_answers import checks as long_checks
from annotation.long_answers.presentation import answer_shown
from annotation.long_answers.response import LongAnswerResponse
from annotation.long_answers.sheet import LongAnswerSheet
from annotation.qualifications.items import Item
from annotation.qualifications.judging_sheet import Judgement, JudgingSheet, Seen, prepared_shown
from annotation.sheets.report import FindingsReport
from annotation.sheets.rules import Check, HasKeeps, HasSettings
from annotation.sheets.sheet import Sheet
from metrics.edits import list_diff_spans

R = TypeVar("R", bound=HasKeeps)
G = TypeVar("G", bound=HasSettings)
READ_ENOUGH = 1_000


class Exam(ABC, Generic[R, G]):
    """One kind of qualification. `label` says what people do in it."""

    label: str
    sheet: Sheet[R, G]
    # Fields of an item that only this kind has; the first is its subject.
    item_fields: ClassVar[tuple[str, ...]]
    # Settings of a qualification that do not apply to this kind.
    unused: ClassVar[tuple[str, ...]] = ()
    # Whether people grade it; measured figures do not decide.
    by_hand: ClassVar[bool] = False
    # Fields at which a rule speaks before the person has been in them.
    spoken_of: ClassVar[tuple[str, ...]] = ()

    @property
    def options(self) -> Mapping[str, str]:
        """The verdicts of which an item expects one, with their labels; most kinds have none."""
        return {}

    @property
    def checks(self) -> list[Check[Any, Any]]:
        """The rules that a qualification of this kind can ask for, in their order."""
        return [check for check in self.sheet.rules.checks if check.in_exams]

    @abstractmethod
    def build_sheet_context(
        self, item: Item, *, reference_date: dt.date, settings: Mapping[str, object]
    ) -> G:
        """Return what the rules and the form may know of an item."""

    @abstractmethod
    def has_answer(self, response: R) -> bool:
        """Whether the response has an answer of the chosen kind."""

    @abstractmethod
    def result_context(
        self, prompt: str, response: R, result: Mapping[str, Any], *, opened: bool
    ) -> dict[str, Any]:
        """Return the answer and, if `opened`, the prepared answers as they were at the time."""

    def check_response(
        self,
        response: R,
        given: G,
        *,
        rules: Collection[str],
        touched: Collection[str] | None = None,
    ) -> FindingsReport:
        """Run the rules that a qualification asks for; see `Sheet.report`."""
        if touched is not None:
            touched = [*touched, *self.spoken_of]
        report = self.sheet.check_response(response, given, touched=touched)
        return FindingsReport(
            findings=tuple(finding for finding in report.findings if finding.rule in rules),
            blocking=tuple(finding for finding in report.blocking if finding.rule in rules),
            checklist=(),
        )


class Writing(Exam[GenerationResponse, Context]):
    """Annotations as in generation, compared with prepared ones."""

    label = "Write answers"
    sheet = GenerationSheet()
    item_fields = ("accepted",)
    spoken_of = ("kind",)

    def build_sheet_context(
        self, item: Item, *, reference_date: dt.date, settings: Mapping[str, object]
    ) -> Context:
        return Context(
            prompt=item.prompt,
            reference_date=reference_date,
            pages_opened=READ_ENOUGH,
            minimum_seconds=0,
            settings=settings,
        )

    def has_answer(self, response: GenerationResponse) -> bool:
        if response.kind == "none":
            return bool(response.none_reason)
        if response.kind == "single":
            return bool(response.single)
        return any(pair.answers for pair in response.pairs)

    def result_context(
        self, prompt: str, response: GenerationResponse, result: Mapping[str, Any], *, opened: bool
    ) -> dict[str, Any]:
        accepted = result.get("accepted", []) if opened else []
        settled = self.sheet.submitted_part(response)
        return {
            "given": {
                "none": settled.kind == "none",
                "reason": settled.none_reason,
                "answers": [form.text for form in settled.single],
                "pairs": [
                    (
                        list_diff_spans(prompt, pair.question),
                        pair.question,
                        [form.text for form in pair.answers],
                    )
                    for pair in settled.pairs
                    if pair != WrittenPair()
                ],
            },
            "prepared": [prepared_shown(prompt, p) for p in read_answers(accepted, "accepted")],
        }


class Judging(Exam[Judgement, Seen]):
    """Verdicts on annotations that were made for the exam."""

    label = "Judge answers"
    sheet = JudgingSheet()
    item_fields = ("seeded",)
    unused = ("rules", "show_question_score")

    def build_sheet_context(
        self, item: Item, *, reference_date: dt.date, settings: Mapping[str, object]
    ) -> Seen:
        seeded = read_answers(item.expected["seeded"], "seeded", judged=True)
        return Seen(item.prompt, [replace(answer, correct=None) for answer in seeded], settings)

    def has_answer(self, response: Judgement) -> bool:
        return any(verdict is not None for verdict in response.verdicts)

    def result_context(
        self, prompt: str, response: Judgement, result: Mapping[str, Any], *, opened: bool
    ) -> dict[str, Any]:
        seeded = read_answers(result.get("seeded", []), "seeded", judged=True)
        verdicts = [*response.verdicts, *[None] * len(seeded)]
        return {
            "judged": [
                (
                    prepared_shown(prompt, annotation),
                    verdicts[place],
                    annotation.correct if opened else None,
                )
                for place, annotation in enumerate(seeded)
            ]
        }


class LongAnswers(Exam[LongAnswerResponse, long_checks.Context]):
    """Long answers, graded by people."""

    label = "Write long answers"
    sheet = LongAnswerSheet()
    item_fields = ("qa_pairs", "model_answer")
    unused = ("review_from", "pass_at", "instant_feedback", "by_hand", "show_question_score")
    by_hand = True

    def build_sheet_context(
        self, item: Item, *, reference_date: dt.date, settings: Mapping[str, object]
    ) -> long_checks.Context:
        return long_checks.Context(inputs=item.inputs, settings=settings)

    def check_response(
        self,
        response: LongAnswerResponse,
        given: long_checks.Context,
        *,
        rules: Collection[str],
        touched: Collection[str] | None = None,
    ) -> FindingsReport:
        """Run the rules; missing answers are reported only once the person has left the text."""
        report = super().check_response(response, given, rules=rules, touched=touched)
        if touched is None or "long-answer" in touched:
            return report
        answers = {disambiguation.field for disambiguation in given.inputs.disambiguations}
        named = answers - {*touched}
        return replace(
            report,
            findings=tuple(finding for finding in report.findings if finding.field not in named),
        )

    def has_answer(self, response: LongAnswerResponse) -> bool:
        return bool(response.text)

    def result_context(
        self, prompt: str, response: LongAnswerResponse, result: Mapping[str, Any], *, opened: bool
    ) -> dict[str, Any]:
        inputs = inputs_of(prompt, result, {})
        figures = result.get("figures", {})
        share = figures.get("support")
        percent = {"percent": None if share is None else round(100 * share)} if figures else {}
        return {
            "long": {
                "text": response.text,
                "knowledge": [piece for piece in response.knowledge if not piece.empty],
                "kept": [keep for keep in response.keeps if keep.reason],
                "answers": [
                    answer_shown(outcome, response.text, ())
                    for outcome in long_checks.response_coverage(
                        response, long_checks.Context(inputs=inputs)
                    )
                ],
                "model_answer": result.get("model_answer", "") if opened else "",
                "figures": {**figures, **percent},
            }
        }
