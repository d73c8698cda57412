"""Parts of a record that are not taken although its question is, and the words for why.

Whole records that are left out have reasons of their own (`query_filters.REASONS` and those of the
protocols). A part is counted, and its line named, so that nothing goes without being said.
"""

from collections.abc import Mapping
from typing import NamedTuple


class NotTaken(NamedTuple):
    """Why parts of a record are not taken: `label` goes after their number, `sentence` alone."""

    label: str
    sentence: str


CANCELLED = "cancelled"
COMMENTS = "comments"
DRAFTS = "drafts"
EMPTY = "empty"
PREDICTIONS = "predictions"
QUOTES = "quotes"
RESULTS = "results"
SPANS = "spans"
UNASKED = "unasked"
PARTS: Mapping[str, NotTaken] = {
    CANCELLED: NotTaken(
        "cancelled annotations",
        "An annotation was cancelled by whoever wrote it, so its answers are not taken.",
    ),
    EMPTY: NotTaken(
        "annotations without an answer",
        "An annotation has no answer, so there is nothing in it to take.",
    ),
    DRAFTS: NotTaken("drafts", "A draft was never submitted, so it is not taken."),
    PREDICTIONS: NotTaken(
        "predictions of models",
        "A prediction is a model’s and not a person’s, so it is not taken as an answer.",
    ),
    SPANS: NotTaken(
        "spans that support no answer",
        "A span has no answer among its words, so it is evidence for none.",
    ),
    QUOTES: NotTaken(
        "spans for which this protocol has no place",
        "A span supports an answer, but the answers of files have no evidence in this protocol.",
    ),
    UNASKED: NotTaken(
        "answers without a question of their own",
        "Answers of this protocol need a question each, and these have none.",
    ),
    RESULTS: NotTaken(
        "results that are not answers",
        "A result is neither text nor a choice nor a span over text, or its field is not named "
        "like an answer.",
    ),
    COMMENTS: NotTaken(
        "comments", "A comment is kept with the question, and people here are not shown it."
    ),
}


def list_not_taken(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the words for each kind of part that was not taken, with how many were."""
    return [(PARTS[key].label, counts[key]) for key in PARTS if counts.get(key)]


def describe_not_taken(counts: Mapping[str, int]) -> str:
    """Return how many parts were not taken, as a phrase with the reasons; "" if there are none."""
    return ", ".join(f"{number:,} {label}" for label, number in list_not_taken(counts))
