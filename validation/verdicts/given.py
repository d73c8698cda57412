"""What the form of validation is given: the annotations, the sources of them, and the draft."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.suggestions.values import SuggestionOffers
from validation.verdicts.responses import Contribution, ValidationResponse
from validation.verdicts.tokens import quote_token
from validation.verdicts.values import KeptReason, PageRead
from wikipedia.models import Quote


@dataclass(frozen=True)
class ValidationContext:
    """What rules and page need: the annotations of the generators, and their sources.

    `assignment` is the turn's id, from which columns and quotes get names that hide their authors;
    `stored` is the draft, brought up to date with `said`; `suggestions` are those of a model, None
    where none are shown. Functions query only when called.
    """

    assignment: int
    said: Sequence[Contribution]
    stored: ValidationResponse
    prompt: str
    reference_date: dt.date
    settings: Mapping[str, object] = field(default_factory=dict)
    tokens: Callable[[], Mapping[str, int]] = dict
    pages: Callable[[], Sequence[Sequence[PageRead]]] = list
    quotes: Callable[[], Mapping[int, Sequence[Quote]]] = dict
    kept: Callable[[], Mapping[int, Sequence[KeptReason]]] = dict
    suggestions: SuggestionOffers | None = None


def annotations_as_json(given: ValidationContext) -> list[dict[str, Any]]:
    """Return what each generator wrote, with the pages they read, the quotes behind their answers,
    and the warnings they kept. Quotes have names that hide their authors.
    """
    pages, quotes, kept = given.pages(), given.quotes(), given.kept()
    return [
        {
            "kind": contribution.kind,
            "pairs": [
                {
                    "question": pair.question,
                    "answers": list(pair.forms),
                    "quotes": [
                        {
                            "id": quote_token(given.assignment, quote.pk),
                            "exact": quote.exact,
                            "path": quote.page.path,
                            "title": quote.page.title,
                        }
                        for quote in quotes.get(pair.pk or 0, ())
                    ],
                }
                for pair in contribution.pairs
            ],
            "none_reason": contribution.none_reason,
            "pages": [{"path": page.path, "title": page.title} for page in read],
            "kept": [
                {"rule": reason.rule, "pair": reason.pair, "reason": reason.reason}
                for reason in kept.get(contribution.annotation, ())
            ],
        }
        for contribution, read in zip(given.said, pages, strict=True)
    ]
