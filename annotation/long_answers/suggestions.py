"""What suggestions become on the form of long answers: words of the text, and knowledge."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from annotation.long_answers.response import MAX_PIECES, MAX_TEXT, LongAnswerResponse, Piece
from annotation.suggestions.sheet import SuggestedPart, SuggestionTaking
from annotation.suggestions.values import Fate, OfferedSuggestion
from annotation.text.cleaning import ResponseError
from metrics.text import comparison_form

# Fewer are no sentence.
OWN_WORDS = 8
# This many words of a draft in a row are not in a text by chance.
_RUN = 5


class Drafts(SuggestionTaking[LongAnswerResponse]):
    """A draft is added to the text; a passage becomes a piece of knowledge.

    Part 0 is the text, the others are the pieces.
    """

    begin = "your first sentence"
    first = (
        "Write one sentence on your own first, so that the model does not decide what you write."
    )
    more = "Pages that you find yourself may say more."

    def has_begun(self, response: LongAnswerResponse) -> bool:
        return len(response.text.split()) >= OWN_WORDS

    def list_origins(self, response: LongAnswerResponse) -> Sequence[int | None]:
        return [response.suggestion, *(piece.suggestion for piece in response.knowledge)]

    def clear_origins(
        self, response: LongAnswerResponse, parts: Collection[int]
    ) -> LongAnswerResponse:
        pieces = (
            replace(piece, suggestion=None) if number in parts else piece
            for number, piece in enumerate(response.knowledge, start=1)
        )
        suggestion = None if 0 in parts else response.suggestion
        return replace(response, suggestion=suggestion, knowledge=tuple(pieces))

    def describe_part(self, response: LongAnswerResponse, number: int) -> SuggestedPart:
        if number == 0:
            return SuggestedPart("your text", "long-answer", "long-answer")
        return SuggestedPart(f"piece {number}", f"title-{number}", f"piece-{number}")

    def part_fate(
        self, response: LongAnswerResponse, number: int, offer: OfferedSuggestion
    ) -> Fate:
        if number:
            piece = response.knowledge[number - 1]
            same = (piece.content, piece.page) == (offer.content.text, offer.content.title)
            return "accepted" if same else "edited"
        draft, text = offer.content.text.split(), _in_line(response.text.split())
        if _in_line(draft) in text:
            return "accepted"
        runs = (draft[at : at + _RUN] for at in range(max(1, len(draft) - _RUN + 1)))
        return "edited" if any(_in_line(run) in text for run in runs) else ""

    def already_has(self, response: LongAnswerResponse, offer: OfferedSuggestion) -> bool:
        """Passages that a piece of the person's own is from."""
        passage = comparison_form(offer.content.text)
        return offer.content.kind == "passage" and any(
            comparison_form(piece.content) in passage
            for piece in response.knowledge
            if piece.content and piece.suggestion is None
        )

    def accept_offer(
        self, response: LongAnswerResponse, offer: OfferedSuggestion
    ) -> LongAnswerResponse:
        """Add a draft at the end of the text; make the first empty piece, or a new one."""
        if offer.content.kind == "long_answer":
            text = f"{response.text}\n\n{offer.content.text}".strip()
            if len(text) > MAX_TEXT:
                raise ResponseError(
                    f"The long answer would have {len(text):,} characters. The maximum is "
                    f"{MAX_TEXT:,}."
                )
            return replace(response, text=text, suggestion=offer.pk)
        pieces = [*response.knowledge]
        place = next((at for at, piece in enumerate(pieces) if piece.empty), len(pieces))
        if place == MAX_PIECES:
            raise ResponseError(f"There are {len(pieces)} pieces. The maximum is {MAX_PIECES}.")
        piece = Piece(offer.content.text, offer.content.title, suggestion=offer.pk)
        pieces[place : place + 1] = [piece]
        return replace(response, knowledge=tuple(pieces))

    def words_to_quote(
        self, response: LongAnswerResponse, offer: OfferedSuggestion
    ) -> Sequence[str]:
        """The whole passage."""
        return [offer.content.text] if offer.content.kind == "passage" else []

    def attach_quote(
        self, response: LongAnswerResponse, offer: OfferedSuggestion, quote: int, exact: str
    ) -> LongAnswerResponse:
        pieces = (
            replace(piece, quote=quote) if piece.suggestion == offer.pk else piece
            for piece in response.knowledge
        )
        return replace(response, knowledge=tuple(pieces))


def _in_line(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "
