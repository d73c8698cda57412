"""Which assignments earn the amount for accepted work (A60)."""

from collections.abc import Sequence

from accounts import prepared_statements
from annotation.core.states import ANY_ACCEPTED
from validation.outcomes.statements import CREDITED_WORK
from validation.outcomes.values import ACCEPTED


def list_credited_assignments(question_ids: Sequence[int]) -> list[int]:
    """Return the assignments on these questions whose work is accepted. One query."""
    values = {
        "questions": list(question_ids),
        "accepted": list(ACCEPTED),
        "decided": sorted(ANY_ACCEPTED),
    }
    return [row[0] for row in prepared_statements.fetch_rows(CREDITED_WORK, values)]
