"""Why nothing of a question is learnt, as manifests have it, and in words. Pure."""

from collections.abc import Mapping
from typing import Final

# Of those that `validation` and the protocols give: excluded, skipped, concern_open.
UNFINISHED, NO_ANSWER = "unfinished", "no_answer"
NO_CONSENT, HELD_OUT, SUGGESTED = "no_consent", "also_in_dev", "suggested"
ONE_ANSWER, NO_LONG_ANSWER = "one_answer", "no_long_answer"
NO_PASSAGES, NOT_IN_PASSAGES = "no_passages", "not_in_passages"
NO_PASSAGE, NO_NEGATIVE = "no_passage", "no_negative"
NO_PAGE, NO_WINDOW = "no_page", "no_window"
SEPARATOR_INSIDE, TOO_LONG = "separator_inside", "too_long"

REASONS: Final[Mapping[str, str]] = {
    UNFINISHED: "not finished",
    "excluded": "excluded by the team",
    "skipped": "skipped",
    "concern_open": "with an open concern",
    NO_PAGE: "without a page",
    NO_ANSWER: "without an accepted answer",
    NO_CONSENT: "with work of a person who did not allow that it trains models",
    HELD_OUT: "also held out for scores, in this project or another one",
    SUGGESTED: "whose people saw what these weights suggested",
    ONE_ANSWER: "without several answers that each have a question",
    NO_LONG_ANSWER: "without a long answer",
    NO_PASSAGES: "for which no passage was found",
    NOT_IN_PASSAGES: "whose answers stand in none of the passages",
    NO_PASSAGE: "whose quotes stand in no passage of the index",
    NO_NEGATIVE: "without a passage that lacks the answer",
    NO_WINDOW: "of whose pages no part was kept to learn from",
    SEPARATOR_INSIDE: "with an answer that holds a mark of the model's own",
    TOO_LONG: "with more than the model may write",
}


def describe_left_out(counts: Mapping[str, int]) -> str:
    """Return how many questions were left out, by reason, as a sentence."""
    named = [
        f"{count:,} {REASONS.get(why, why.replace('_', ' '))}"
        for why, count in sorted(counts.items())
    ]
    return f"Left out: {', '.join(named)}." if named else "No question is left out."
