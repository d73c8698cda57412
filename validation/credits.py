"""Whose work is accepted: what the amount for accepted work is paid for (A60)."""

from collections.abc import Sequence

from annotation import prepared
from annotation.stages import GENERATION
from validation.status import ALL_ACCEPTED, AS_WRITTEN

# As in `status`: an annotator is credited with what is shown there as accepted, as written or with
# a change: what a validator judged correct and, without a verdict, what has every answer accepted.
# A validator is credited while the decision is in force, whatever it was.
_CREDITED = f"""
    SELECT a.id
    FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_question q ON q.id = t.question_id
    LEFT JOIN annotation_annotation n ON n.assignment_id = a.id
    LEFT JOIN validation_decision d
      ON d.question_id = q.id AND d.in_force AND d.outcome = q.state
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    LEFT JOIN validation_verdict judged
      ON judged.validation_id = v.id AND judged.annotation_id = n.id
    WHERE q.id = ANY(%(questions)s::bigint[]) AND a.state = 'submitted' AND a.used
      AND CASE
        WHEN a.stage <> %(generation)s THEN v.assignment_id = a.id
        WHEN q.state NOT IN ('accepted', 'edited', 'auto_accepted') THEN false
        WHEN d.id IS NULL THEN true
        ELSE coalesce(judged.correct, {AS_WRITTEN} OR {ALL_ACCEPTED})
      END
"""  # noqa: S608 - constants of this floor


def credited(question_ids: Sequence[int]) -> list[int]:
    """Return the assignments on these questions whose work is accepted. One query.

    Without a decision in force, what generators submitted is what is accepted. Work that staff
    left out is not.
    """
    values = {"questions": list(question_ids), "generation": GENERATION}
    return [row[0] for row in prepared.fetch(_CREDITED, values)]
