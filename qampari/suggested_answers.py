"""What suggestions become on the form of the extended set: answers with the page they are from."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from annotation.suggestions.sheet import SuggestedPart, SuggestionTaking
from annotation.suggestions.values import Fate, OfferedSuggestion, SuggestionOffers
from annotation.text.cleaning import ResponseError
from metrics.text import answer_key
from qampari.added_answers import MOST, AddedAnswer, ExtendResponse


class MoreAnswers(SuggestionTaking[ExtendResponse]):
    """A suggested answer becomes the newest one, with the title of its passage as its page."""

    begin = "your first answer"
    first = (
        "Find one answer on your own first, so that the model does not decide where you look. "
        "The clock goes on."
    )
    check = "Read the passage before you accept."

    def has_begun(self, response: ExtendResponse) -> bool:
        return any(row.suggestion is None for row in response.added)

    def list_origins(self, response: ExtendResponse) -> Sequence[int | None]:
        return [row.suggestion for row in response.added]

    def clear_origins(self, response: ExtendResponse, parts: Collection[int]) -> ExtendResponse:
        rows = (
            replace(row, suggestion=None) if number in parts else row
            for number, row in enumerate(response.added)
        )
        return replace(response, added=tuple(rows))

    def describe_part(self, response: ExtendResponse, number: int) -> SuggestedPart:
        """Return the number that the list shows, which counts from the oldest answer on."""
        pk = response.added[number].suggestion
        name = f"answer {len(response.added) - number}"
        return SuggestedPart(name, f"suggested-{pk}", f"suggested-text-{pk}")

    def part_fate(self, response: ExtendResponse, number: int, offer: OfferedSuggestion) -> Fate:
        row = response.added[number]
        same = (row.text, row.page) == (offer.content.answers[0], offer.content.title)
        return "accepted" if same else "edited"

    def already_has(self, response: ExtendResponse, offer: OfferedSuggestion) -> bool:
        own = {answer_key(row.text) for row in response.added if row.suggestion is None}
        return any(answer_key(form) in own for form in offer.content.answers)

    def accept_offer(self, response: ExtendResponse, offer: OfferedSuggestion) -> ExtendResponse:
        text = offer.content.answers[0]
        if answer_key(text) in {answer_key(row.text) for row in response.added}:
            raise ResponseError(f"“{text}” is one of your answers already.")
        if len(response.added) >= MOST:
            raise ResponseError(f"There are {MOST} answers, which is the maximum.")
        row = AddedAnswer(text, offer.content.title, offer.pk)
        return replace(response, added=(row, *response.added))


def drop_known_offers(
    offered: SuggestionOffers | None, known: Collection[str]
) -> SuggestionOffers | None:
    """Return the suggestions without answers that are known, by the keys of all their forms.

    One that the person has seen stays, whatever became known since.
    """
    if offered is None:
        return None

    def _new() -> Iterator[OfferedSuggestion]:
        for offer in offered.rows():
            forms = map(answer_key, offer.content.answers)
            if offer.shown or not any(form in known for form in forms):
                yield offer

    return replace(offered, rows=lambda: tuple(_new()))
