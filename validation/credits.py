"""Whose work stands accepted: what a bonus for accepted work is paid for (A60)."""

from collections.abc import Sequence

from annotation import prepared
from annotation.stages import GENERATION
from validation.status import SHARED

# The same reading as in `status`: a generator is credited with what is shown there as accepted,
# as written or with a change; a validator while the decision stands, whatever it was.
_CREDITED = f"""
    SELECT a.id
    FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_question q ON q.id = t.question_id
    LEFT JOIN annotation_annotation n ON n.assignment_id = a.id
    LEFT JOIN validation_decision d
      ON d.question_id = q.id AND d.in_force AND d.outcome = q.state
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    WHERE q.id = ANY(%(questions)s::bigint[]) AND a.state = 'submitted' AND a.used
      AND CASE
        WHEN a.stage <> %(generation)s THEN v.assignment_id = a.id
        WHEN q.state NOT IN ('accepted', 'edited', 'auto_accepted') THEN false
        WHEN d.id IS NULL THEN true
        ELSE EXISTS (
            SELECT 1 FROM validation_acceptedannotation s
            WHERE s.decision_id = d.id AND s.annotation_id = n.id)
          OR EXISTS (
            SELECT 1 FROM annotation_qapair p
            JOIN annotation_answer mine ON mine.pair_id = p.id
            JOIN validation_acceptedannotation s ON s.decision_id = d.id
            JOIN validation_acceptedpair r ON r.accepted_id = s.id
            JOIN validation_acceptedanswer theirs ON theirs.pair_id = r.id
            WHERE p.annotation_id = n.id AND {SHARED})
      END
"""  # noqa: S608 - constants of this floor


def credited(question_ids: Sequence[int]) -> list[int]:
    """Return the assignments on these questions whose work stands accepted. One query.

    Without a decision in force, what generators submitted is what is accepted. Work that staff
    left out is not.
    """
    values = {"questions": list(question_ids), "generation": GENERATION}
    return [row[0] for row in prepared.fetch(_CREDITED, values)]
