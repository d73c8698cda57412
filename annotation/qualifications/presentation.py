"""The context of an item's page: the form, the findings of the rules, and the verdict.

Prepared answers and explanations are included only with a verdict that allows them.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.protocols import registry as protocols
from annotation.qualifications import queries
from annotation.qualifications.item_queries import answer_fingerprint, is_answered
from annotation.qualifications.models import (
    Part,
    QualificationAnswer,
    QualificationAttempt,
    QualificationItem,
)
from annotation.text.markdown import render_markdown as markdown

_PASSED = QualificationAttempt.State.PASSED


@dataclass(frozen=True)
class Verdict:
    """The verdict on an item as it is shown: "none", "old" (changed since), "passed", "not"."""

    state: str
    open: tuple[str, ...] = ()
    edit: float | None = None
    explanation: Any = ""
    checks: int = 0


def is_checked(answer: QualificationAnswer) -> bool:
    """Whether the verdict is about the answer as it is now."""
    return bool(answer.checked) and answer.checked.get("of") == answer_fingerprint(answer.draft)


def verdict_of(answer: QualificationAnswer) -> Verdict:
    """Return the latest verdict that was asked for."""
    if not answer.checked:
        return Verdict("none")
    if not is_checked(answer):
        return Verdict("old", checks=answer.checks)
    return verdict_shown(answer.item, answer.checked, checks=answer.checks)


def verdict_shown(item: QualificationItem, grade: Mapping[str, Any], *, checks: int) -> Verdict:
    """Return a grade for display; a pass includes the explanation.

    A long answer has no verdict until a person has graded it.
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


def frame_context(attempt: QualificationAttempt) -> dict[str, Any]:
    """Return what every page of a person's attempt knows."""
    qualification = attempt.qualification
    return {
        "section": "work",
        "attempt": attempt,
        "qualification": qualification,
        "project": qualification.project,
    }


def attempt_context(answer: QualificationAnswer, now: dt.datetime) -> dict[str, Any]:
    """Return the context around the form in an attempt. One query, for the list of items."""
    attempt, item = answer.attempt, answer.item
    others = list(attempt.answers.all())
    return {
        "attempt": attempt,
        "answer": answer,
        "item": item,
        "qualification": attempt.qualification,
        "project": attempt.qualification.project,
        "verdict": verdict_of(answer),
        "items": [(other, answer_mark(other)) for other in others],
        "following": answer.number + 1 if answer.number < attempt.total else None,
        "hint": markdown(item.hint) if item.hint and answer.hint_at else "",
        "hint_wait": queries.hint_wait(answer, now),
        "pages": item.pages,
    }


def answer_mark(answer: QualificationAnswer) -> str:
    """Return the mark of an item in the list: read, passed, not, answered, or open."""
    if answer.handed_in_at is not None:
        return "read"
    if is_checked(answer) and answer.attempt.qualification.instant_feedback:
        return "passed" if answer.checked["passed"] else "not"
    return "answered" if is_answered(answer) else "open"


# --- results -------------------------------------------------------------------------------------


def result_shown(answer: QualificationAnswer, *, staff: bool) -> dict[str, Any]:
    """Return one item of a result: the answer, and the prepared ones as they were at the time.

    The person sees the prepared answers only once these can no longer help: when the item passed,
    or when the whole attempt is decided and they have passed it. Those of a sample are shown once
    it is submitted.
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
    exam = protocols.exam_of(attempt.qualification.kind)
    response = exam.sheet.load(answer.draft)
    return shown | exam.result_context(prompt, response, result, opened=opened)
