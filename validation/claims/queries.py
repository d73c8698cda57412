"""Which questions the team has excluded, other than by a ruling on a claim."""

from collections.abc import Sequence

from accounts import prepared
from validation.decisions.models import Decision

# On question `q`: excluded by staff, other than by a ruling on a claim. Such a ruling is about
# particular answers; it ends when the question is answered again.
RULED = f"""(
    SELECT d.outcome FROM validation_decision d
    WHERE d.question_id = q.id AND d.in_force AND d.outcome = '{Decision.Outcome.EXCLUDED.value}'
      AND d.source = '{Decision.Source.STAFF.value}'
      AND NOT EXISTS (SELECT 1 FROM validation_ruling r WHERE r.decision_id = d.id))
"""  # noqa: S608 - a constant of this module


def excluded_by_team(question_ids: Sequence[int]) -> list[int]:
    """Return the questions that staff have excluded, other than by a ruling on a claim."""
    rows = prepared.fetch_rows(
        f"""
        SELECT q.id FROM annotation_question q
        WHERE q.id = ANY(%(questions)s::bigint[]) AND {RULED} IS NOT NULL
        """,  # noqa: S608 - a constant of this module
        {"questions": list(question_ids)},
    )
    return [row[0] for row in rows]
