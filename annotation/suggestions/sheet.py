"""Suggestions of a model on a form: when they are shown, what each press does, and their fates.

One mechanism for every form. What is particular to a form is its `SuggestionTaking`: what a person
has to write first, and what an accepted suggestion becomes there. `annotation.suggestions.stage`
does what needs rows.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar

from annotation.suggestions.values import (
    REASONS,
    Fate,
    OfferedSuggestion,
    Progress,
    SuggestionOffers,
)
from metrics.edits import EditSpan, list_diff_spans

R = TypeVar("R")
State = Literal["open", "used", "dismissed"]
ACCEPT, EDIT = "accept-suggestion", "edit-suggestion"
DISMISS, PUT_BACK = "dismiss-suggestion", "put-back-suggestion"
# Presses that make something of a suggestion, and those that only decide.
TAKES, DECIDES = (ACCEPT, EDIT), (DISMISS, PUT_BACK)
MOST_PASSAGES = 5  # more than that nobody reads


@dataclass(frozen=True)
class SuggestedPart:
    """A part of a response that began as a suggestion: its name, its place, its field to edit."""

    name: str
    anchor: str
    field: str


class SuggestionTaking(ABC, Generic[R]):
    """What suggestions become in the responses of one form.

    begin: what opens the panel; first: why that comes first; check: what to do before accepting;
    same, more: what the panel says where nothing is new, and besides "none"; reasons: why people
    can dismiss one. A response has parts, numbered from 0, that can remember which suggestion they
    began as.
    """

    begin: ClassVar[str]
    first: ClassVar[str]
    check: ClassVar[str] = (
        "Open the passage before you accept: words of an opened page are added as evidence."
    )
    same: ClassVar[str] = "suggests nothing that you have not written."
    more: ClassVar[str] = "There may still be more answers."
    reasons: ClassVar[Mapping[str, str]] = REASONS

    @abstractmethod
    def has_begun(self, response: R) -> bool:
        """Whether the person has written enough on their own to be shown suggestions."""

    @abstractmethod
    def list_origins(self, response: R) -> Sequence[int | None]:
        """Return for each part the id of the suggestion it began as."""

    @abstractmethod
    def clear_origins(self, response: R, parts: Collection[int]) -> R:
        """Return the response in which these parts began as no suggestion."""

    @abstractmethod
    def describe_part(self, response: R, number: int) -> SuggestedPart:
        """Return how a part is called, and where it is."""

    @abstractmethod
    def part_fate(self, response: R, number: int, offer: OfferedSuggestion) -> Fate:
        """Whether a part is still what the model wrote; "" where nothing of it is left."""

    @abstractmethod
    def already_has(self, response: R, offer: OfferedSuggestion) -> bool:
        """Whether the person already has what is suggested, so that it is not shown."""

    @abstractmethod
    def accept_offer(self, response: R, offer: OfferedSuggestion) -> R:
        """Return the response after the suggestion was accepted.

        Raises ResponseError with a sentence if there is no room for it.
        """

    def accept_label(self, offer: OfferedSuggestion) -> str:
        """Return what the button says that accepts it."""
        return {"passage": "Use as evidence", "long_answer": "Add to my text"}.get(
            offer.content.kind, "Accept"
        )

    def remembers_offer(self, offer: OfferedSuggestion) -> bool:
        """Whether what it becomes remembers it; if not, its fate is what the person pressed."""
        return True

    def words_to_quote(self, response: R, offer: OfferedSuggestion) -> Sequence[str]:
        """Return the words of its passage to quote once it is taken."""
        return ()

    def attach_quote(self, response: R, offer: OfferedSuggestion, quote: int, exact: str) -> R:
        """Return the response with a quote of these words of its passage."""
        return response

    def no_effect_reason(self, response: R, offer: OfferedSuggestion) -> str:
        """Return why taking it changed nothing."""
        return "This suggestion is in your answer already."


# --- what is used, and what is shown -------------------------------------------------------------


def is_panel_open(
    taking: SuggestionTaking[R], response: R, offers: Sequence[OfferedSuggestion]
) -> bool:
    """Whether suggestions are shown: the person began on their own, or saw them before."""
    return taking.has_begun(response) or any(offer.shown for offer in offers)


def used_in(
    taking: SuggestionTaking[R], response: R, offers: Sequence[OfferedSuggestion]
) -> dict[int, int]:
    """Return the number of the part that began as each suggestion, by the suggestion's id."""
    known = {offer.pk: offer for offer in offers}
    parts: dict[int, int] = {}
    for number, pk in enumerate(taking.list_origins(response)):
        if pk in known and pk not in parts and taking.part_fate(response, number, known[pk]):
            parts[pk] = number
    return parts


