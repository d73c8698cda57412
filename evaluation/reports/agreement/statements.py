"""SQL of the report of agreement: what people answered, wrote, read and were warned of."""

# When each question was last answered, and who wrote its long answers in the order of these.
ANSWERED_QUESTIONS = """
    SELECT q.id, q.external_id, q.text, q.split,
           max((a.submitted_at AT TIME ZONE 'UTC')::date), array_agg(a.user_id ORDER BY a.id)
    FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_question q ON q.id = t.question_id
    WHERE a.project_id = %(project)s AND a.stage = ANY(%(stages)s)
      AND a.state = 'submitted' AND a.used
      AND (%(split)s::text IS NULL OR q.split = %(split)s)
    GROUP BY q.id ORDER BY q.id
"""

WRITERS = """
    SELECT q.external_id, array_agg(s.user_id ORDER BY a.id)
    FROM annotation_longanswer a
    JOIN annotation_question q ON q.id = a.question_id
    LEFT JOIN annotation_assignment s ON s.id = a.assignment_id
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
      AND (a.assignment_id IS NULL OR (s.state = 'submitted' AND s.used))
    GROUP BY q.external_id
"""

REWORDED_QUESTIONS = """
    SELECT DISTINCT d.question_id
    FROM validation_decision d
    JOIN annotation_question q ON q.id = d.question_id AND q.state = d.outcome
    JOIN validation_acceptedannotation c ON c.decision_id = d.id
    JOIN validation_acceptedpair p ON p.accepted_id = c.id
    JOIN validation_acceptedquestion w ON w.pair_id = p.id
    WHERE q.project_id = %(project)s AND d.in_force AND w.edited
"""

# Submissions in use, of one split and period.
_WORK = """
    FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_question q ON q.id = t.question_id
    WHERE a.project_id = %(project)s AND a.stage = ANY(%(stages)s)
      AND a.state = 'submitted' AND a.used
      AND (%(split)s::text IS NULL OR q.split = %(split)s)
      AND (%(since)s::date IS NULL OR (a.submitted_at AT TIME ZONE 'UTC')::date >= %(since)s)
      AND (%(until)s::date IS NULL OR (a.submitted_at AT TIME ZONE 'UTC')::date <= %(until)s)
"""

SUBMISSIONS = f"""
    SELECT w.user_id, w.active_seconds, n.kind, o.status,
           array_length(regexp_split_to_array(btrim(l.text), '\\s+'), 1)
    FROM (SELECT a.id, a.user_id, a.active_seconds {_WORK}) w
    LEFT JOIN annotation_annotation n ON n.assignment_id = w.id
    LEFT JOIN validation_submissionoutcome o ON o.assignment_id = w.id
    LEFT JOIN annotation_longanswer l ON l.assignment_id = w.id
    ORDER BY w.user_id, w.id
"""  # noqa: S608 - constants of this module

PAGES_AND_SEARCHES = f"""
    SELECT w.user_id, count(DISTINCT (e.assignment_id, e.data->>'path'))
               FILTER (WHERE e.kind = 'page_open'),
           count(DISTINCT (e.assignment_id, e.data->>'query')) FILTER (WHERE e.kind = 'search')
    FROM (SELECT a.id, a.user_id {_WORK}) w
    JOIN annotation_event e ON e.assignment_id = w.id AND e.kind IN ('page_open', 'search')
    GROUP BY w.user_id
"""  # noqa: S608

# A warning counts once for each submission, rule and field, however often it was shown.
WARNINGS = f"""
    SELECT s.user_id, s.rule, count(*), count(*) FILTER (WHERE s.kept)
    FROM (SELECT w.user_id, e.data->>'rule' AS rule, bool_or(e.kind = 'warning_kept') AS kept
          FROM (SELECT a.id, a.user_id {_WORK}) w
          JOIN annotation_event e ON e.assignment_id = w.id
           AND e.kind IN ('warning_shown', 'warning_kept')
          GROUP BY w.user_id, e.assignment_id, e.data->>'rule', e.data->>'field') s
    GROUP BY s.user_id, s.rule ORDER BY s.rule, s.user_id
"""  # noqa: S608

WEEKS_OF_PEOPLE = f"""
    SELECT date_trunc('week', w.submitted_at AT TIME ZONE 'UTC')::date AS week, w.user_id,
           count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY w.active_seconds)
    FROM (SELECT a.user_id, a.submitted_at, a.active_seconds {_WORK}) w
    GROUP BY GROUPING SETS ((week), (week, w.user_id))
    ORDER BY week, w.user_id NULLS FIRST
"""  # noqa: S608
