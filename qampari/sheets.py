"""The forms on which answers are checked: one answer by anyone, several by staff (Q1, Q4)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote, urlsplit

from annotation.sheets.choice_sheet import ChoiceSheet, Chosen, Option
from annotation.sheets.fields import Choice, Form, FormData, Keep, LineField, PassageField
from annotation.sheets.known_items import Grade, KnownItem
from annotation.sheets.many import Keeps, PartsField
from annotation.sheets.report import FindingsReport, Rules
from annotation.sheets.rules import Check, Finding, RuleFinding
from annotation.sheets.sheet import Sheet
from annotation.sheets.work_context import WorkContext
from annotation.suggestions.sheet import SuggestionPanel, build_panel, suggestion_in
from annotation.suggestions.values import SuggestionOffers
from qampari.suggested_verdicts import Verdicts
from qampari.verdicts import CORRECT, DOUBTFUL, UNCLEAR, VERDICTS

OPTIONS = (
    Option(CORRECT, VERDICTS[CORRECT], "The evidence shows that it answers the question."),
    Option(DOUBTFUL, VERDICTS[DOUBTFUL], "The evidence contradicts it, or does not say."),
    Option(UNCLEAR, VERDICTS[UNCLEAR], "You can’t tell what would count as an answer."),
)
_VERDICT = Choice(("", *VERDICTS), "{value} is not one of the verdicts.")
MOST = 2_000
_WIKI_PAGE = re.compile(
    r"https://(?P<host>(?:[a-z0-9-]+\.)+wikipedia\.org)/wiki/[^\s\\<>\"?]+", re.A
)


@dataclass(frozen=True)
class ShownEvidence:
    """A piece of evidence as it is shown: its text, and the title, link and host of its page.

    `link` and `host` are "" where the address is none of a page of Wikipedia (Q1).
    """

    text: str
    page: str = ""
    link: str = ""
    host: str = ""


@dataclass(frozen=True)
class AnswerShown:
    """An answer with its other forms and its evidence; `notes`: what people wrote about it."""

    position: int
    text: str
    aliases: tuple[str, ...] = ()
    evidence: tuple[ShownEvidence, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CheckContext(WorkContext):
    """The question with the answers to check.

    `suggestions`: what a model says of them, None where it is not shown.
    """

    answers: tuple[AnswerShown, ...] = ()
    suggestions: SuggestionOffers | None = None


def page_of(url: str) -> str:
    """Return the title of the page at an address, "" if it has none: text, never a link."""
    return unquote(urlsplit(url).path.rpartition("/")[2]).replace("_", " ")


def show_evidence(rows: Iterable[Sequence[str]]) -> tuple[ShownEvidence, ...]:
    """Return evidence, a text and an address each, as every form shows it, gold item or not."""
    shown = []
    for text, url in rows:
        host = _wiki_host(url)
        shown.append(ShownEvidence(text, page_of(url), url if host else "", host))
    return tuple(shown)


def _wiki_host(url: str) -> str:
    """Return the host of the page of Wikipedia at an address as imported, "" if it is none.

    Files are hostile: nothing else is ever a link, whatever a browser would make of it.
    """
    found = _WIKI_PAGE.fullmatch(url)
    return found["host"] if found else ""


def build_answers_json(given: CheckContext) -> dict[str, Any]:
    """Return the answers as JSON, for clients of the API."""
    return {
        "answers": [
            {
                "text": answer.text,
                "aliases": list(answer.aliases),
                "evidence": [
                    {"text": row.text, "page": row.page, "link": row.link}
                    for row in answer.evidence
                ],
                "notes": list(answer.notes),
            }
            for answer in given.answers
        ],
        "verdicts": list(VERDICTS),
    }


# --- one answer -----------------------------------------------------------------------------------


class CheckSheet(ChoiceSheet[CheckContext]):
    """One answer with its evidence, and three verdicts."""

    page = "qampari/check.html"
    reply = "qampari/_check_reply.html"
    taking = Verdicts()
    script = "evaluation/judging/judging.js"
    reads = False
    options = OPTIONS
    fields = {"verdict": "your verdict", "why": "the note"}

    def given_to_json(self, given: CheckContext) -> dict[str, Any]:
        return build_answers_json(given)

    def grade_response(
        self, response: Chosen, item: KnownItem, unanswered: Sequence[str] = ()
    ) -> Grade:
        """“Cannot understand” is neither right nor wrong."""
        grade = super().grade_response(response, item, unanswered)
        return replace(grade, passed=None) if response.verdict == UNCLEAR else grade

    def field_anchor(self, field: str, response: Chosen) -> str:
        return "verdict-first" if field == "verdict" else field

    def form_context(
        self, response: Chosen, report: FindingsReport, given: CheckContext, post: FormData
    ) -> dict[str, Any]:
        offered = given.suggestions
        panel = offered and SuggestionPanel(offered.system, self.taking, locked=True)
        if offered and self.taking.has_begun(response):
            panel = build_panel(self.taking, "", response, offered)
        return super().form_context(response, report, given, post) | {
            "answers": given.answers,
            "suggestions": panel,
            "verdicts": VERDICTS,
        }

    def press_anchor(self, response: Chosen, press: str, before: Chosen) -> str:
        pressed = suggestion_in(press) is not None
        return "suggestions" if pressed else super().press_anchor(response, press, before)

    def press_effect(
        self, response: Chosen, press: str, before: Chosen, *, renewed: bool
    ) -> dict[str, Any]:
        """Return whether a press chose another verdict."""
        return {"chose": response.verdict != before.verdict}


# --- several answers, for staff -------------------------------------------------------------------


@dataclass(frozen=True)
class StaffVerdict:
    """What staff say of the answer at a place of the record."""

    place: str = ""
    verdict: str = ""


@dataclass(frozen=True)
class TeamResponse:
    """What staff say of the answers of a question that they check."""

    answers: tuple[StaffVerdict, ...] = ()
    why: str = ""
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()


TEAM_FORM = Form(
    TeamResponse,
    {
        "answers": PartsField(
            StaffVerdict,
            "answer",
            "Answer",
            MOST,
            {"place": LineField(10, "the place"), "verdict": _VERDICT},
        ),
        "why": PassageField(2_000, "The note"),
        "feedback": PassageField(5_000, "The feedback"),
        "keeps": Keeps(),
    },
)


def _open(response: TeamResponse, given: CheckContext) -> list[RuleFinding]:
    return [
        RuleFinding(
            f"answer-{number}",
            "Choose one of these.",
            f"Choose a verdict on {answer.text}",
        )
        for number, (answer, said) in enumerate(
            zip(given.answers, _fitted(response, given), strict=True), start=1
        )
        if not said.verdict
    ]


def _place(finding: Finding) -> tuple[int, ...]:
    return (int(finding.field.rpartition("-")[2]),)


TEAM_RULES: Rules[TeamResponse, CheckContext] = Rules(
    (Check("open", "error", "Every answer has a verdict", "Some have none.", "Q4", _open),),
    place=_place,
    name=lambda finding: f"Answer {finding.field.rpartition('-')[2]}",
)


class TeamSheet(Sheet[TeamResponse, CheckContext]):
    """Several answers of one question, each with its evidence and three verdicts."""

    page = "qampari/team.html"
    script = "evaluation/judging/judging.js"
    reads = False
    form = TEAM_FORM
    rules = TEAM_RULES
    blank = TeamResponse()

    def adapt_response(self, response: TeamResponse, given: CheckContext) -> TeamResponse:
        """Return the response with one verdict for each answer to check."""
        return replace(response, answers=_fitted(response, given))

    def given_to_json(self, given: CheckContext) -> dict[str, Any]:
        return build_answers_json(given)

    def field_anchor(self, field: str, response: TeamResponse) -> str:
        return f"{field}-first" if field.startswith("answer-") else field

    def list_field_texts(self, response: TeamResponse) -> Iterable[tuple[str, str]]:
        for said in response.answers:
            name = f"Answer {int(said.place) + 1}" if said.place.isdecimal() else "Answer"
            yield name, VERDICTS.get(said.verdict, "")
        yield "Note", response.why
        yield "Feedback", response.feedback

    def summarise_response(self, response: TeamResponse) -> str:
        done = sum(bool(said.verdict) for said in response.answers)
        return f"{done} chosen" if done else ""

    def form_context(
        self, response: TeamResponse, report: FindingsReport, given: CheckContext, post: FormData
    ) -> dict[str, Any]:
        response = self.adapt_response(response, given)
        rows = [
            (f"answer-{n}", f"answer-{n - 1}", answer, said, report.findings_at(f"answer-{n}"))
            for n, (answer, said) in enumerate(
                zip(given.answers, response.answers, strict=True), start=1
            )
        ]
        return self.common_context(response, report) | {
            "response": response,
            "rows": rows,
            "options": OPTIONS,
            "messages_of": [(field, answer.text, at) for field, _, answer, _, at in rows],
        }


def _fitted(response: TeamResponse, given: CheckContext) -> tuple[StaffVerdict, ...]:
    """Return a verdict for each answer, by the place in its record, whatever the order was."""
    by_place = {said.place: said for said in response.answers}
    places = [str(answer.position) for answer in given.answers]
    return tuple(by_place.get(place, StaffVerdict(place)) for place in places)
