"""What one person answers about a question and its page, as Natural Questions records it.

Places on a page are spans of bytes of its HTML (in UTF-8) and of its tokens. The simplified form
has no bytes, so there they are -1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

REASONS = {
    "ambiguous": "It is ambiguous",
    "incomprehensible": "It cannot be understood",
    "presupposition": "It rests on something clearly false",
    "opinion": "It asks for an opinion",
    "not-facts": "It is not a request for facts",
}
"""Why a question is bad: words by key."""

STEPS = ("question", "long", "short")
YES_NO = ("NONE", "YES", "NO")


@dataclass(frozen=True, order=True)
class PageSpan:
    """A stretch of a page, by tokens and by bytes; the end is not part of it. -1: not known."""

    start_token: int
    end_token: int
    start_byte: int = -1
    end_byte: int = -1

    def __bool__(self) -> bool:
        """Whether it is anywhere: NOWHERE is false."""
        return self.start_token >= 0 or self.start_byte >= 0

    @property
    def place(self) -> tuple[int, int]:
        """Where it is, in tokens or, without these, in bytes: what two spans are compared by."""
        if self.start_token >= 0:
            return self.start_token, self.end_token
        return self.start_byte, self.end_byte

    def contains_span(self, other: "PageSpan") -> bool:
        """Whether the other span is somewhere within this one."""
        tokens = 0 <= self.start_token <= other.start_token and other.end_token <= self.end_token
        bytes_ = 0 <= self.start_byte <= other.start_byte and other.end_byte <= self.end_byte
        return tokens or (other.start_token < 0 and bytes_)


NOWHERE = PageSpan(-1, -1, -1, -1)


class Path(StrEnum):
    """How far an annotation came through the three steps (figure 2 of the paper)."""

    BAD = "bad"
    NO_LONG = "no-long"
    LONG_ONLY = "long-only"
    YES_NO = "yes-no"
    SHORT = "short"


@dataclass(frozen=True)
class PageAnnotation:
    """One person's answers: a good question?, the long answer, the short answer.

    `reason` is a key of REASONS where the question is bad. `candidate` is the place of the long
    answer among the record's candidates. `seconds` has the time of each step.
    """

    good: bool
    reason: str = ""
    long: PageSpan = NOWHERE
    candidate: int = -1
    yes_no: str = "NONE"
    short: tuple[PageSpan, ...] = ()
    annotation_id: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def path(self) -> Path:
        """The branch of the decision that it took."""
        if self.yes_no != "NONE":
            return Path.YES_NO
        if self.short:
            return Path.SHORT
        if self.long:
            return Path.LONG_ONLY
        return Path.NO_LONG if self.good else Path.BAD


NULL = PageAnnotation(good=True)
"""No answer. A release does not say whether that is for a bad question or for its page."""


def problem_of(annotation: PageAnnotation) -> str:
    """Return what contradicts itself in an annotation, as a sentence; "" where nothing does."""
    if annotation.yes_no not in YES_NO:
        return f"“{annotation.yes_no}” is not YES, NO or NONE."
    answered = annotation.yes_no != "NONE" or bool(annotation.short)
    if not annotation.good and (annotation.long or answered):
        return "A bad question has no answers."
    if not annotation.long and answered:
        return "A short answer needs a long answer that holds it."
    if annotation.yes_no != "NONE" and annotation.short:
        return "Choose either yes or no, or words in the page, not both."
    if not all(annotation.long.contains_span(span) for span in annotation.short):
        return "The short answer is not inside the long answer."
    return ""


def to_json(annotation: PageAnnotation) -> dict[str, Any]:
    """Return an annotation as JSON for storage; `from_json` reads it."""
    return {
        "good": annotation.good,
        "reason": annotation.reason,
        "long": _four(annotation.long),
        "candidate": annotation.candidate,
        "yes_no": annotation.yes_no,
        "short": [_four(span) for span in annotation.short],
        "annotation_id": annotation.annotation_id,
        "seconds": dict(annotation.seconds),
    }


def from_json(data: Mapping[str, Any]) -> PageAnnotation:
    """Return an annotation from what `to_json` gave."""
    return PageAnnotation(
        good=data["good"],
        reason=data.get("reason", ""),
        long=PageSpan(*data["long"]),
        candidate=data["candidate"],
        yes_no=data["yes_no"],
        short=tuple(PageSpan(*four) for four in data["short"]),
        annotation_id=data.get("annotation_id", ""),
        seconds=data.get("seconds", {}),
    )


def _four(span: PageSpan) -> list[int]:
    return [span.start_token, span.end_token, span.start_byte, span.end_byte]
