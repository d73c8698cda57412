"""Rules as data: a check looks at a response and gives findings; errors stop, warnings ask."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Literal, Protocol, TypeVar

from annotation.sheets.fields import Keep

Level = Literal["error", "warning"]
SettingType = Literal["bool", "int"]


class HasKeeps(Protocol):
    """A response of any stage, with its kept warnings."""

    @property
    def keeps(self) -> tuple[Keep, ...]: ...


class HasSettings(Protocol):
    """The context of the rules of any stage, with the project's settings."""

    @property
    def settings(self) -> Mapping[str, object]: ...


R = TypeVar("R", bound=HasKeeps)
C = TypeVar("C", bound=HasSettings)


@dataclass(frozen=True)
class Fix:
    """A fix that one press applies: put ``value`` into ``field``.

    For an answer, ``replaces`` is the form that ``value`` replaces; a value of several
    lines is several forms. For the field ``kind`` the value is the kind to choose.
    """

    label: str
    field: str
    value: str
    replaces: str = ""


@dataclass(frozen=True)
class KeepWords:
    """What the page says where a warning can be kept with a reason.

    button: what opens the field; asks: its label; save: what keeps the reason; kept: what stands
    before it from then on.
    """

    button: str = "Keep, because…"
    asks: str = "Why is it right as it is?"
    save: str = "Keep it"
    kept: str = "Kept"


@dataclass(frozen=True)
class Finding:
    """One rule's finding at one field.

    ``sentence`` is shown next to the field, ``summary`` in the list of problems. ``pair`` counts
    from 0, field ids (``question-1``) from 1. ``kept_because`` is filled in for a kept warning.
    """

    rule: str
    level: Level
    field: str
    pair: int | None
    sentence: str
    summary: str
    fix: Fix | None = None
    kept_because: str = ""
    keep: KeepWords = KeepWords()


@dataclass(frozen=True)
class Setting:
    """A number or switch that a project can set."""

    key: str
    label: str
    type: SettingType
    default: int
    minimum: int
    maximum: int
    help: str


@dataclass(frozen=True)
class RuleFinding:
    """A finding as a rule gives it; the registry adds the rule's name and level."""

    field: str
    sentence: str
    summary: str
    pair: int | None = None
    fix: Fix | None = None


@dataclass(frozen=True)
class Check(Generic[R, C]):
    """One rule on a response of type R, knowing C: an error stops, a warning asks.

    ``title`` is its line in the checklist when all is well, ``about`` when it fires, and
    ``detail`` a few words of progress next to the title. ``titled`` returns the title if it depends
    on a setting; an empty one leaves the line out. `keep`: the words of a warning whose reason is
    an answer of its own; it has a line of its own, too. `in_exams`: whether the rule applies where
    time and pages read are unknown. `kinds`: the kinds of response it is about, for those that have
    one; empty means all.
    """

    key: str
    level: Level
    title: str
    about: str
    requirement: str
    rule: Callable[[R, C], list[RuleFinding]]
    kinds: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    detail: Callable[[R, C], str] = lambda response, context: ""
    titled: Callable[[C], str] | None = None
    in_exams: bool = True
    keep: KeepWords | None = None

    @property
    def has_line(self) -> bool:
        """Whether the checklist has a line for it; other warnings share one."""
        return self.level == "error" or self.keep is not None

    @cached_property
    def switch(self) -> Setting | None:
        """The setting that switches a warning off for a project; None for an error."""
        if self.level == "error":
            return None
        return Setting(
            key=f"ask_{self.key.replace('-', '_')}",
            label=self.title,
            type="bool",
            default=1,
            minimum=0,
            maximum=1,
            help=self.about,
        )

    def applies_to(self, response: R) -> bool:
        """Whether the rule is about responses of this kind."""
        kind: Any = getattr(response, "kind", None)
        return kind is None or not self.kinds or kind in self.kinds

    def __call__(self, response: R, context: C) -> list[Finding]:
        """Return the findings of the rule; none if it does not apply or is switched off."""
        if not self.applies_to(response):
            return []
        if self.switch and not get_setting(context, self.switch):
            return []
        return [
            Finding(
                rule=self.key,
                level=self.level,
                field=finding.field,
                pair=finding.pair,
                sentence=finding.sentence,
                summary=finding.summary,
                fix=finding.fix,
                keep=self.keep or KeepWords(),
            )
            for finding in self.rule(response, context)
        ]


def get_setting(context: HasSettings, wanted: Setting) -> int:
    """Return the project's value, or the default if it has no valid one."""
    value = context.settings.get(wanted.key, wanted.default)
    usable = isinstance(value, int) and wanted.minimum <= value <= wanted.maximum
    return int(value) if isinstance(value, int) and usable else wanted.default


def shorten_text(text: str, most: int = 60) -> str:
    """Return the text cut short enough for use in a sentence."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def format_pair_numbers(places: Iterable[int]) -> str:
    """Return pairs by their numbers: "1 and 3", "1, 2 and 4". Places count from 0."""
    numbers = [str(place + 1) for place in places]
    return " and ".join([*([", ".join(numbers[:-1])] if numbers[1:] else []), numbers[-1]])


def format_count(number: int, one: str, many: str = "") -> str:
    """Return "1 pair", "2 pairs"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
