"""The sheet of judges: what each answer says (S25), and which of two is better (S26, S28)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from annotation.contexts.inputs import Disambiguation
from annotation.sheets.fields import Choice, Form, FormData, Keep, LineField, PassageField
from annotation.sheets.many import Keeps, PartsField
from annotation.sheets.report import FindingsReport, Rules
from annotation.sheets.rules import Check, Finding, Fix, RuleFinding, shorten_text
from annotation.sheets.sheet import Sheet
from annotation.text.cleaning import ResponseError

MOST = 200  # disambiguations of a question, criteria of a study
SIDES = ("left", "right")
# What can be chosen by a criterion, from left to right, by the number of steps: value and words.
# The place of a choice is its key. Of three, the key of an answer is also the answer's number.
STEPS: Mapping[int, Sequence[tuple[str, str]]] = {
    3: (("left", "Answer 1"), ("right", "Answer 2"), ("tie", "Tie")),
    5: (
        ("left_much", "Answer 1 by far"),
        ("left", "Answer 1"),
        ("tie", "Tie"),
        ("right", "Answer 2"),
        ("right_much", "Answer 2 by far"),
    ),
}
CHOSEN = dict(STEPS[5])
FOUND = {"yes": "Yes", "no": "No"}
BETTER = "Which is better?"

P = TypeVar("P")


@dataclass(frozen=True)
class Mark:
    """Whether a disambiguation can be answered from a text, and the words that do it."""

    found: str = ""
    words: str = ""


@dataclass(frozen=True)
class CriterionChoice:
    """What was chosen by one criterion."""

    better: str = ""


@dataclass(frozen=True)
class JudgingResponse:
    """What a judge says of one answer (`left`) or of two. Sides are as they were shown."""

    left: tuple[Mark, ...] = ()
    right: tuple[Mark, ...] = ()
    choices: tuple[CriterionChoice, ...] = ()
    why: str = ""
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()


class Criterion(NamedTuple):
    """A criterion with its words on the form."""

    label: str
    wording: str = ""


@dataclass(frozen=True)
class JudgingContext:
    """What a judge is shown.

    texts: one or two, as they are shown; disambiguations: those that are asked about each text;
    criteria: none for one text alone.
    """

    prompt: str
    texts: tuple[str, ...]
    disambiguations: tuple[Disambiguation, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    steps: int = 3
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def names(self) -> Sequence[str]:
        """How the texts are called."""
        return ("Answer 1", "Answer 2") if len(self.texts) > 1 else ("The answer",)

    @staticmethod
    def ask_about(name: str) -> str:
        """Return the question that is asked about each disambiguation under a text."""
        return f"Can these be answered correctly from {name.lower()} alone?"

    def list_marks(self, response: JudgingResponse) -> Iterator[tuple[str, str, str, int, Mark]]:
        """Yield side, name and text, and each number with its mark, in the order of the page."""
        sides = zip(SIDES, self.names, self.texts, (response.left, response.right), strict=False)
        for side, name, text, marks in sides:
            for number, mark in enumerate(_fit(marks, len(self.disambiguations), Mark()), start=1):
                yield side, name, text, number, mark


class SingleChoice(Choice):
    """A choice of which a POST may hold one, or none yet: several are never taken for a tie."""

    def from_post(self, data: FormData, name: str, where: str) -> str:
        values = [value for value in data.getlist(name) if value != ""]
        if len(values) > 1:
            raise ResponseError(f"{where}: several choices were sent. Choose exactly one.")
        return self.read(values[0] if values else "", where)


def _marks(side: str, name: str) -> PartsField[Mark]:
    found = SingleChoice(("", *FOUND), "{value} is neither yes nor no.")
    return PartsField(
        Mark, side, name, MOST, {"found": found, "words": LineField(1_000, "the words")}
    )


_BETTER = SingleChoice(("", *CHOSEN), "{value} is not one of the choices.")
FORM = Form(
    JudgingResponse,
    {
        "left": _marks("left", "Answer 1, disambiguation"),
        "right": _marks("right", "Answer 2, disambiguation"),
        "choices": PartsField(CriterionChoice, "choice", "Criterion", MOST, {"better": _BETTER}),
        "why": PassageField(2_000, "The reason"),
        "feedback": PassageField(5_000, "The feedback"),
        "keeps": Keeps(),
    },
)


# --- rules ---------------------------------------------------------------------------------------


def _unanswered(response: JudgingResponse, given: JudgingContext) -> list[RuleFinding]:
    return [
        RuleFinding(
            f"{side}-{number}",
            "Choose yes or no.",
            f"{name}: choose yes or no for disambiguation {number}",
        )
        for side, name, _, number, mark in given.list_marks(response)
        if not mark.found
    ]


def _elsewhere(response: JudgingResponse, given: JudgingContext) -> list[RuleFinding]:
    return [
        RuleFinding(
            f"{side}-{number}-words",
            f"“{shorten_text(mark.words)}” is not in this text. Copy the words from it, or leave "
            "this empty.",
            f"{name}: the words for disambiguation {number} are not in the text",
            fix=Fix("Remove the words", f"{side}-{number}-words", ""),
        )
        for side, name, text, number, mark in given.list_marks(response)
        if _plain(mark.words) not in _plain(text)
    ]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _undecided(response: JudgingResponse, given: JudgingContext) -> list[RuleFinding]:
    chosen = _fit(response.choices, len(given.criteria), CriterionChoice())
    return [
        RuleFinding(
            f"choice-{number}",
            "Choose exactly one, or tie if neither is better.",
            f"{criterion.label}: choose one",
        )
        for number, (criterion, choice) in enumerate(
            zip(given.criteria, chosen, strict=True), start=1
        )
        if choice.better not in dict(STEPS[given.steps])
    ]


_PARTS = [*SIDES, "choice"]


def _place(finding: Finding) -> tuple[int, ...]:
    part, number, *_ = finding.field.split("-")
    return _PARTS.index(part), int(number)


def _chosen(given: JudgingContext) -> str:
    return "One choice by each criterion" if given.criteria else ""


def _where_asked(title: str) -> Callable[[JudgingContext], str]:
    """Return a title for where disambiguations are asked about; elsewhere there is none."""
    return lambda given: title if given.disambiguations else ""


_EACH, _WORDS = "Every disambiguation is answered", "Marked words are in the text"
RULES: Rules[JudgingResponse, JudgingContext] = Rules(
    (
        Check("unanswered", "error", _EACH, "", "S25", _unanswered, titled=_where_asked(_EACH)),
        Check("elsewhere", "error", _WORDS, "", "S25", _elsewhere, titled=_where_asked(_WORDS)),
        Check("undecided", "error", "", "", "S28", _undecided, titled=_chosen),
    ),
    place=_place,
    name=lambda finding: finding.summary.partition(":")[0],
)


# --- the sheet -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class MarkShown:
    """A disambiguation under one text."""

    field: str
    post: str
    disambiguation: Disambiguation
    mark: Mark
    label: str
    at: Sequence[Finding]
    words_at: Sequence[Finding]


@dataclass(frozen=True)
class SideShown:
    """One text, with what is asked about it."""

    key: str
    name: str
    text: str
    asked: str
    marks: Sequence[MarkShown]


@dataclass(frozen=True)
class ChoiceShown:
    """A criterion, with what can be chosen: value and words."""

    field: str
    post: str
    criterion: Criterion
    better: str
    options: Sequence[tuple[str, str]]
    at: Sequence[Finding]


class JudgingSheet(Sheet[JudgingResponse, JudgingContext]):
    """One answer, or two answers side by side."""

    page = "evaluation/judging/judging.html"
    ended = "evaluation/judging/judged.html"
    script = "evaluation/judging/judging.js"
    reads = False
    form = FORM
    rules = RULES
    blank = JudgingResponse()

    def adapt_response(self, response: JudgingResponse, given: JudgingContext) -> JudgingResponse:
        """Return the response with a mark for each disambiguation and a choice by each criterion,
        and no more.
        """
        asked = len(given.disambiguations)
        return replace(
            response,
            left=_fit(response.left, asked, Mark()),
            right=_fit(response.right, asked if len(given.texts) > 1 else 0, Mark()),
            choices=_fit(response.choices, len(given.criteria), CriterionChoice()),
        )

    def given_to_json(self, given: JudgingContext) -> dict[str, Any]:
        """Return the texts in the order of the sides, and what is asked about them."""
        return {
            "texts": list(given.texts),
            "disambiguations": [
                {"question": row.question, "answers": list(row.answers)}
                for row in given.disambiguations
            ],
            "criteria": [criterion._asdict() for criterion in given.criteria],
            "choices": list(dict(STEPS[given.steps])) if given.criteria else [],
        }

    def apply_press(
        self, response: JudgingResponse, press: str, given: JudgingContext, post: FormData
    ) -> JudgingResponse:
        """Empty the words of a field whose fix was pressed."""
        verb, _, field = press.rpartition(" ")
        changes: dict[str, Any] = {}
        for side, _, _, number, _ in given.list_marks(response):
            if (verb, field) == ("fix elsewhere", f"{side}-{number}-words"):
                marks = list(getattr(response, side))
                marks[number - 1] = replace(marks[number - 1], words="")
                changes[side] = tuple(marks)
        return replace(response, **changes)

    def list_filled_fields(self, response: JudgingResponse) -> list[str]:
        return [
            f"{side}-{number}-words"
            for side in SIDES
            for number, mark in enumerate(getattr(response, side), start=1)
            if mark.words
        ]

    def list_field_texts(self, response: JudgingResponse) -> Iterable[tuple[str, str]]:
        for name, marks in (("Answer 1", response.left), ("Answer 2", response.right)):
            for number, mark in enumerate(marks, start=1):
                yield f"{name}, disambiguation {number}", _said(mark)
        for number, choice in enumerate(response.choices, start=1):
            yield f"Better by criterion {number}", CHOSEN.get(choice.better, "")
        yield "Why", response.why
        yield "Feedback", response.feedback

    def list_labelled_texts(
        self, response: JudgingResponse, given: JudgingContext
    ) -> list[tuple[str, str]]:
        """Return the same in the words of the form, without what is empty."""
        rows = [
            (f"{name}: {given.disambiguations[number - 1].question}", _said(mark))
            for _, name, _, number, mark in given.list_marks(response)
        ]
        rows += [
            (criterion.label, CHOSEN.get(choice.better, ""))
            for criterion, choice in zip(given.criteria, response.choices, strict=False)
        ]
        rows += [("Why", response.why), ("Feedback", response.feedback)]
        return [(label, text) for label, text in rows if text]

    def summarise_response(self, response: JudgingResponse) -> str:
        done = sum(bool(mark.found) for mark in (*response.left, *response.right))
        done += sum(bool(choice.better) for choice in response.choices)
        return f"{done} chosen" if done else ""

    def field_anchor(self, field: str, response: JudgingResponse) -> str:
        """Return the field of the words, or the first choice of a row."""
        return field if field.endswith("-words") else f"{field}-first"

    def form_context(
        self,
        response: JudgingResponse,
        report: FindingsReport,
        given: JudgingContext,
        post: FormData,
    ) -> dict[str, Any]:
        response = self.adapt_response(response, given)
        sides = [
            SideShown(
                side,
                name,
                text,
                given.ask_about(name),
                [
                    MarkShown(
                        field=(at := f"{side}-{number}"),
                        post=f"{side}-{number - 1}",
                        disambiguation=given.disambiguations[number - 1],
                        mark=mark,
                        label=f"disambiguation {number} in {name.lower()}",
                        at=report.findings_at(at),
                        words_at=report.findings_at(f"{at}-words"),
                    )
                    for key, _, _, number, mark in given.list_marks(response)
                    if key == side
                ],
            )
            for side, name, text in zip(SIDES, given.names, given.texts, strict=False)
        ]
        choices = [
            ChoiceShown(
                field=f"choice-{number}",
                post=f"choice-{number - 1}",
                criterion=criterion,
                better=choice.better,
                options=STEPS[given.steps],
                at=report.findings_at(f"choice-{number}"),
            )
            for number, (criterion, choice) in enumerate(
                zip(given.criteria, response.choices, strict=True), start=1
            )
        ]
        marks = [mark for side in sides for mark in side.marks]
        return self.common_context(response, report) | {
            "response": response,
            "sides": sides,
            "choices": choices,
            "better": BETTER,
            "messages_of": [
                *((mark.field, mark.label, mark.at) for mark in marks),
                *((f"{mark.field}-words", mark.label, mark.words_at) for mark in marks),
                *((choice.field, choice.criterion.label, choice.at) for choice in choices),
            ],
        }


def _fit(parts: tuple[P, ...], count: int, blank: P) -> tuple[P, ...]:
    return (*parts[:count], *(blank,) * (count - len(parts)))


def _said(mark: Mark) -> str:
    words = f"“{mark.words}”" if mark.words else ""
    return ", ".join(filter(None, (FOUND.get(mark.found, ""), words)))
