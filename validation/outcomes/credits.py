"""Which assignments earn the amount for accepted work (A60)."""

from collections.abc import Mapping, Sequence

from accounts import prepared_statements
from annotation.core.states import ANY_ACCEPTED
from validation.outcomes.statements import ACCEPTED_PAIRS, CREDITED_WORK
from validation.outcomes.values import ACCEPTED, Status


def list_credited_assignments(question_ids: Sequence[int]) -> list[int]:
    """Return the assignments on these questions whose work is accepted. One query."""
    values = {
        "questions": list(question_ids),
        "accepted": list(ACCEPTED),
        "decided": sorted(ANY_ACCEPTED),
    }
    return [row[0] for row in prepared_statements.fetch_rows(CREDITED_WORK, values)]


def count_accepted_pairs(question_ids: Sequence[int]) -> Mapping[int, int]:
    """Return how many pairs of each assignment on these questions are accepted. One query.

    Those with none may be left out.
    """
    values = {
        "questions": list(question_ids),
        "written": Status.WRITTEN.value,
        "decided": sorted(ANY_ACCEPTED),
    }
    return dict(prepared_statements.fetch_rows(ACCEPTED_PAIRS, values))
