"""Which assignments earn the amount for accepted work (A60)."""

from collections.abc import Sequence

from accounts import prepared
from annotation.core.states import ANY_ACCEPTED
from annotation.golds.statements import ON_QUESTIONS
from validation.outcomes.values import ACCEPTED

# Annotators are credited for work that they see as accepted, as written or with a change; a
# validator is while their decision is in force, whatever its outcome. A gold item is accepted where
# gold_results says so.
_CREDITED = f"""
    SELECT o.assignment_id
    FROM validation_submissionoutcome o
    JOIN annotation_assignment a ON a.id = o.assignment_id
    JOIN annotation_task t ON t.id = a.task_id
    LEFT JOIN validation_decision d ON d.id = o.decision_id
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    WHERE t.question_id = ANY(%(questions)s::bigint[])
      AND (o.status = ANY(%(accepted)s) OR v.assignment_id = o.assignment_id)
    UNION ALL
    SELECT a.id
    FROM annotation_assignment a
    JOIN annotation_goldverdict g ON g.assignment_id = a.id
    JOIN annotation_golditem i ON i.id = g.item_id
    JOIN annotation_task t ON t.id = a.task_id
    LEFT JOIN annotation_task h ON h.id = i.host_id
    JOIN annotation_question b ON b.id = COALESCE(h.question_id, t.question_id)
    WHERE a.task_id IN ({ON_QUESTIONS}) AND a.state = 'submitted'
      AND b.state = ANY(%(decided)s)
      AND (g.missed IS NOT TRUE OR NOT EXISTS (
          SELECT 1 FROM validation_decision j
          WHERE j.question_id = b.id AND j.in_force AND j.outcome = b.state))
"""  # noqa: S608 - a constant


def list_credited_assignments(question_ids: Sequence[int]) -> list[int]:
    """Return the assignments on these questions whose work is accepted. One query."""
    values = {
        "questions": list(question_ids),
        "accepted": list(ACCEPTED),
        "decided": sorted(ANY_ACCEPTED),
    }
    return [row[0] for row in prepared.fetch_rows(_CREDITED, values)]
