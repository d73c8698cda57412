"""SQL of concerns: those of a project, for its export."""

from annotation.exports.selection import chosen_condition

# Concerns by their question, questions by question_by_state.
CONCERNS_OF_PROJECT = f"""
    SELECT c.id, c.disambiguations, c.reason, c.state, c.note, c.created_at, c.decided_at,
           u.key, d.key, s.id, s.task_id, s.state, q.external_id, q.text, q.split
    FROM annotation_concern c
    JOIN annotation_question q ON q.id = c.question_id
    JOIN accounts_user u ON u.id = c.author_id
    LEFT JOIN accounts_user d ON d.id = c.decided_by_id
    LEFT JOIN annotation_assignment s ON s.id = c.assignment_id
    WHERE q.project_id = %(project)s
      AND {chosen_condition(person="c.author_id", time="c.created_at")}
    ORDER BY q.id, c.id
"""  # noqa: S608 - only our own words are put in


def rule_statement(ruled: str) -> str:
    """Return what rules the state of one question, by its primary key. ruled: SQL on `q`."""
    return f"SELECT {ruled} FROM annotation_question q WHERE q.id = %(question)s"  # noqa: S608
