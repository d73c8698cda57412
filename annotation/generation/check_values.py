"""The context that the rules of generation get, and helpers they share."""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from annotation.generation.pair_pay import PairPay
from annotation.generation.responses import GenerationResponse, WrittenPair
from annotation.sheets.answers import AnswerForm
from annotation.sheets.parts import OwnQuotes, no_quotes
from annotation.suggestions.values import SuggestionOffers
from metrics.text import comparison_form

PAPER_REFERENCE_DATE = dt.date(2017, 12, 31)
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@lru_cache(maxsize=32)
def _folded_page(page: str) -> str:
    return f" {comparison_form(page)} "


@dataclass(frozen=True)
class Context:
    """Everything a rule may know apart from the response.

    ``quotes`` gives the person's own quotes among some ids.
    ``page_texts`` tells whether words are on a page opened in this assignment: either a function of
    the words, or the texts of the pages. None means that this is unknown; the rules about it are
    then skipped. ``settings`` are the project's; missing keys have defaults. ``suggestions`` are
    those of a model, None where none are shown. ``pair_pay`` is what pairs bring, None
    where they are not paid.
    """

    prompt: str
    reference_date: dt.date = PAPER_REFERENCE_DATE
    pages_opened: int = 0
    seconds_on_task: int = 0
    minimum_seconds: int = 60
    quotes: OwnQuotes = no_quotes
    page_texts: Callable[[str], bool] | Iterable[str] | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    suggestions: SuggestionOffers | None = None
    pair_pay: PairPay | None = None

    @property
    def seconds_left(self) -> int:
        """Seconds after which the page checks again, where only time is missing (A17)."""
        return max(1, self.minimum_seconds - self.seconds_on_task)

    def on_opened_page(self, text: str) -> bool:
        """Whether the words are on an opened page, ignoring case, punctuation and spaces."""
        if self.page_texts is None:
            return True
        if callable(self.page_texts):
            return self.page_texts(text)
        wanted = f" {comparison_form(text)} "
        return any(_holds(page, text) or wanted in _folded_page(page) for page in self.page_texts)


def _holds(page: str, text: str) -> bool:
    """Whether the page has the text as it stands, as whole words."""
    # A pattern of each text would cost more than most searches.
    return text in page and bool(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", page))


def answers_of(
    response: GenerationResponse,
) -> list[tuple[int | None, str, str, tuple[AnswerForm, ...]]]:
    """Return (pair, field id, label, forms) for each answer of the chosen kind."""
    if response.kind == "single":
        return [(None, "single-answer", "Answer", response.single)]
    if response.kind == "none":
        return []
    return [
        (place, f"answer-{place + 1}", f"Pair {place + 1}", pair.answers)
        for place, pair in enumerate(response.pairs)
    ]


def list_written_pairs(response: GenerationResponse) -> list[tuple[int, str, WrittenPair]]:
    """Return (place, field, pair) for each pair whose question is not empty."""
    return [
        (place, f"question-{place + 1}", pair)
        for place, pair in enumerate(response.pairs)
        if pair.question
    ]


def format_british_date(date: dt.date) -> str:
    """Return the date like "31 December 2017", whatever the machine's language."""
    return f"{date.day} {MONTHS[date.month - 1]} {date.year}"
