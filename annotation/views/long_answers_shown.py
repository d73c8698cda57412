"""What the page of a long answer shows: its inputs, the text with its evidence, what is missing."""

import datetime as dt
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotation.checks import Finding, Report
from annotation.long_answers.checks import Context, covered, support
from annotation.long_answers.covering import Covered
from annotation.long_answers.inputs import Disambiguation, Inputs
from annotation.long_answers.response import Piece, Response
from annotation.models import Assignment, LongAnswer
from annotation.queries.articles import page_address
from annotation.queries.reading import History
from annotation.services.leases import seconds_at
from annotation.views.parts import QuoteShown, idle, items, quotes_named, seconds_left

# Long answers of ASQA's development set have 64.8 words on average.
TYPICAL_WORDS = 65
# Where a link to a field leads when the field is no box to type in.
_ANCHORS = {"knowledge": "knowledge-title", "time": "checks-title"}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class PieceShown:
    """One piece of knowledge as the form shows it. `index` counts from 0, `number` from 1."""

    index: int
    content: str = ""
    page: str = ""
    quotes: tuple[QuoteShown, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def number(self) -> int:
        return self.index + 1

    @property
    def field(self) -> str:
        return f"piece-{self.number}"


@dataclass(frozen=True)
class AnswerShown:
    """What became of one short answer. `there` are the words of the text that say it; `longer`
    is the word they are a part of, where they are no words of their own."""

    reading: Disambiguation
    state: Literal["found", "said", "missing"]
    words: str
    start: int | None
    there: str
    longer: str
    gone: str
    findings: tuple[Finding, ...]

    @property
    def number(self) -> int:
        return self.reading.number

    @property
    def field(self) -> str:
        return self.reading.field

    @property
    def label(self) -> str:
        return f"answer {self.number}"

    @property
    def name(self) -> str:
        """What is shown for it."""
        if self.state != "missing":
            return self.words
        return self.reading.answers[0] if self.reading.answers else "No short answer was given"

    @property
    def forms(self) -> Sequence[tuple[int, str]]:
        """The accepted forms that can be put into the text, each once, with their places."""
        first: dict[str, int] = {}
        for place, form in enumerate(self.reading.answers):
            first.setdefault(form.strip(), place)
        return [(place, form) for form, place in first.items() if form][:4]


BLANK_PIECE = PieceShown(index=0)


def seen(response: Response, touched: Collection[str]) -> set[str]:
    """Return the fields at which a rule may speak, from those the person has been in."""
    fields = {*touched, "time"}
    if "long-answer" in fields:
        fields.add("knowledge")
    for number, piece in enumerate(response.knowledge, start=1):
        left = f"piece-{number}" in touched and piece.page
        # Sentences ask for their page once it had its turn.
        fields.discard(f"piece-{number}")
        if left or f"page-{number}" in touched:
            fields.add(f"piece-{number}")
    return fields


def form_context(
    assignment: Assignment,
    response: Response,
    report: Report,
    known: Context,
    *,
    now: dt.datetime,
    show_problems: bool,
) -> dict[str, Any]:
    """Return what the form and the reply to it show. At most one query, for quotes."""
    answers = [
        answer_shown(each, response.text, report.at(each.disambiguation.field))
        for each in covered(response, known)
    ]
    there = sum(each.state != "missing" for each in answers)
    wait = any(finding.rule == "long-answer-too-quick" for finding in report.blocking)
    share = support(response, known)
    return {
        "text": response.text,
        "length": length(response.text),
        "text_findings": report.at("long-answer"),
        "knowledge_findings": report.at("knowledge"),
        "time_findings": report.at("time"),
        "pieces": pieces_shown(assignment, response.knowledge, report) or [BLANK_PIECE],
        "blank_piece": BLANK_PIECE,
        "answers": answers,
        "there": there,
        "missing": len(answers) - there,
        "said": response.said,
        "support": None if share is None else round(100 * share),
        "full": known.inputs.full,
        "feedback": response.feedback,
        "idle_keeps": idle(response.keeps, report.findings),
        "checklist": items(report.checklist, _anchor),
        "todo": len(report.blocking),
        "wait": seconds_left(assignment, now) if wait else 0,
        "so_far": seconds_at(assignment, now),
        "hour": hour(assignment.policy.lease_minutes),
        "problems": [(each.summary, _anchor(each.field)) for each in report.blocking]
        if show_problems
        else [],
    }


def length(text: str) -> str:
    """Say how long the text is, and how long most are."""
    words = len(text.split())
    if not words:
        return f"Most have about {TYPICAL_WORDS} words"
    return f"{words:,} word{'' if words == 1 else 's'}, most have about {TYPICAL_WORDS}"


def hour(minutes: int) -> str:
    """Return how long somebody may take, as people say it."""
    if minutes in (1, 60):
        return "one hour is" if minutes == 60 else "one minute is"
    return f"{minutes // 60} hours are" if minutes % 60 == 0 else f"{minutes} minutes are"


# --- the inputs ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReadingShown:
    """One reading with its context in place, and where its page is read."""

    reading: Disambiguation
    title: str
    url: str


@dataclass(frozen=True)
class PageShown:
    """A page with more, and whether this writer has read it in this work."""

    title: str
    url: str
    read: bool


def readings_context(assignment: Assignment, inputs: Inputs, history: History) -> dict[str, Any]:
    """Return the left column; nothing where the writer is given the prompt alone."""
    if not inputs.full:
        return {"readings": [], "pages": []}
    paths = {
        paragraph.title: paragraph.path
        for each in inputs.disambiguations
        if (paragraph := each.context) is not None and paragraph.path
    }

    def address(title: str) -> str:
        path = paths.get(title) or "_".join(title.replace("_", " ").split())
        return f"{page_address(assignment.pk, path)}?via=title" if path else ""

    read = {page.title.casefold() for page in history.pages} | {*history.by_path}
    return {
        "readings": [
            ReadingShown(each, title, address(title))
            for each in inputs.disambiguations
            for title in [each.context.title if each.context else ""]
        ],
        "pages": [
            PageShown(page.title, address(page.title), _was_read(page.title, paths, read))
            for page in {each.title: each for each in inputs.pages}.values()
        ],
    }


def _was_read(title: str, paths: Mapping[str, str], read: Collection[str]) -> bool:
    return title.casefold() in read or paths.get(title) in read


# --- the text and its evidence -------------------------------------------------------------------


def pieces_shown(
    assignment: Assignment, pieces: Sequence[Piece], report: Report
) -> list[PieceShown]:
    """Return the pieces with what the rules say of each, and their quotes. One query, for these."""
    quotes = quotes_named(assignment, (quote for piece in pieces for quote in piece.quotes))
    return [
        PieceShown(
            index=index,
            content=piece.content,
            page=piece.page,
            quotes=tuple(quotes[quote] for quote in piece.quotes if quote in quotes),
            findings=report.at(f"piece-{index + 1}"),
        )
        for index, piece in enumerate(pieces)
    ]


def texts(response: Response) -> Iterable[tuple[str, str]]:
    """Return label and text of every field, for comparing two drafts."""
    yield "Long answer", response.text
    for number, piece in enumerate(response.knowledge, start=1):
        yield f"Piece {number}, sentences", piece.content
        yield f"Piece {number}, page", piece.page
    for each in response.said:
        yield f"Reading {each.disambiguation + 1}, in other words", each.words
    yield "Feedback", response.feedback


def submitted(assignment: Assignment) -> dict[str, Any] | None:
    """Return what was submitted, for reading; None while nothing was. At most three queries."""
    answer = (
        LongAnswer.objects.filter(assignment=assignment)
        .prefetch_related("knowledge", "overrides")
        .first()
    )
    if answer is None:
        return None
    return {
        "text": answer.text,
        "pieces": [(each.content or "", each.page or "") for each in answer.knowledge.all()],
        "said": [(each.disambiguation + 1, each.words) for each in answer.overrides.all()],
    }


def written(draft: Response) -> dict[str, Any]:
    """Return what a draft holds, for reading."""
    return {
        "text": draft.text,
        "pieces": [(each.content, each.page) for each in draft.knowledge if not each.empty],
        "said": [(each.disambiguation + 1, each.words) for each in draft.said],
    }


def answer_shown(found: Covered, text: str, findings: tuple[Finding, ...]) -> AnswerShown:
    """Return what became of one short answer in a text."""
    start, end = found.start, found.end
    placed = start is not None and end is not None
    return AnswerShown(
        reading=found.disambiguation,
        state=found.state,
        words=found.words,
        start=start,
        there=text[start:end] if placed else "",
        longer=_longer(text, start or 0, end or 0) if placed and found.inside_word else "",
        gone=found.gone,
        findings=findings,
    )


def _longer(text: str, start: int, end: int) -> str:
    """Return the words that the place from `start` to `end` is a part of."""
    parts = [m for m in _WORD.finditer(text) if m.start() < end and m.end() > start]
    return text[min(start, parts[0].start()) : max(end, parts[-1].end())] if parts else ""


def _anchor(field: str) -> str:
    return _ANCHORS.get(field, field)