def list_used_fates(
    taking: SuggestionTaking[R], response: R, offers: Sequence[OfferedSuggestion]
) -> dict[int, Fate]:
    """Return the fate of each suggestion that is in use: accepted or edited."""
    parts = used_in(taking, response, offers)
    pressed: dict[int, Fate] = {
        offer.pk: offer.fate
        for offer in offers
        if offer.fate == "accepted" and not taking.remembers_offer(offer)
    }
    return pressed | {
        offer.pk: taking.part_fate(response, parts[offer.pk], offer)
        for offer in offers
        if offer.pk in parts
    }


def list_shown_offers(
    taking: SuggestionTaking[R], response: R, offers: Sequence[OfferedSuggestion]
) -> list[OfferedSuggestion]:
    """Return the suggestions that the panel shows now: those that say something new."""
    if not is_panel_open(taking, response, offers):
        return []
    parts = used_in(taking, response, offers)
    shown, passages = [], 0
    for offer in offers:
        is_passage = offer.content.kind == "passage"
        idle = taking.already_has(response, offer) or (is_passage and passages >= MOST_PASSAGES)
        if idle and offer.pk not in parts and not offer.shown:
            continue
        passages += is_passage
        shown.append(offer)
    return shown


def keep_only_offered(
    taking: SuggestionTaking[R], response: R, offered: SuggestionOffers | None
) -> R:
    """Return the response with only suggestions that are on offer here, each in one part."""
    origins = taking.list_origins(response)
    if all(pk is None for pk in origins):
        return response
    parts = used_in(taking, response, offered.rows() if offered else ())
    claimed = [n for n, pk in enumerate(origins) if pk is not None and parts.get(pk) != n]
    return taking.clear_origins(response, claimed) if claimed else response


# --- presses -------------------------------------------------------------------------------------


def suggestion_in(press: str) -> int | None:
    """Return the id of the suggestion that a press is about, None for other presses."""
    verb, _, rest = press.partition(" ")
    number = rest.partition(" ")[0]
    usable = number.isascii() and number.isdigit() and len(number) < 19
    return int(number) if verb in (*TAKES, *DECIDES) and usable else None


def made_of(taking: SuggestionTaking[R], response: R, press: str) -> int | None:
    """Return the number of the part that a press made of a suggestion, None if it made none."""
    pk = suggestion_in(press) if press.partition(" ")[0] in TAKES else None
    origins = taking.list_origins(response)
    return origins.index(pk) if pk is not None and pk in origins else None


def suggestion_anchor(taking: SuggestionTaking[R], response: R, press: str) -> str:
    """Return the id of the element to scroll to after a press on a suggestion, "" for others."""
    pk = suggestion_in(press)
    if pk is None:
        return ""
    made = made_of(taking, response, press)
    if made is None:
        return f"suggestion-{pk}"
    part = taking.describe_part(response, made)
    return part.field if press.startswith(EDIT) else part.anchor


