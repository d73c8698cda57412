"""SQL of claims."""

from validation.decisions.models import Decision

# On question `q`: excluded by staff, other than by a ruling on a claim. Such a ruling is about
# particular answers; it ends when the question is answered again. Index:
# decision_one_in_force_per_question.
RULED_BY_STAFF = f"""(
    SELECT d.outcome FROM validation_decision d
    WHERE d.question_id = q.id AND d.in_force AND d.outcome = '{Decision.Outcome.EXCLUDED.value}'
      AND d.source = '{Decision.Source.STAFF.value}'
      AND NOT EXISTS (SELECT 1 FROM validation_ruling r WHERE r.decision_id = d.id))
"""  # noqa: S608 - constants of this module

# The questions that staff have excluded so, by their keys.
EXCLUDED_QUESTIONS = f"""
        SELECT q.id FROM annotation_question q
        WHERE q.id = ANY(%(questions)s::bigint[]) AND {RULED_BY_STAFF} IS NOT NULL
        """  # noqa: S608 - constants of this module
