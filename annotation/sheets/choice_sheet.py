"""A form that asks for a verdict, one of some options, and why: the commonest way to check.

A sheet of this kind names its options and its page; its rules, and how drafts are kept, shown and
compared, are the same for all of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from annotation.sheets.fields import Choice, Form, FormData, Keep, PassageField
from annotation.sheets.many import Keeps
from annotation.sheets.report import FindingsReport, rules_on
from annotation.sheets.rules import Check, HasSettings, RuleFinding, Setting
from annotation.sheets.sheet import Sheet

G = TypeVar("G", bound=HasSettings)


@dataclass(frozen=True)
class Option:
    """What can be chosen: its value, its words and what they mean.

    asks: what the reason has to say if this is chosen, "" where none is needed.
    """

    value: str
    label: str
    about: str = ""
    asks: str = ""


@dataclass(frozen=True)
class Chosen:
    """The value of an option, "" if none is chosen, and why."""

    verdict: str = ""
    why: str = ""
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()


class ChoiceSheet(Sheet[Chosen, G]):
    """A verdict, and why.

    options: what can be chosen; longest: how many characters the reason may have.
    """

    options: Sequence[Option]
    longest: ClassVar[int] = 2_000
    fields: ClassVar[Mapping[str, str]] = {"verdict": "your verdict", "why": "the reason"}
    blank = Chosen()

    def __init__(self, *, source: str, settings: tuple[Setting, ...] = ()) -> None:
        """Make the form and the rules. `source`: the requirement; `settings`: more of a project."""
        self.labels = {option.value: option.label for option in self.options}
        self.asks = {option.value: option.asks for option in self.options if option.asks}
        self.form = Form(
            Chosen,
            {
                "verdict": Choice(("", *self.labels), "{value} is not one of the verdicts."),
                "why": PassageField(self.longest, self.fields["why"].capitalize()),
                "feedback": PassageField(5_000, "The feedback"),
                "keeps": Keeps(),
            },
        )
        chosen: Check[Chosen, G] = Check(
            key="undecided",
            level="error",
            title="You chose a verdict",
            about="Nothing is chosen.",
            requirement=source,
            rule=self._undecided,
            settings=settings,
        )
        explained: Check[Chosen, G] = Check(
            key="no-reason",
            level="error",
            title="There is a reason where one is needed",
            about="No reason is given.",
            requirement=source,
            rule=self._no_reason,
        )
        self.rules = rules_on(self.fields, chosen, *([explained] if self.asks else []))

    def _undecided(self, response: Chosen, given: G) -> list[RuleFinding]:
        if response.verdict:
            return []
        return [RuleFinding("verdict", "Choose one of these.", "Choose a verdict")]

    def _no_reason(self, response: Chosen, given: G) -> list[RuleFinding]:
        if response.why or response.verdict not in self.asks:
            return []
        return [RuleFinding("why", self.asks[response.verdict], "Write the reason")]

    def given_to_json(self, given: G) -> dict[str, Any]:
        """Return the verdicts there are; a sheet adds what they are about."""
        return {"verdicts": list(self.labels)}

    def list_filled_fields(self, response: Chosen) -> list[str]:
        return ["why"] if response.why else []

    def list_field_texts(self, response: Chosen) -> Iterable[tuple[str, str]]:
        yield "Verdict", self.labels.get(response.verdict, "")
        yield self.fields["why"].removeprefix("the ").capitalize(), response.why
        yield "Feedback", response.feedback

    def summarise_response(self, response: Chosen) -> str:
        return self.labels.get(response.verdict, "")

    def form_context(
        self, response: Chosen, report: FindingsReport, given: G, post: FormData
    ) -> dict[str, Any]:
        return super().form_context(response, report, given, post) | {"options": self.options}
