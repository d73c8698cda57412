"""Verdicts of a model on the form on which an answer is checked."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from annotation.sheets.choice_sheet import Chosen
from annotation.suggestions.sheet import SuggestedPart, SuggestionTaking
from annotation.suggestions.values import Fate, OfferedSuggestion, SuggestionOffers
from annotation.text.cleaning import ResponseError
from qampari.verdicts import VERDICTS


class Verdicts(SuggestionTaking[Chosen]):
    """A verdict that is accepted becomes the chosen one. No part of the form remembers it: whether
    it is in use is what the form says.
    """

    begin = "your first verdict"
    first = (
        "Choose a verdict on your own first, so that the model does not decide what you see in the "
        "evidence. You can change it afterwards; your first one is kept, too."
    )
    check = "Look whether the sentence shows what it says."
    more = "Your own verdict stands."

    def has_begun(self, response: Chosen) -> bool:
        return bool(response.verdict)

    def list_origins(self, response: Chosen) -> Sequence[int | None]:
        return ()

    def clear_origins(self, response: Chosen, parts: Collection[int]) -> Chosen:
        return response

    def describe_part(self, response: Chosen, number: int) -> SuggestedPart:
        return SuggestedPart("your verdict", "verdict", "verdict-first")

    def part_fate(self, response: Chosen, number: int, offer: OfferedSuggestion) -> Fate:
        return ""

    def already_has(self, response: Chosen, offer: OfferedSuggestion) -> bool:
        return False

    def accept_offer(self, response: Chosen, offer: OfferedSuggestion) -> Chosen:
        if response.verdict == offer.content.verdict:
            raise ResponseError("That is your verdict already.")
        return replace(response, verdict=offer.content.verdict)

    def accept_label(self, offer: OfferedSuggestion) -> str:
        return f"Change to “{VERDICTS[offer.content.verdict]}”"

    def remembers_offer(self, offer: OfferedSuggestion) -> bool:
        return False


def keep_offer_on(
    offered: SuggestionOffers | None, text: str, number: int, is_ready: Callable[[], bool]
) -> SuggestionOffers | None:
    """Return the suggestions with the verdict on the answer that is shown, by its text.

    number: what it is called on the page and in the API. The id of its row would tell what was
    stored after the others, as for a gold item that was drawn later. is_ready: whether the system
    has one on everything that people can be shown; what they have seen before stays.
    """
    if offered is None:
        return None

    def _own() -> tuple[OfferedSuggestion, ...]:
        own = [
            replace(offer, number=1, pk=number, stored=offer.pk)
            for offer in offered.rows()
            if offer.content.answers[:1] == (text,) and offer.content.verdict in VERDICTS
        ]
        seen = [offer for offer in own if offer.shown]
        return tuple((seen or own)[-1:]) if seen or (own and is_ready()) else ()

    return replace(offered, rows=_own)
