"""The sheet of an exam in judging: is each prepared annotation correct?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.generation.known_answers import PreparedAnswer
from annotation.qualifications.items import MAX_PREPARED
from annotation.sheets.fields import FormData, Keep, get_last_value, list_of
from annotation.sheets.known_items import Grade, KnownItem
from annotation.sheets.report import FindingsReport, Rules
from annotation.sheets.sheet import Sheet
from metrics.edits import list_diff_spans

VERDICTS = {"correct": True, "incorrect": False}


@dataclass(frozen=True)
class Judgement:
    """A verdict for each annotation, None if there is none yet."""

    verdicts: tuple[bool | None, ...] = ()
    keeps: tuple[Keep, ...] = ()


@dataclass(frozen=True)
class Seen:
    """The prompt and the annotations to judge."""

    prompt: str
    annotations: Sequence[PreparedAnswer]
    settings: Mapping[str, object] = field(default_factory=dict)


class JudgingSheet(Sheet[Judgement, Seen]):
    """Verdicts on annotations that were prepared."""

    page = "annotation/qualifications/qualification_item.html"
    reply = "annotation/qualifications/_qualification_draft.html"
    ended = "annotation/qualifications/qualification_sample.html"
    rules: Rules[Judgement, Seen] = Rules((), lambda finding: (), lambda finding: "")
    blank = Judgement()

    def read(self, post: FormData, given: Seen) -> Judgement:
        return _judgement(get_last_value(post, f"verdict-{place}") for place in range(MAX_PREPARED))

    def load(self, draft: Mapping[str, object]) -> Judgement:
        return _judgement(list_of(draft.get("verdicts", []), "verdicts"))

    def dump(self, response: Judgement) -> dict[str, object]:
        return {"verdicts": [_word(verdict) or None for verdict in response.verdicts]}

    def list_field_texts(self, response: Judgement) -> Iterable[tuple[str, str]]:
        for number, verdict in enumerate(response.verdicts, start=1):
            yield f"Annotation {number}", _word(verdict)

    def summarise_response(self, response: Judgement) -> str:
        count = sum(verdict is not None for verdict in response.verdicts)
        return f"{count} verdict{'' if count == 1 else 's'}" if count else ""

    def grade_response(
        self, response: Judgement, item: KnownItem, unanswered: Sequence[str] = ()
    ) -> Grade:
        """The score is the share of annotations whose verdict is right, in their order."""
        expected = [row["correct"] for row in item.expected["seeded"]]
        padded = [*response.verdicts, *[None] * len(expected)][: len(expected)]
        right = sum(verdict is correct for verdict, correct in zip(padded, expected, strict=True))
        missing = padded.count(None)
        unanswered = [f"{missing} without a verdict."] if missing else []
        return item.grade_score(right / len(expected), unanswered=unanswered)

    def form_context(
        self, response: Judgement, report: FindingsReport, given: Seen, post: FormData
    ) -> dict[str, Any]:
        padded = [*response.verdicts, *[None] * len(given.annotations)]
        return self.common_context(response, report) | {
            "seeded": [
                (place, prepared_shown(given.prompt, annotation), _word(padded[place]))
                for place, annotation in enumerate(given.annotations)
            ]
        }


def prepared_shown(prompt: str, answer: PreparedAnswer) -> dict[str, Any]:
    """Return a prepared answer for its template: `none`, `answers`, `pairs` with their diffs."""
    return {
        "none": answer.none,
        "answers": answer.answers,
        "pairs": [
            (
                list_diff_spans(prompt, pair.question.split("|")[0].strip()),
                pair.question,
                pair.answers,
            )
            for pair in answer.pairs
        ],
    }


def _judgement(words: Iterable[object]) -> Judgement:
    verdicts = [VERDICTS.get(word) if isinstance(word, str) else None for word in words]
    while verdicts and verdicts[-1] is None:
        verdicts.pop()
    return Judgement(tuple(verdicts))


def _word(verdict: bool | None) -> str:
    return next((word for word, value in VERDICTS.items() if value is verdict), "")
