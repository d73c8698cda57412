"""What an item of a qualification shows: the form, what the rules say, and the verdict.

Prepared answers and explanations appear only with a verdict that allows them.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest

from annotation import responses
from annotation.long_answers import response as long_responses
from annotation.markdown import render as markdown
from annotation.models import (
    Part,
    Qualification,
    QualificationAnswer,
    QualificationAttempt,
    QualificationItem,
)
from annotation.qualifying import (
    JUDGING,
    LONG,
    MAX_READINGS,
    Reading,
    reading_from,
    seeded_from,
)
from annotation.qualifying_grades import fingerprint
from annotation.queries import qualification as queries
from annotation.queries import qualification_items as asked
from annotation.responses import Pair, Response
from annotation.sheets import generation_presses as presses
from annotation.sheets import long_answers_presses as long_presses
from annotation.sheets.generation import BLANK_PAIR, KINDS, pairs_shown
from annotation.sheets.report import Report
from annotation.views import qualification_long as long_answers
from metrics.edits import diff

_PASSED = QualificationAttempt.State.PASSED
_FIELDS = ("kind", "single-answer", "none-reason")
_LABELS = ("the kind of answer", "the answer", "the reason")


@dataclass(frozen=True)
class Verdict:
    """The verdict on an item as it is shown: "none", "old" (changed since), "passed", "not"."""

    state: str
    open: tuple[str, ...] = ()
    edit: float | None = None
    explanation: Any = ""
    checks: int = 0


def read_form(request: HttpRequest, qualification: Qualification) -> dict[str, Any]:
    """Return the draft on the form. Raises ResponseError with the sentence for its reader."""
    if qualification.kind == JUDGING:
        said = [request.POST.get(f"verdict-{place}") for place in range(MAX_READINGS)]
        found = [each if each in asked.VERDICTS else None for each in said]
        while found and found[-1] is None:
            found.pop()
        return {"verdicts": found}
    if qualification.kind == LONG:
        return long_responses.to_json(long_responses.from_post(request.POST))
    return responses.to_json(responses.from_post(request.POST))


def pressed(
    request: HttpRequest,
    qualification: Qualification,
    item: QualificationItem,
    draft: dict[str, Any],
    press: str,
) -> dict[str, Any]:
    """Return the draft after a press on a button of its form. Raises ResponseError."""
    if qualification.kind == JUDGING:
        return draft
    if qualification.kind == LONG:
        response = long_answers.response_of(draft)
        return long_responses.to_json(long_answers.pressed(response, press, item, request.POST))
    written = response_of(draft)
    report = asked.report_on(qualification, asked.item_of(item), written)
    after = presses.pressed(written, press, prompt=item.prompt, findings=report.findings)
    return responses.to_json(after)


def anchor(qualification: Qualification, draft: Mapping[str, Any], press: str) -> str:
    """Return the id of what a press was about."""
    if qualification.kind == JUDGING:
        return "write"
    if qualification.kind == LONG:
        return long_presses.anchor(long_answers.response_of(draft), press)
    return presses.anchor(response_of(draft), press)


def response_of(draft: Mapping[str, Any]) -> Response:
    """Return a stored draft of answers; an empty one opens with two empty pairs."""
    return responses.from_json(draft) if draft else Response(pairs=(Pair(), Pair()))


def report_on(
    qualification: Qualification,
    item: QualificationItem,
    response: Response,
    *,
    touched: list[str] | None,
) -> Report:
    """Run the rules; before a check only what is said of the fields somebody has been in."""
    report = asked.report_on(qualification, asked.item_of(item), response)
    if touched is None:
        return report
    seen = {*touched, "kind"}
    return replace(report, findings=tuple(each for each in report.findings if each.field in seen))


def is_checked(answer: QualificationAnswer) -> bool:
    """Whether the verdict is about what stands there now."""
    return bool(answer.checked) and answer.checked.get("of") == fingerprint(answer.draft)


def verdict_of(answer: QualificationAnswer) -> Verdict:
    """Return the verdict asked for last."""
    if not answer.checked:
        return Verdict("none")
    if not is_checked(answer):
        return Verdict("old", checks=answer.checks)
    return verdict_shown(answer.item, answer.checked, checks=answer.checks)


def verdict_shown(item: QualificationItem, grade: Mapping[str, Any], *, checks: int) -> Verdict:
    """Return a grade as it is shown: the explanation comes with a pass.

    A long answer has no verdict before somebody has read it.
    """
    if grade["passed"] is None:
        return Verdict("none", checks=checks)
    passed = bool(grade["passed"])
    return Verdict(
        state="passed" if passed else "not",
        open=tuple(grade["open"]),
        edit=grade["edit"],
        explanation=markdown(item.explanation) if passed and item.explanation else "",
        checks=checks,
    )


def item_context(
    qualification: Qualification,
    item: QualificationItem,
    draft: Mapping[str, Any],
    *,
    touched: list[str] | None,
) -> dict[str, Any]:
    """Return what the form of an item shows of a draft."""
    context: dict[str, Any] = {"qualification": qualification, "item": item}
    if qualification.kind == LONG:
        return context | long_answers.item_context(qualification, item, draft, touched=touched)
    if qualification.kind == JUDGING:
        said = asked.verdicts_of(draft)
        words = {True: "correct", False: "incorrect", None: ""}
        seeded = [seeded_from(each, "seeded").reading for each in item.seeded]
        padded = [*said, *[None] * len(seeded)]
        return context | {
            "seeded": [
                (place, reading_shown(item.prompt, reading), words[padded[place]])
                for place, reading in enumerate(seeded)
            ],
        }
    response = response_of(draft)
    report = report_on(qualification, item, response, touched=touched)
    shown = {(finding.rule, finding.field) for finding in report.findings}
    return context | {
        "kinds": KINDS,
        "kind": response.kind,
        "pairs": pairs_shown(item.prompt, response, report, {}),
        "blank_pair": BLANK_PAIR,
        "single": response.single,
        "none_reason": response.none_reason,
        "kind_findings": report.at("kind"),
        "single_findings": report.at("single-answer"),
        "none_findings": report.at("none-reason"),
        "messages_of": [
            (name, label, report.at(name)) for name, label in zip(_FIELDS, _LABELS, strict=True)
        ],
        "idle_keeps": [keep for keep in response.keeps if (keep.rule, keep.field) not in shown],
    }


def written(draft: Mapping[str, Any]) -> list[str]:
    """Return the fields that have text: only there an error is shown before a check."""
    if not draft or "verdicts" in draft:
        return []
    if "text" in draft:
        return long_answers.written(draft)
    response = responses.from_json(draft)
    fields = ["single-answer"] if response.single else []
    fields += ["none-reason"] if response.none_reason else []
    for number, pair in enumerate(response.pairs, start=1):
        fields += [f"question-{number}"] if pair.question else []
        fields += [f"answer-{number}"] if pair.answers else []
    return fields


def attempt_context(answer: QualificationAnswer, now: dt.datetime) -> dict[str, Any]:
    """Return what stands around the form in an attempt. One query, for the list of items."""
    attempt, item = answer.attempt, answer.item
    others = list(attempt.answers.all())
    return {
        "attempt": attempt,
        "answer": answer,
        "project": attempt.qualification.project,
        "version": answer.draft_version,
        "saved_at": answer.draft_saved_at,
        "verdict": verdict_of(answer),
        "items": [(each, mark(each)) for each in others],
        "following": answer.number + 1 if answer.number < attempt.total else None,
        "hint": markdown(item.hint) if item.hint and answer.hint_at else "",
        "hint_wait": queries.hint_wait(answer, now),
        "pages": item.pages,
    }


def mark(answer: QualificationAnswer) -> str:
    """Return how an item is marked in the list: read, passed, not, answered, or open."""
    if answer.handed_in_at is not None:
        return "read"
    if is_checked(answer) and answer.attempt.qualification.instant_feedback:
        return "passed" if answer.checked["passed"] else "not"
    return "answered" if asked.is_answered(answer.draft) else "open"


# --- results -------------------------------------------------------------------------------------


def reading_shown(prompt: str, reading: Reading) -> dict[str, Any]:
    """Return a reading for its template: `none`, `answers`, `pairs` with their word diffs."""
    return {
        "none": reading.none,
        "answers": reading.answers,
        "pairs": [
            (diff(prompt, pair.question.split("|")[0].strip()), pair.question, pair.answers)
            for pair in reading.pairs
        ],
    }


def draft_shown(prompt: str, draft: Mapping[str, Any]) -> dict[str, Any]:
    """Return what somebody answered, in the same shape."""
    response = responses.settled(response_of(draft))
    return {
        "none": response.kind == "none",
        "reason": response.none_reason,
        "answers": [form.text for form in response.single],
        "pairs": [
            (diff(prompt, pair.question), pair.question, [form.text for form in pair.answers])
            for pair in response.pairs
            if pair != Pair()
        ],
    }


def result_shown(answer: QualificationAnswer, *, staff: bool) -> dict[str, Any]:
    """Return one item of a result: what was answered beside what was prepared that day.

    To its person the prepared answers are shown once they count for nothing any more: when the
    item passed, or when the whole attempt is decided and they have passed it. Those of a sample
    are shown once it is submitted.
    """
    result: Mapping[str, Any] = answer.result
    prompt = result.get("prompt", answer.item.prompt)
    attempt = answer.attempt
    opened = staff or bool(answer.stands) or attempt.state == _PASSED
    if attempt.part == Part.STUDY:
        opened = staff or answer.handed_in_at is not None
    shown: dict[str, Any] = {
        "answer": answer,
        "prompt": prompt,
        "stands": answer.stands,
        "score": result.get("score"),
        "edit": result.get("edit"),
        "open": result.get("open", []),
        "opened": opened,
        "explanation": markdown(result["explanation"])
        if opened and result.get("explanation")
        else "",
    }
    if attempt.qualification.kind == LONG:
        return shown | {"long": long_answers.result_of(answer.draft, result, opened=opened)}
    if attempt.qualification.kind == JUDGING:
        said = asked.verdicts_of(answer.draft)
        seeded = [seeded_from(each, "seeded") for each in result.get("seeded", [])]
        shown["judged"] = [
            (
                reading_shown(prompt, each.reading),
                said[place] if place < len(said) else None,
                each.correct if opened else None,
            )
            for place, each in enumerate(seeded)
        ]
        return shown
    shown["given"] = draft_shown(prompt, answer.draft)
    shown["prepared"] = (
        [
            reading_shown(prompt, reading_from(each, "accepted"))
            for each in result.get("accepted", [])
        ]
        if opened
        else []
    )
    return shown
