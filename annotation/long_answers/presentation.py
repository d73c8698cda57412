"""Values for the page of a long answer: the text with its evidence, and missing answers."""

import re
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotation.contexts.inputs import Disambiguation
from annotation.long_answers.covering import DisambiguationCoverage
from annotation.long_answers.response import LongAnswerResponse, Piece
from annotation.sheets.parts import QuoteShown
from annotation.sheets.report import FindingsReport
from annotation.sheets.rules import Finding
from annotation.suggestions.sheet import Origin

# Long answers of ASQA's development set have 64.8 words on average.
TYPICAL_WORDS = 65
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class PieceShown:
    """One piece of knowledge as the form shows it. `index` counts from 0, `number` from 1."""

    index: int
    content: str = ""
    page: str = ""
    quotes: tuple[QuoteShown, ...] = ()
    findings: tuple[Finding, ...] = ()
    suggestion: int | None = None
    origin: Origin | None = None  # the suggestion it began as

    @property
    def number(self) -> int:
        return self.index + 1

    @property
    def field(self) -> str:
        return f"piece-{self.number}"


@dataclass(frozen=True)
class AnswerShown:
    """The outcome of one short answer. `there` are the words of the text that say it; `longer` is
    the word they are part of, if they are not whole words.
    """

    disambiguation: Disambiguation
    state: Literal["found", "said", "missing"]
    words: str
    start: int | None
    there: str
    longer: str
    gone: str
    findings: tuple[Finding, ...]

    @property
    def number(self) -> int:
        return self.disambiguation.number

    @property
    def field(self) -> str:
        return self.disambiguation.field

    @property
    def label(self) -> str:
        return f"answer {self.number}"

    @property
    def name(self) -> str:
        """The answer as shown in the list."""
        if self.state != "missing":
            return self.words
        return (
            self.disambiguation.answers[0]
            if self.disambiguation.answers
            else "No short answer was given"
        )

    @property
    def forms(self) -> Sequence[tuple[int, str]]:
        """The accepted forms that can be put into the text, each once, with their places."""
        first: dict[str, int] = {}
        for place, form in enumerate(self.disambiguation.answers):
            first.setdefault(form.strip(), place)
        return [(place, form) for form, place in first.items() if form][:4]


BLANK_PIECE = PieceShown(index=0)


def pieces_shown(
    pieces: Sequence[Piece],
    report: FindingsReport,
    quotes: Mapping[int, QuoteShown],
    origins: Mapping[int, Origin] = types.MappingProxyType({}),
) -> list[PieceShown]:
    """Return the pieces for the form, each with its findings and quotes.

    `origins`: where they began, by their numbers from 1.
    """
    return [
        PieceShown(
            index=index,
            content=piece.content,
            page=piece.page,
            quotes=tuple(quotes[quote] for quote in piece.quotes if quote in quotes),
            findings=report.findings_at(f"piece-{index + 1}"),
            suggestion=piece.suggestion,
            origin=origins.get(index + 1),
        )
        for index, piece in enumerate(pieces)
    ]


def describe_length(text: str) -> str:
    """Return a line on how long the text is, and how long most are."""
    words = len(text.split())
    if not words:
        return f"Most have about {TYPICAL_WORDS} words"
    return f"{words:,} word{'' if words == 1 else 's'}, most have about {TYPICAL_WORDS}"


def build_draft_context(draft: LongAnswerResponse) -> dict[str, Any]:
    """Return a draft for display."""
    return {
        "text": draft.text,
        "pieces": [(piece.content, piece.page) for piece in draft.knowledge if not piece.empty],
        "said": [(wording.disambiguation + 1, wording.words) for wording in draft.said],
    }


def answer_shown(
    found: DisambiguationCoverage, text: str, findings: tuple[Finding, ...]
) -> AnswerShown:
    """Return the outcome of one short answer in a text, for the list of answers."""
    start, end = found.start, found.end
    placed = start is not None and end is not None
    return AnswerShown(
        disambiguation=found.disambiguation,
        state=found.state,
        words=found.words,
        start=start,
        there=text[start:end] if placed else "",
        longer=_longer(text, start or 0, end or 0) if placed and found.inside_word else "",
        gone=found.gone,
        findings=findings,
    )


def _longer(text: str, start: int, end: int) -> str:
    """Return the whole words around the place from `start` to `end`."""
    parts = [m for m in _WORD.finditer(text) if m.start() < end and m.end() > start]
    return text[min(start, parts[0].start()) : max(end, parts[-1].end())] if parts else ""
