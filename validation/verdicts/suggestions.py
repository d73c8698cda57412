"""What suggestions become on the form of validation: answers that the annotators missed."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from annotation.suggestions.sheet import SuggestedPart, SuggestionTaking
from annotation.suggestions.values import Fate, OfferedSuggestion
from annotation.text.cleaning import ResponseError
from metrics.text import answer_key
from validation.verdicts.presses import MAX_ROWS, changed_to
from validation.verdicts.responses import (
    AnswerRow,
    Form,
    Phrasing,
    ValidationResponse,
    free_key,
    row_letter,
)


class Answers(SuggestionTaking[ValidationResponse]):
    """A suggested answer becomes an answer of the final set, which undo takes back."""

    begin = "your first decision"
    first = (
        "Give a verdict or change an answer first, so that the model does not decide what you see "
        "in the answers."
    )

    check = "Read the passage before you accept."

    def has_begun(self, response: ValidationResponse) -> bool:
        return bool(response.past) or any(verdict is not None for verdict in response.verdicts)

    def list_origins(self, response: ValidationResponse) -> Sequence[int | None]:
        return [row.suggestion for row in response.rows]

    def clear_origins(
        self, response: ValidationResponse, parts: Collection[int]
    ) -> ValidationResponse:
        rows = (
            replace(row, suggestion=None) if number in parts else row
            for number, row in enumerate(response.rows)
        )
        return replace(response, rows=tuple(rows))

    def describe_part(self, response: ValidationResponse, number: int) -> SuggestedPart:
        key = response.rows[number].key
        return SuggestedPart(f"answer {row_letter(number)}", f"cluster-{key}", f"row-{key}-answer")

    def part_fate(
        self, response: ValidationResponse, number: int, offer: OfferedSuggestion
    ) -> Fate:
        """A suggestion without a question leaves that to the validator."""
        row = response.rows[number]
        if row.excluded:
            return ""
        questions = tuple(phrasing.text for phrasing in row.kept)
        same_question = not offer.content.question or questions == (offer.content.question,)
        same_answers = {form.text for form in row.forms} == {*offer.content.answers}
        return "accepted" if same_question and same_answers and not row.members else "edited"

    def already_has(self, response: ValidationResponse, offer: OfferedSuggestion) -> bool:
        """Answers that are on the form already, excluded or not."""
        answers = {answer_key(text) for text in offer.content.answers}
        return any(
            answers <= {answer_key(form.text) for form in row.forms}
            for row in response.rows
            if row.suggestion is None
        )

    def accept_offer(
        self, response: ValidationResponse, offer: OfferedSuggestion
    ) -> ValidationResponse:
        if len(response.rows) >= MAX_ROWS:
            raise ResponseError(
                f"There are {len(response.rows)} answers. The maximum is {MAX_ROWS}."
            )
        question = offer.content.question
        row = AnswerRow(
            key=free_key(response.rows),
            forms=tuple(Form(text) for text in offer.content.answers),
            phrasings=(Phrasing(question),) if question else (),
            suggestion=offer.pk,
        )
        return changed_to(response, (*response.rows, row))
