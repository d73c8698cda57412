"""What suggestions become on the form of Natural Questions: the long answer, which is a box."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from annotation.suggestions.sheet import SuggestedPart, SuggestionTaking
from annotation.suggestions.values import REASONS, Fate, OfferedSuggestion
from natural_questions.response import NO_BOX, PageAnswerResponse, are_nested


class Boxes(SuggestionTaking[PageAnswerResponse]):
    """A suggested box becomes the long answer, which is one: part 0 is the only part.

    The panel opens once the person has chosen a box, or said that no box answers: with that they
    have looked through the page for themselves, and no less is an answer to this step.
    """

    begin = "your first choice"
    first = (
        "Choose a box or “No box” on your own first, so that the model does not decide where you "
        "look."
    )
    check = "Read the box on the page before you choose it."
    same = "suggests no other box than yours."
    more = "Another box may still be the better answer."
    reasons = {key: REASONS[key] for key in ("wrong", "off")}

    def has_begun(self, response: PageAnswerResponse) -> bool:
        return bool(response.box)

    def list_origins(self, response: PageAnswerResponse) -> Sequence[int | None]:
        return [response.suggestion]

    def clear_origins(
        self, response: PageAnswerResponse, parts: Collection[int]
    ) -> PageAnswerResponse:
        return replace(response, suggestion=None) if parts else response

    def describe_part(self, response: PageAnswerResponse, number: int) -> SuggestedPart:
        return SuggestedPart("your long answer", "box", "box")

    def part_fate(
        self, response: PageAnswerResponse, number: int, offer: OfferedSuggestion
    ) -> Fate:
        """A box around the suggested one, or in it, is that one edited."""
        if response.box == offer.content.box:
            return "accepted"
        chosen = response.box not in ("", NO_BOX)
        return "edited" if chosen and are_nested(response.box, offer.content.box) else ""

    def already_has(self, response: PageAnswerResponse, offer: OfferedSuggestion) -> bool:
        return response.suggestion is None and response.box == offer.content.box

    def accept_offer(
        self, response: PageAnswerResponse, offer: OfferedSuggestion
    ) -> PageAnswerResponse:
        return replace(response, box=offer.content.box, suggestion=offer.pk)

    def accept_label(self, offer: OfferedSuggestion) -> str:
        return "Choose this"

    def no_effect_reason(self, response: PageAnswerResponse, offer: OfferedSuggestion) -> str:
        return "This box is your long answer already."
