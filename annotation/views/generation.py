"""What the generation form shows: a response, what the rules say of it, and its quotes."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.checks import Finding, Report
from annotation.models import Annotation, Assignment
from annotation.responses import AnswerForm, Kind, Pair, Response
from annotation.views.parts import QuoteShown, idle, items, quotes_named, seconds_left
from metrics.edits import Span, SpanKind, diff, edits

KINDS: Sequence[tuple[str, str]] = (
    ("multiple", "Several answers"),
    ("single", "One clear answer"),
    ("none", "Not found"),
)
# Where a link to a field leads when the field is no box to type in.
_ANCHORS = {"pages": "query", "time": "checks-title"}


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
    spans: tuple[Span, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

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
        """How many words are marked as added and removed, as people count words."""
        return f"{self._words('ins')} added, {self._words('del')} removed" if self.question else ""

    def _words(self, kind: SpanKind) -> int:
        words = (word for span in self.spans if span.kind == kind for word in span.words)
        return sum(any(map(str.isalnum, word)) for word in words)


BLANK_PAIR = PairShown(index=0, first=True, last=True, question="", forms=())


def form_context(
    assignment: Assignment,
    response: Response,
    report: Report,
    *,
    now: dt.datetime,
    show_problems: bool = False,
) -> dict[str, Any]:
    """Return what `_work_form.html` and `_draft.html` need. At most one query, for quotes."""
    quotes = _quotes(assignment, response)
    pairs = pairs_shown(assignment.task.question.prompt, response, report, quotes)
    fields = ("kind", "single-answer", "none-reason", "pages", "time")
    labels = ("the kind of answer", "the answer", "the reason", "the pages", "the time")
    return {
        "kinds": KINDS,
        "kind": response.kind,
        "pairs": pairs,
        "blank_pair": BLANK_PAIR,
        "single": response.single,
        "single_quotes": _of(response.single, quotes),
        "none_reason": response.none_reason,
        "feedback": response.feedback,
        "messages_of": [
            (field, label, report.at(field)) for field, label in zip(fields, labels, strict=True)
        ],
        "kind_findings": report.at("kind"),
        "single_findings": report.at("single-answer"),
        "none_findings": report.at("none-reason"),
        "pages_findings": report.at("pages"),
        "time_findings": report.at("time"),
        "idle_keeps": idle(response.keeps, report.findings),
        "checklist": items(report.checklist, lambda field: _anchor(field, response.kind)),
        "todo": len(report.blocking),
        "wait": _wait(report, assignment, now),
        "apart": [pair for pair in pairs if pair.question] if response.kind == "multiple" else [],
        "problems": [
            (finding.summary, _anchor(finding.field, response.kind)) for finding in report.blocking
        ]
        if show_problems
        else [],
    }


def submitted_pairs(annotation: Annotation) -> list[dict[str, Any]]:
    """Return what was submitted, for reading: questions with their forms."""
    return [
        {"question": pair.question, "forms": [answer.text for answer in pair.answers.all()]}
        for pair in annotation.pairs.prefetch_related("answers")
    ]


def written_pairs(response: Response) -> list[dict[str, Any]]:
    """Return what a draft holds, for reading: questions with their forms."""
    if response.kind == "single":
        return [{"question": "", "forms": [form.text for form in response.single]}]
    return [
        {"question": pair.question, "forms": [form.text for form in pair.answers]}
        for pair in response.pairs
        if pair != Pair()
    ]


def texts(response: Response) -> Iterable[tuple[str, str]]:
    """Return label and text of every field, for comparing two drafts."""
    yield "Kind of answer", dict(KINDS)[response.kind]
    for number, pair in enumerate(response.pairs, start=1):
        yield f"Pair {number}, question", pair.question
        yield f"Pair {number}, answer", " | ".join(form.text for form in pair.answers)
    yield "Answer", " | ".join(form.text for form in response.single)
    yield "Reason", response.none_reason
    yield "Feedback", response.feedback


def pairs_shown(
    prompt: str, response: Response, report: Report, quotes: dict[int, QuoteShown]
) -> list[PairShown]:
    """Return the pairs of a response with what the rules say of each, and its change."""
    found = []
    for index, pair in enumerate(response.pairs):
        change = edits(prompt, pair.question) if pair.question else None
        found.append(
            PairShown(
                index=index,
                first=index == 0,
                last=index == len(response.pairs) - 1,
                question=pair.question,
                forms=pair.answers,
                quotes=_of(pair.answers, quotes),
                question_findings=report.at(f"question-{index + 1}"),
                answer_findings=report.at(f"answer-{index + 1}"),
                spans=tuple(diff(prompt, pair.question)) if pair.question else (),
                added=tuple(change.added.elements()) if change else (),
                removed=tuple(change.deleted.elements()) if change else (),
            )
        )
    return found


def _quotes(assignment: Assignment, response: Response) -> dict[int, QuoteShown]:
    forms = [*response.single, *(form for pair in response.pairs for form in pair.answers)]
    return quotes_named(assignment, (quote for form in forms for quote in form.quotes))


def _of(forms: Iterable[AnswerForm], quotes: dict[int, QuoteShown]) -> tuple[QuoteShown, ...]:
    ids = dict.fromkeys(quote for form in forms for quote in form.quotes)
    return tuple(quotes[pk] for pk in ids if pk in quotes)


def _anchor(field: str, kind: Kind) -> str:
    return f"kind-{kind}" if field == "kind" else _ANCHORS.get(field, field)


def _wait(report: Report, assignment: Assignment, now: dt.datetime) -> int:
    """Return after how many seconds the page asks again, because only time is missing (A17)."""
    if not any(finding.rule == "too-quick" for finding in report.blocking):
        return 0
    return seconds_left(assignment, now)
