"""What the validation form shows, as values: columns, rows, verdicts, and the sets to be accepted.

Nothing here names an annotator: a column is a number, in an order specific to the assignment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.sheets.rules import Finding
from metrics.edits import EditSpan
from validation.verdicts.values import KeptReason

WORDS: Mapping[bool | None, str] = {True: "correct", False: "incorrect", None: ""}
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class PageLink:
    """A page or a quote on it. `token` is the name of the quote here, empty for a page."""

    title: str
    url: str
    token: str = ""
    words: str = ""


@dataclass(frozen=True)
class AnnotatorColumn:
    """One annotator, or several who wrote the same: the verdict on them and what they did.

    `numbers` count from 1. `chosen`: the validator set the verdict, it is not derived. `kept` are
    the warnings they kept that are not about a single answer.
    """

    numbers: tuple[int, ...]
    none_reason: str
    verdict: str
    chosen: bool
    told: str
    pages: tuple[PageLink, ...]
    kept: tuple[KeptReason, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def number(self) -> int:
        return self.numbers[0]

    @property
    def field(self) -> str:
        return f"verdict-{self.number}"

    @property
    def label(self) -> str:
        return name_annotators(self.numbers)

    @property
    def key(self) -> str:
        return "+".join(map(str, self.numbers))


@dataclass(frozen=True)
class SaidShown:
    """One answer as its annotator wrote it, with the warnings they kept on it and their reasons."""

    forms: tuple[str, ...]
    question: str
    spans: tuple[EditSpan, ...]
    quotes: tuple[PageLink, ...]
    kept: tuple[KeptReason, ...] = ()


@dataclass(frozen=True)
class AnswerCell:
    """The answers of a column in a row, if any."""

    label: str
    answers: tuple[SaidShown, ...]


@dataclass(frozen=True)
class FormShown:
    """One accepted form of a row. `told` gives the original if the validator edited it."""

    index: int
    text: str
    origin: str
    told: str


@dataclass(frozen=True)
class PhrasingShown:
    """One question of a row. `index` counts from 0, ids from 1."""

    field: str
    index: int
    text: str
    origin: str
    kept: bool
    told: str
    own: str
    whose: str
    spans: tuple[EditSpan, ...]
    findings: tuple[Finding, ...]

    @property
    def edited(self) -> bool:
        return bool(self.own) and self.own != self.text


@dataclass(frozen=True)
class RowShown:
    """One answer on the form; `within`: key of the set that staff edit, "" for a validator."""

    key: str
    letter: str
    line: str
    name: str
    reason: str
    who: str
    excluded: bool
    why: str
    selected: bool
    first: bool
    last: bool
    can_separate: bool
    cells: tuple[AnswerCell, ...]
    forms: tuple[FormShown, ...]
    phrasings: tuple[PhrasingShown, ...]
    blank: PhrasingShown
    kept: int
    answer_findings: tuple[Finding, ...] = ()
    within: str = ""

    @property
    def field(self) -> str:
        return f"row-{self.key}-answer"

    @property
    def prefix(self) -> str:
        return f"row-{self.key}"


@dataclass(frozen=True)
class SetShown:
    """One set that would be accepted: its title, and (questions, forms) of each answer."""

    title: str
    pairs: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


@dataclass(frozen=True)
class ValidationFormContext:
    """The whole form."""

    columns: tuple[AnnotatorColumn, ...]
    rows: tuple[RowShown, ...]
    sets: tuple[SetShown, ...]
    pages: tuple[PageLink, ...]
    changed: bool
    outcome: str
    standing: int
    twice: str
    ask_questions: bool


def name_annotators(numbers: Sequence[int]) -> str:
    """Return "Annotator 1", "Annotators 1 and 2", "Annotators 1, 2 and 3"."""
    if len(numbers) == 1:
        return f"Annotator {numbers[0]}"
    listed = ", ".join(map(str, numbers[:-1]))
    return f"Annotators {listed} and {numbers[-1]}"


def spell_number(number: int) -> str:
    """Return a number below ten as a word, any other in digits."""
    return _SMALL[number] if number < len(_SMALL) else f"{number:,}"
