"""Suggestions of models as values: what a model wrote, and what people did with it.

Nothing here knows Django.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from annotation.sheets.answers import (
    MAX_ANSWER,
    MAX_FORMS,
    MAX_QUESTION,
    AnswerForm,
    merge_repeated_forms,
)
from annotation.text.cleaning import ResponseError, line_of, passage_of

Kind = Literal["pair", "answer", "passage", "long_answer", "verdict"]
Fate = Literal["", "accepted", "edited", "dismissed"]
# Why a system has none for a question: its job waits or runs, its job failed, or neither.
Progress = Literal["", "making", "failed"]
MAX_TEXT = 20_000
MAX_TITLE = 500
MAX_BOX = 40
MAX_VERDICT = 20
# Why people dismiss a suggestion: what is stored, and what they read.
REASONS = {
    "wrong": "Wrong answer",
    "unsupported": "The passage does not say so",
    "same": "Same as one of my pairs",
    "off": "Not what the question asks",
}


@dataclass(frozen=True, slots=True)
class SuggestedContent:
    """What a model suggests for a question; `text`, `title` and `path` are of its passage.

    box: of a long answer that is a part of the question's own page, the key of that part there.

    A verdict is about the first of its answers, as it is shown, and rests on `text`; it is "" where
    the model was asked and said nothing that can be used. score: how sure it is, from 0 to 1.
    """

    kind: Kind
    question: str = ""
    answers: tuple[str, ...] = ()
    text: str = ""
    title: str = ""
    path: str = ""
    box: str = ""
    verdict: str = ""
    score: float | None = None


@dataclass(frozen=True)
class OfferedSuggestion:
    """A stored suggestion as one person sees it in one assignment.

    number: from 1; url: the address of its passage's page; older: whether the system has a newer
    version; shown: whether they have seen it; fate: "" while it is undecided; before: the verdict
    that they had chosen when a verdict was shown to them first; stored: the id of its row, where
    people are shown another number, 0 where `pk` is that.
    """

    pk: int
    number: int
    system: str
    content: SuggestedContent
    url: str = ""
    older: bool = False
    shown: bool = False
    fate: Fate = ""
    reason: str = ""
    before: str = ""
    stored: int = 0

    @property
    def row(self) -> int:
        """Return the id of its row."""
        return self.stored or self.pk


@dataclass(frozen=True)
class SuggestionOffers:
    """The suggestions of one system in one assignment.

    `rows` asks the database once, and again after `forget`; `progress` says why there are none.
    """

    system: str
    rows: Callable[[], Sequence[OfferedSuggestion]]
    forget: Callable[[], None]
    progress: Callable[[], Progress]

    def keep_shown(self) -> "SuggestionOffers":
        """Return those that the person has seen."""
        return replace(self, rows=lambda: [offer for offer in self.rows() if offer.shown])


def clean_suggestion(suggested: SuggestedContent) -> SuggestedContent | None:
    """Return the suggestion as it is stored, None if nothing usable is in it.

    It was written by a model, from text that anyone may have written: control characters go, and
    what is longer than people may write is left out.
    """
    try:
        answers = merge_repeated_forms(
            AnswerForm(line_of(text, MAX_ANSWER, "The answer")) for text in suggested.answers
        )
        cleaned = SuggestedContent(
            suggested.kind,
            line_of(suggested.question, MAX_QUESTION, "The question"),
            tuple(form.text for form in answers[:MAX_FORMS]),
            passage_of(suggested.text, MAX_TEXT, "The text"),
            line_of(suggested.title, MAX_TITLE, "The title"),
            line_of(suggested.path, MAX_TITLE, "The path"),
            line_of(suggested.box, MAX_BOX, "The box"),
            line_of(suggested.verdict, MAX_VERDICT, "The verdict"),
            suggested.score,
        )
    except ResponseError:
        return None
    usable = {
        "pair": cleaned.question and cleaned.answers,
        "answer": cleaned.answers,
        "passage": cleaned.text,
        "long_answer": cleaned.text,
        "verdict": cleaned.answers,
    }
    return cleaned if usable[suggested.kind] else None


def held_out(question_id: int, share: int) -> bool:
    """Whether the question is among the `share` per cent that show no suggestions.

    Always the same questions: a larger share holds out those of a smaller one and some more.
    """
    digest = hashlib.sha256(f"suggestions {question_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % 100 < share
