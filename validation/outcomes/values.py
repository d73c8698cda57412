"""The outcome of a submission, decided on plain values.

This is the only definition: `services.outcomes` stores the outcome, and pay, My submissions, the
share of accepted work and the page of a question read it. Answers are the same if their
`metrics.text.answer_key` is, as in merging and in every figure.
"""

from collections.abc import Sequence
from enum import StrEnum

from validation.verdicts.comparing import AnswerSet, Texts, compare_with_nearest, keys_of


class Status(StrEnum):
    """The result of one submission.

    A validator's verdict comes first: WRITTEN and CHANGED are judged correct, INCORRECT is not.
    Without a verdict (all answers match, no validation is asked for, staff decided) every answer is
    accepted in CHANGED, some in PARTLY and none in OTHER.
    """

    WAITING = "waiting"
    WRITTEN = "written"
    CHANGED = "changed"
    PARTLY = "partly"
    INCORRECT = "incorrect"
    OTHER = "other"
    EXCLUDED = "excluded"
    LEFT_OUT = "left_out"
    RETURNED = "returned"

    @property
    def label(self) -> str:
        return LABELS[self]

    @property
    def tone(self) -> str:
        return TONES.get(self, "")


LABELS = {
    Status.WAITING: "Waiting",
    Status.WRITTEN: "Accepted as written",
    Status.CHANGED: "Accepted with a change",
    Status.PARTLY: "Partly accepted",
    Status.INCORRECT: "Judged incorrect",
    Status.OTHER: "Another answer accepted",
    Status.EXCLUDED: "Question excluded",
    Status.LEFT_OUT: "Paid, not used",
    Status.RETURNED: "Returned to you",
}
TONES = {
    Status.WRITTEN: "success",
    Status.CHANGED: "warning",
    Status.PARTLY: "warning",
    Status.INCORRECT: "error",
    Status.OTHER: "error",
    Status.EXCLUDED: "error",
    Status.LEFT_OUT: "error",
    Status.RETURNED: "warning",
}

ACCEPTED = (Status.WRITTEN, Status.CHANGED)
COMPARED = (*ACCEPTED, Status.PARTLY, Status.INCORRECT, Status.OTHER)
# The outcomes on a decided question. The other three are facts about the assignment, or mean that
# no outcome is stored yet.
DECIDED = (*COMPARED, Status.EXCLUDED)


def decide_outcome(
    own: AnswerSet, accepted: Sequence[AnswerSet], *, correct: bool | None = None
) -> Status:
    """Return the outcome of an annotation when these sets are accepted.

    correct: the verdict of the validator who made the decision, None where there is none.
    """
    if correct is False:
        return Status.INCORRECT
    if as_written(own, accepted):
        return Status.WRITTEN
    if correct:
        return Status.CHANGED
    keys = {key for answers in accepted for pair in answers.pairs for key in keys_of(pair)}
    shared = [not keys.isdisjoint(keys_of(pair)) for pair in own.pairs]
    if not any(shared):
        return Status.OTHER
    return Status.CHANGED if all(shared) else Status.PARTLY


def count_pairs(own: AnswerSet, accepted: Sequence[AnswerSet]) -> int:
    """Return how many of one's pairs are accepted: each matches another pair of the set that has
    most of them (A60).
    """
    compared = compare_with_nearest(own.pairs, [answers.pairs for answers in accepted])
    return sum(pair.own is not None and pair.accepted is not None for pair in compared)


def as_written(own: AnswerSet, accepted: Sequence[AnswerSet]) -> bool:
    """Whether the annotation is an accepted set, or one has exactly its pairs with all their texts.

    An annotation that found no answer is accepted as written where nothing is accepted.
    """
    if not own.pairs:
        return not accepted
    return any(
        (own.annotation is not None and answers.annotation == own.annotation)
        or (
            answers.kind == own.kind
            and len(answers.pairs) == len(own.pairs)
            and all(
                any(_holds(pair, mine, own.kind) for pair in answers.pairs) for mine in own.pairs
            )
        )
        for answers in accepted
    )


def _holds(pair: Texts, mine: Texts, kind: str) -> bool:
    """Whether an accepted pair has all texts of one's own; a single answer has no question."""
    asked = kind == "single" or set(mine.questions) <= set(pair.questions)
    return asked and set(mine.forms) <= set(pair.forms)
