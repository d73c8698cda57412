"""Exams in which people choose a verdict on a prepared text, as in checks and steps (Q6)."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.qualifications.exams import Exam
from annotation.qualifications.items import Item
from annotation.sheets.choice_sheet import ChoiceSheet, Chosen, Option
from annotation.sheets.fields import FormData
from annotation.sheets.known_items import Grade, KnownItem
from annotation.sheets.report import FindingsReport


@dataclass(frozen=True)
class PreparedText:
    """A prompt and the text to judge beside it, without the verdict that is right."""

    prompt: str
    shown: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)


class ExamChoiceSheet(ChoiceSheet[PreparedText]):
    """One of the verdicts of an exam."""

    page = "annotation/qualifications/qualification_item.html"
    reply = "annotation/qualifications/_qualification_draft.html"
    ended = "annotation/qualifications/qualification_sample.html"

    def __init__(self, options: Iterable[Option], *, source: str) -> None:
        # No reason is asked for: nobody would read it.
        self.options = tuple(Option(each.value, each.label, each.about) for each in options)
        super().__init__(source=source)

    def grade_response(
        self, response: Chosen, item: KnownItem, unanswered: Sequence[str] = ()
    ) -> Grade:
        """The verdict is right, or it is not."""
        right = response.verdict == item.expected["verdict"]
        return item.grade_score(float(right), unanswered=unanswered)

    def form_context(
        self, response: Chosen, report: FindingsReport, given: PreparedText, post: FormData
    ) -> dict[str, Any]:
        return super().form_context(response, report, given, post) | {"shown": given.shown}


class Choosing(Exam[Chosen, PreparedText]):
    """Verdicts on texts that were prepared. With few options a check at once would tell which."""

    item_fields = ("verdict", "shown")
    unused = ("rules", "instant_feedback", "show_question_score")

    def __init__(self, label: str, options: Iterable[Option], *, source: str) -> None:
        sheet = ExamChoiceSheet(options, source=source)
        self.sheet, self.label, self._labels = sheet, label, sheet.labels

    @property
    def options(self) -> Mapping[str, str]:
        return self._labels

    def build_sheet_context(
        self, item: Item, *, reference_date: dt.date, settings: Mapping[str, object]
    ) -> PreparedText:
        return PreparedText(item.prompt, item.expected.get("shown", ""), settings)

    def has_answer(self, response: Chosen) -> bool:
        return bool(response.verdict)

    def result_context(
        self, prompt: str, response: Chosen, result: Mapping[str, Any], *, opened: bool
    ) -> dict[str, Any]:
        known = self.options.get(result.get("verdict", ""), "") if opened else ""
        return {
            "chosen": {
                "shown": result.get("shown", ""),
                "said": self.options.get(response.verdict, ""),
                "known": known,
            }
        }
