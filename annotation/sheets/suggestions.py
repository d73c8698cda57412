"""The panel of suggestions on the answer form: what it shows, and when it opens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from annotation.responses import Response
from annotation.suggesting import REASONS, Fate, Offer, Offered, fate_of, is_own
from metrics.edits import Span, diff
from metrics.text import comparison_form

State = Literal["open", "used", "dismissed"]


@dataclass(frozen=True)
class Line:
    """One suggestion of the panel; `pair` is the number of the pair that began as it."""

    offer: Offer
    state: State
    pair: int = 0
    spans: tuple[Span, ...] = ()

    @property
    def number(self) -> int:
        return self.offer.number

    @property
    def why(self) -> str:
        """Why it was dismissed, if they said so: "wrong answer"."""
        reason = REASONS.get(self.offer.reason, "")
        return reason[:1].lower() + reason[1:]


@dataclass(frozen=True)
class Panel:
    """Everything the panel shows; `locked` until the first pair of one's own."""

    system: str
    locked: bool
    lines: tuple[Line, ...] = ()
    hidden: int = 0  # how many only repeat what the person wrote
    reasons: Mapping[str, str] = field(default_factory=lambda: REASONS)

    @property
    def counts(self) -> str:
        """The suggestions in a few words: "3 from Reader 8B: 1 used, 2 to look at"."""
        states = [line.state for line in self.lines]
        words = (("used", "used"), ("open", "to look at"), ("dismissed", "dismissed"))
        parts = [f"{states.count(state)} {word}" for state, word in words if state in states]
        return f"{len(states)} from {self.system}: {', '.join(parts)}"


def opened(response: Response, offers: Sequence[Offer]) -> bool:
    """Whether the suggestions are shown: the person has a pair of their own, or saw them before."""
    own = response.kind == "multiple" and any(map(is_own, response.pairs))
    return own or any(offer.shown for offer in offers)


def used_in(response: Response, offers: Sequence[Offer]) -> dict[int, int]:
    """Return the place of the pair that began as each suggestion, by the suggestion's id."""
    known = {offer.pk for offer in offers}
    places: dict[int, int] = {}
    for place, pair in enumerate(response.pairs):
        if pair.suggestion is not None and pair.suggestion in known:
            places.setdefault(pair.suggestion, place)
    return places


def fates(response: Response, offers: Sequence[Offer]) -> dict[int, Fate]:
    """Return the fate of each suggestion that is in a pair: accepted or edited."""
    places = used_in(response, offers)
    return {
        offer.pk: fate_of(offer, response.pairs[places[offer.pk]])
        for offer in offers
        if offer.pk in places
    }


def seen(response: Response, offers: Sequence[Offer]) -> list[Offer]:
    """Return the suggestions that the panel shows now."""
    if not opened(response, offers):
        return []
    places = used_in(response, offers)
    own = [
        {comparison_form(form.text) for form in pair.answers}
        for pair in response.pairs
        if is_own(pair)
    ]

    def repeats(offer: Offer) -> bool:
        answers = {comparison_form(text) for text in offer.content.answers}
        return any(answers <= forms for forms in own)

    return [offer for offer in offers if offer.pk in places or offer.shown or not repeats(offer)]


def panel(prompt: str, response: Response, offered: Offered) -> Panel:
    """Return the panel for a response."""
    offers = offered.rows()
    if not opened(response, offers):
        return Panel(offered.system, locked=True)
    places = used_in(response, offers)
    shown = seen(response, offers)
    lines = []
    for offer in shown:
        question = offer.content.question
        spans = tuple(diff(prompt, question)) if question else ()
        if offer.pk in places:
            lines.append(Line(offer, "used", places[offer.pk] + 1, spans))
        else:
            state: State = "dismissed" if offer.fate == "dismissed" else "open"
            lines.append(Line(offer, state, 0, spans))
    return Panel(offered.system, False, tuple(lines), len(offers) - len(shown))
