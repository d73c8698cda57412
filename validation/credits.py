"""Which assignments earn the amount for accepted work (A60)."""

from collections.abc import Sequence

from accounts import prepared
from validation.outcomes import ACCEPTED

# Annotators are credited for work that they see as accepted, as written or with a change; a
# validator is while their decision is in force, whatever its outcome.
_CREDITED = """
    SELECT o.assignment_id
    FROM validation_submissionoutcome o
    JOIN annotation_assignment a ON a.id = o.assignment_id
    JOIN annotation_task t ON t.id = a.task_id
    LEFT JOIN validation_decision d ON d.id = o.decision_id
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    WHERE t.question_id = ANY(%(questions)s::bigint[])
      AND (o.status = ANY(%(accepted)s) OR v.assignment_id = o.assignment_id)
"""


def credited(question_ids: Sequence[int]) -> list[int]:
    """Return the assignments on these questions whose work is accepted. One query."""
    values = {"questions": list(question_ids), "accepted": list(ACCEPTED)}
    return [row[0] for row in prepared.fetch(_CREDITED, values)]
