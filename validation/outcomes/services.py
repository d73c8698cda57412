"""Store the outcome of each submission, wherever it may change.

The engine settles questions whenever something that determines their state may have changed. It
calls `FOLLOWER` under the questions' locks and before pay, so that the rows, the state and the
ledger change together or not at all.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from accounts import prepared_statements
from annotation.core import states
from annotation.extensions.parts import Follower, SettledQuestion
from annotation.models import Question
from annotation.protocols import registry as protocols
from validation.decisions import accepted_answers
from validation.outcomes.models import SubmissionOutcome
from validation.outcomes.statements import SUBMISSIONS_WITH_OUTCOMES
from validation.outcomes.values import Status, count_pairs, decide_outcome


@dataclass(frozen=True, slots=True)
class _Submission:
    """A submission, with the decision in force (None where answers alone decided).

    counts: it is in use and its question decided; annotation: None for work that is not an answer;
    decider: the assignment of the validator who made the decision; correct: that validator's
    verdict; stored_…: the values of its row now, an empty status if it has none.
    """

    assignment: int
    counts: bool
    state: str
    decision: int | None
    annotation: int | None
    decider: int | None
    correct: bool | None
    stored_decision: int | None
    stored_status: str
    stored_pairs: int | None

    @property
    def compared(self) -> bool:
        """Whether its answers are compared with accepted sets."""
        decided = self.decision is not None and self.state != Question.State.EXCLUDED
        return decided and self.annotation is not None


def update_outcomes(question_ids: Sequence[int]) -> None:
    """Bring the outcomes of all submissions on these questions up to date.

    The caller holds the questions' locks. One statement where nothing changes, at most five
    otherwise, however many there are.
    """
    values = {
        "questions": list(question_ids),
        "decided": sorted(states.DECIDED),
        "stages": protocols.data_stages(),
    }
    rows = [
        _Submission(*row)
        for row in prepared_statements.fetch_rows(SUBMISSIONS_WITH_OUTCOMES, values)
    ]
    gone = [row.assignment for row in rows if not row.counts]
    if gone:
        SubmissionOutcome.objects.filter(pk__in=gone).delete()
    counted = [row for row in rows if row.counts]
    SubmissionOutcome.objects.bulk_create(
        (
            SubmissionOutcome(
                assignment_id=row.assignment, decision_id=row.decision, status=status, pairs=pairs
            )
            for row, (status, pairs) in zip(counted, _results(counted), strict=True)
            if (row.decision, status, pairs)
            != (row.stored_decision, row.stored_status, row.stored_pairs)
        ),
        update_conflicts=True,
        unique_fields=["assignment"],
        update_fields=["decision", "status", "pairs"],
    )


def _results(submissions: Sequence[_Submission]) -> list[tuple[Status, int | None]]:
    """Return the status of each submission, and its accepted pairs where some of it differs."""
    compared = [submission for submission in submissions if submission.compared]
    annotations = [submission.annotation for submission in compared if submission.annotation]
    decisions = sorted({submission.decision for submission in compared if submission.decision})
    written = accepted_answers.read_annotation_sets(annotations) if annotations else {}
    sets = accepted_answers.sets_of(decisions) if decisions else {}

    def status(each: _Submission) -> Status:
        if each.state == Question.State.EXCLUDED:
            return Status.EXCLUDED
        if each.decision is None:
            return Status.WRITTEN
        if each.annotation is None:
            return Status.WRITTEN if each.decider == each.assignment else Status.OTHER
        return decide_outcome(
            written[each.annotation], sets.get(each.decision, ()), correct=each.correct
        )

    def result(each: _Submission) -> tuple[Status, int | None]:
        found = status(each)
        if found not in (Status.CHANGED, Status.PARTLY):
            return found, None
        assert each.annotation is not None
        assert each.decision is not None
        return found, count_pairs(written[each.annotation], sets.get(each.decision, ()))

    return [result(submission) for submission in submissions]


def _follow(questions: Sequence[SettledQuestion], /, *, protocol: str, now: dt.datetime) -> None:
    """Settle the questions that are decided, or were before the change."""
    decided = [
        question.question_id
        for question in questions
        if not states.DECIDED.isdisjoint({question.before, question.state})
    ]
    if decided:
        update_outcomes(decided)


FOLLOWER = Follower(_follow, place=10)  # pay reads what it stores