# --- the panel -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class SuggestionLine:
    """One suggestion of the panel; `part` is the part that began as it, if there is one.

    take: what the button says that accepts it; edits: whether it can be edited first.
    """

    offer: OfferedSuggestion
    state: State
    part: SuggestedPart | None = None
    spans: tuple[EditSpan, ...] = ()
    take: str = "Accept"
    edits: bool = True

    @property
    def number(self) -> int:
        return self.offer.number

    @property
    def said(self) -> str:
        """What it says, in one line."""
        content = self.offer.content
        if content.kind in ("pair", "answer"):
            return f"{content.question} {', '.join(content.answers)}".strip()
        return content.text

    @property
    def used(self) -> str:
        """What it was used for: "Used in pair 2"."""
        return f"Used in {self.part.name}" if self.part else "Used as evidence"

    @property
    def why(self) -> str:
        """Why it was dismissed, if they said so: "wrong answer"."""
        reason = REASONS.get(self.offer.reason, "")
        return reason[:1].lower() + reason[1:]


@dataclass(frozen=True)
class SuggestionPanel:
    """Everything the panel shows; `locked` until the person has begun on their own."""

    system: str
    taking: SuggestionTaking[Any]
    locked: bool
    lines: tuple[SuggestionLine, ...] = ()
    hidden: int = 0  # how many only repeat what the person wrote
    progress: Progress = ""

    @property
    def counts(self) -> str:
        """The suggestions in a few words: "3 from Reader 8B: 1 used, 2 to look at"."""
        states = [line.state for line in self.lines]
        words = (("used", "used"), ("open", "to look at"), ("dismissed", "dismissed"))
        parts = [f"{states.count(state)} {word}" for state, word in words if state in states]
        return f"{len(states)} from {self.system}: {', '.join(parts)}"


@dataclass(frozen=True)
class Origin:
    """The suggestion that a part began as, for the part itself; `key` makes its ids unique."""

    key: str
    system: str
    said: str
    edited: bool


def build_panel(
    taking: SuggestionTaking[R], prompt: str, response: R, offered: SuggestionOffers
) -> SuggestionPanel:
    """Return the panel for a response."""
    offers = offered.rows()
    if not is_panel_open(taking, response, offers):
        return SuggestionPanel(offered.system, taking, locked=True)
    parts = used_in(taking, response, offers)
    shown = list_shown_offers(taking, response, offers)
    lines = tuple(_lines(taking, prompt, response, shown, parts))
    progress = "" if offers else offered.progress()
    return SuggestionPanel(offered.system, taking, False, lines, len(offers) - len(shown), progress)


def _lines(
    taking: SuggestionTaking[R],
    prompt: str,
    response: R,
    shown: Sequence[OfferedSuggestion],
    parts: Mapping[int, int],
) -> Iterable[SuggestionLine]:
    for offer in shown:
        part = taking.describe_part(response, parts[offer.pk]) if offer.pk in parts else None
        state: State = "dismissed" if offer.fate == "dismissed" else "open"
        if part or (offer.fate == "accepted" and not taking.remembers_offer(offer)):
            state = "used"
        question = offer.content.question
        spans = tuple(list_diff_spans(prompt, question)) if question else ()
        edits = taking.remembers_offer(offer) and offer.content.kind != "long_answer"
        yield SuggestionLine(offer, state, part, spans, taking.accept_label(offer), edits)


def origins_shown(
    taking: SuggestionTaking[R], response: R, offered: SuggestionOffers | None
) -> dict[int, Origin]:
    """Return where the parts of a response began, by their numbers."""
    if offered is None or all(pk is None for pk in taking.list_origins(response)):
        return {}
    offers = {offer.pk: offer for offer in offered.rows()}
    return {
        number: Origin(
            key=taking.describe_part(response, number).anchor.rpartition("-")[2],
            system=offers[pk].system,
            said=SuggestionLine(offers[pk], "used").said,
            edited=taking.part_fate(response, number, offers[pk]) == "edited",
        )
        for pk, number in used_in(taking, response, [*offers.values()]).items()
    }
