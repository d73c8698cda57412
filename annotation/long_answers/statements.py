"""SQL of long answers: who is credited, and the export."""

from annotation.core.models.questions import Question
from annotation.exports.selection import chosen_condition

# The state in which concerns hold question `q`. Index: concern_that_rules.
RULED_BY_CONCERNS = f"""(
    SELECT CASE bool_or(c.state = 'upheld') WHEN true THEN '{Question.State.EXCLUDED.value}'
                                            WHEN false THEN '{Question.State.FLAGGED.value}' END
    FROM annotation_concern c WHERE c.question_id = q.id AND c.state IN ('open', 'upheld'))
"""  # noqa: S608 - constants of this module

# Writers are not to blame for wrong disambiguations: they keep the pay for acceptance. While a
# concern is open nothing changes: the long answers of K people were accepted before. Tasks by their
# question, assignments by assignment_once_per_person.
CREDITED_WRITERS = """
    SELECT a.id
    FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_stagepolicy p ON p.id = t.policy_id
    JOIN annotation_question q ON q.id = t.question_id
    WHERE q.id = ANY(%(questions)s::bigint[]) AND a.state = 'submitted' AND a.used
      AND a.stage = %(stage)s
      AND (q.state IN ('accepted', 'excluded') OR (q.state = 'flagged' AND p.people <= (
        SELECT count(*) FROM annotation_assignment w
        WHERE w.task_id = t.id AND w.state = 'submitted' AND w.used)))
"""

# --- exports -----------------------------------------------------------------------------------

# The long answers of a project that are data. Assignments by assignment_of_project, answers by
# their assignment.
EXPORTED_LONG_ANSWERS = f"""
    SELECT s.id, l.id, s.task_id, s.stage, u.key, s.started_at, s.submitted_at, s.active_seconds,
           s.guideline_version, s.feedback, s.used, l.text, l.keeps, s.inputs,
           q.external_id, q.text, q.split
    FROM annotation_assignment s
    JOIN annotation_longanswer l ON l.assignment_id = s.id
    JOIN annotation_question q ON q.id = l.question_id
    JOIN accounts_user u ON u.id = s.user_id
    WHERE s.project_id = %(project)s AND s.state = 'submitted' AND NOT s.gold
      AND {chosen_condition()}
    ORDER BY q.id, s.submitted_at, s.id
"""  # noqa: S608 - constants of this module

# The knowledge used in long answers. Index: knowledge_position_unique.
EXPORTED_KNOWLEDGE = """
    SELECT long_answer_id, content, page, quote_id,
           ARRAY(SELECT m.quote_id FROM annotation_knowledge_more_quotes m
                 WHERE m.knowledge_id = k.id ORDER BY m.id)
    FROM annotation_knowledge k
    WHERE long_answer_id = ANY(%s) ORDER BY long_answer_id, position
"""

# The words that stand for a disambiguation. Index: override_once_per_disambiguation.
EXPORTED_OVERRIDES = """
    SELECT long_answer_id, disambiguation, words, start, "end" FROM annotation_override
    WHERE long_answer_id = ANY(%s) ORDER BY long_answer_id, disambiguation
"""

# The concerns raised with long answers, by the assignment.
EXPORTED_CONCERNS = """
    SELECT assignment_id, disambiguations, reason, state, note, created_at, decided_at
    FROM annotation_concern WHERE assignment_id = ANY(%s) ORDER BY assignment_id, id
"""
