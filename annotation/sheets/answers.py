"""An answer as every form of it that is accepted, each with the quotes that support it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from annotation.text.cleaning import (
    first_and_more,
)
from metrics.text import comparison_form

MAX_FORMS = 50


MAX_QUESTION = 2_000


MAX_ANSWER = 1_000


@dataclass(frozen=True)
class AnswerForm:
    """One accepted form of an answer, with the id of the quote it was taken from, if any.

    `more` are the ids of further quotes that support it; without a first one there are none.
    """

    text: str
    quote: int | None = None
    more: tuple[int, ...] = ()

    @property
    def quotes(self) -> tuple[int, ...]:
        """The ids of all its quotes, the first one first."""
        return () if self.quote is None else (self.quote, *self.more)


def merge_repeated_forms(forms: Iterable[AnswerForm]) -> tuple[AnswerForm, ...]:
    """Drop empty forms and those that repeat an earlier one in case, punctuation or spaces.

    The first spelling stays, and gets the quotes of the later ones.
    """
    unique: dict[str, AnswerForm] = {}
    for form in forms:
        key = comparison_form(form.text)
        if key and key not in unique:
            unique[key] = form
        elif key:
            unique[key] = with_quotes(unique[key], (*unique[key].quotes, *form.quotes))
    return tuple(unique.values())


def with_quotes(form: AnswerForm, quotes: Iterable[int]) -> AnswerForm:
    """Return the form with these quotes instead of its own."""
    quote, more = first_and_more(quotes)
    return replace(form, quote=quote, more=more)
