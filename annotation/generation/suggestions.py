"""What suggestions become on the form of generation: pairs, and evidence for answers."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from annotation.generation.responses import MAX_PAIRS, GenerationResponse, WrittenPair
from annotation.sheets.answers import AnswerForm, with_quotes
from annotation.suggestions.sheet import SuggestedPart, SuggestionTaking
from annotation.suggestions.values import Fate, OfferedSuggestion
from annotation.text.cleaning import ResponseError
from metrics.text import comparison_form

_MOST_QUOTES = 10


class Pairs(SuggestionTaking[GenerationResponse]):
    """A suggested pair becomes a pair; a passage becomes evidence for answers that it has."""

    begin = "your first pair"
    first = "Write one pair on your own first, so that the model does not decide where you look."

    def has_begun(self, response: GenerationResponse) -> bool:
        return response.kind == "multiple" and any(map(_is_own, response.pairs))

    def list_origins(self, response: GenerationResponse) -> Sequence[int | None]:
        return [pair.suggestion for pair in response.pairs]

    def clear_origins(
        self, response: GenerationResponse, parts: Collection[int]
    ) -> GenerationResponse:
        pairs = (
            replace(pair, suggestion=None) if number in parts else pair
            for number, pair in enumerate(response.pairs)
        )
        return replace(response, pairs=tuple(pairs))

    def describe_part(self, response: GenerationResponse, number: int) -> SuggestedPart:
        return SuggestedPart(f"pair {number + 1}", f"pair-{number + 1}", f"question-{number + 1}")

    def part_fate(
        self, response: GenerationResponse, number: int, offer: OfferedSuggestion
    ) -> Fate:
        """A suggestion without a question leaves that to the person."""
        pair = response.pairs[number]
        same_question = offer.content.question in ("", pair.question)
        same_answers = {form.text for form in pair.answers} == {*offer.content.answers}
        return "accepted" if same_question and same_answers else "edited"

    def already_has(self, response: GenerationResponse, offer: OfferedSuggestion) -> bool:
        if not offer.content.answers:
            return False
        answers = {comparison_form(text) for text in offer.content.answers}
        return any(
            answers <= {comparison_form(form.text) for form in pair.answers}
            for pair in response.pairs
            if _is_own(pair)
        )

    def accept_offer(
        self, response: GenerationResponse, offer: OfferedSuggestion
    ) -> GenerationResponse:
        """Make a pair of it: the first empty one, or a new one at the end."""
        if not self.remembers_offer(offer):
            return response
        pairs = list(response.pairs)
        place = pairs.index(WrittenPair()) if WrittenPair() in pairs else len(pairs)
        if place == MAX_PAIRS:
            raise ResponseError(f"There are {len(pairs)} pairs. The maximum is {MAX_PAIRS}.")
        forms = tuple(AnswerForm(text) for text in offer.content.answers)
        pairs[place : place + 1] = [WrittenPair(offer.content.question, forms, offer.pk)]
        return replace(response, pairs=tuple(pairs), kind="multiple")

    def remembers_offer(self, offer: OfferedSuggestion) -> bool:
        return offer.content.kind != "passage"

    def words_to_quote(
        self, response: GenerationResponse, offer: OfferedSuggestion
    ) -> Sequence[str]:
        """The answers that the passage has; for a pair without any of them, the whole passage."""
        text = offer.content.text
        if self.remembers_offer(offer):
            return [next((words for words in offer.content.answers if words in text), text)]
        forms = dict.fromkeys(form.text for pair in response.pairs for form in pair.answers)
        return [form for form in forms if form in text][:_MOST_QUOTES]

    def attach_quote(
        self, response: GenerationResponse, offer: OfferedSuggestion, quote: int, exact: str
    ) -> GenerationResponse:
        """Give the quote to the forms that it has; to all of a pair where it has none of them."""
        pairs = []
        for pair in response.pairs:
            forms: Sequence[AnswerForm] = []
            if not self.remembers_offer(offer):
                forms = [form for form in pair.answers if form.text == exact]
            elif pair.suggestion == offer.pk:
                forms = [form for form in pair.answers if form.text in exact] or pair.answers
            answers = (
                with_quotes(form, (*form.quotes, quote)) if form in forms else form
                for form in pair.answers
            )
            pairs.append(replace(pair, answers=tuple(answers)))
        return replace(response, pairs=tuple(pairs))

    def no_effect_reason(self, response: GenerationResponse, offer: OfferedSuggestion) -> str:
        if self.words_to_quote(response, offer):
            return (
                "Open the page of this passage first: only words of a page that you have opened "
                "can be evidence."
            )
        return "This passage has none of your answers. Write the answer as the passage has it."


def _is_own(pair: WrittenPair) -> bool:
    """Whether the person wrote the pair on their own, question and answer."""
    return bool(pair.question and pair.answers) and pair.suggestion is None
