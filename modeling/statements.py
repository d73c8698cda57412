"""SQL of suggestions as a whole: what is stored, what was used, and what it changed."""

# How many suggestions of each system there are. Questions by their project, suggestions by
# suggestion_once_per_position.
STORED_SUGGESTIONS = """
    SELECT s.system, s.version, count(DISTINCT s.question_id), count(*),
           to_json(max(s.created_at)) #>> '{}',
           (SELECT count(*) FROM annotation_question a
            WHERE a.project_id = %(project)s AND (%(split)s = '' OR a.split = %(split)s))
    FROM annotation_suggestion s
    JOIN annotation_question q ON q.id = s.question_id
    WHERE q.project_id = %(project)s AND (%(split)s = '' OR q.split = %(split)s)
    GROUP BY s.system, s.version ORDER BY s.system, max(s.created_at) DESC
"""

# Only submitted work that is in use counts: what is being written has not been decided. Assignments
# by assignment_of_project, uses by suggestion_use_once.
USED_SUGGESTIONS = """
    SELECT a.stage, s.system, s.version, s.kind, q.external_id,
           count(*) FILTER (WHERE u.fate = 'accepted'), count(*) FILTER (WHERE u.fate = 'edited'),
           count(*) FILTER (WHERE u.fate = 'dismissed'), count(*) FILTER (WHERE u.fate = '')
    FROM annotation_assignment a
    JOIN annotation_suggestionuse u ON u.assignment_id = a.id
    JOIN annotation_suggestion s ON s.id = u.suggestion_id
    JOIN annotation_question q ON q.id = s.question_id
    WHERE a.project_id = %(project)s AND a.state = 'submitted' AND a.used
      AND (%(split)s = '' OR q.split = %(split)s)
    GROUP BY a.stage, s.system, s.version, s.kind, q.id
    ORDER BY a.stage, s.system, s.version, s.kind, q.id
"""

# Whether people who were shown a verdict had chosen it before, and have it now. Indexes as above.
CHANGED_VERDICTS = """
    SELECT a.stage, s.system, s.version, q.external_id,
           count(*) FILTER (WHERE u.before <> s.content ->> 'verdict'),
           count(*) FILTER (WHERE u.before <> s.content ->> 'verdict'
                            AND n.response ->> 'verdict' = s.content ->> 'verdict'),
           count(*) FILTER (WHERE u.before = s.content ->> 'verdict'),
           count(*) FILTER (WHERE u.before = s.content ->> 'verdict'
                            AND n.response ->> 'verdict' <> s.content ->> 'verdict')
    FROM annotation_assignment a
    JOIN annotation_submission n ON n.assignment_id = a.id
    JOIN annotation_suggestionuse u ON u.assignment_id = a.id
    JOIN annotation_suggestion s ON s.id = u.suggestion_id AND s.kind = 'verdict'
    JOIN annotation_question q ON q.id = s.question_id
    WHERE a.project_id = %(project)s AND a.state = 'submitted' AND a.used
      AND (%(split)s = '' OR q.split = %(split)s)
    GROUP BY a.stage, s.system, s.version, q.id
    ORDER BY a.stage, s.system, s.version, q.id
"""

# Work that could have had suggestions of the policy's system: taken when they were stored, since
# the first of them was shown under the policy. The last column: others answered before that.
# Policies by their project, assignments by their policy, uses by suggestion_use_once, suggestions
# by suggestion_once_per_position.
WORK_WITH_SUGGESTIONS = """
    WITH begun AS (
        SELECT p.id AS policy_id, p.suggestions AS system, p.suggestions_held_out AS held_out,
               min(a.started_at) AS at
        FROM annotation_stagepolicy p
        JOIN annotation_assignment a ON a.policy_id = p.id
        JOIN annotation_suggestionuse u ON u.assignment_id = a.id
        JOIN annotation_suggestion s ON s.id = u.suggestion_id AND s.system = p.suggestions
        WHERE p.project_id = %(project)s AND (%(split)s = '' OR p.split = %(split)s)
        GROUP BY p.id)
    SELECT a.stage, b.system, q.id, b.held_out, q.external_id, a.id, a.active_seconds,
           EXISTS (SELECT 1 FROM annotation_suggestionuse u WHERE u.assignment_id = a.id),
           EXISTS (SELECT 1 FROM annotation_assignment o JOIN annotation_task k ON k.id = o.task_id
                   WHERE k.question_id = q.id AND o.policy_id = a.policy_id AND o.used
                     AND o.state = 'submitted' AND o.started_at < b.at)
    FROM begun b
    JOIN annotation_assignment a ON a.policy_id = b.policy_id AND a.started_at >= b.at
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_question q ON q.id = t.question_id
    WHERE a.state = 'submitted' AND a.used
      AND EXISTS (SELECT 1 FROM annotation_suggestion s WHERE s.question_id = q.id
                  AND s.system = b.system AND s.created_at <= a.started_at)
    ORDER BY a.stage, b.system, q.id, a.id
"""

# The answers that were written, found by the assignment. Indexes: pair_position_unique,
# answer_position_unique.
ANSWERS_OF_WORK = """
    SELECT n.assignment_id, p.id,
           ARRAY(SELECT w.text FROM annotation_answer w WHERE w.pair_id = p.id ORDER BY w.position)
    FROM annotation_annotation n
    LEFT JOIN annotation_qapair p ON p.annotation_id = n.id
    WHERE n.assignment_id = ANY(%(assignments)s)
    ORDER BY n.assignment_id, p.position
"""

# The long answers that were written, found by the assignment.
TEXTS_OF_WORK = """
    SELECT l.assignment_id, l.text FROM annotation_longanswer l
    WHERE l.assignment_id = ANY(%(assignments)s)
"""
