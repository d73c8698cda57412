"""Which questions the team has excluded, other than by a ruling on a claim."""

from collections.abc import Sequence

from accounts import prepared_statements
from validation.claims.statements import EXCLUDED_QUESTIONS


def excluded_by_team(question_ids: Sequence[int]) -> list[int]:
    """Return the questions that staff have excluded, other than by a ruling on a claim."""
    rows = prepared_statements.fetch_rows(EXCLUDED_QUESTIONS, {"questions": list(question_ids)})
    return [row[0] for row in rows]
