"""SQL of what validators read."""

# Every answer of every annotation in use on some questions, in the order they were written.
# Annotations by their question, pairs by pair_position_unique, answers by answer_position_unique.
ANSWERS_IN_USE = """
    SELECT n.question_id, n.id, n.kind, n.none_reason, p.id, p.question, w.text, w.id
    FROM annotation_annotation n
    JOIN annotation_assignment a ON a.id = n.assignment_id
    LEFT JOIN annotation_qapair p ON p.annotation_id = n.id
    LEFT JOIN annotation_answer w ON w.pair_id = p.id
    WHERE n.question_id = ANY(%(questions)s::bigint[])
      AND a.stage = %(stage)s AND a.state = 'submitted' AND a.used
    ORDER BY n.question_id, n.id, p.position, w.position
"""

# Distinct and by title, so that neither frequency nor order of reading gives the person away.
# Annotations by their keys, events by event_by_assignment.
PAGES_READ = """
    SELECT DISTINCT n.id, e.data->>'path', e.data->>'title'
    FROM annotation_annotation n
    JOIN annotation_event e ON e.assignment_id = n.assignment_id AND e.kind = 'page_open'
    WHERE n.id = ANY(%(annotations)s::bigint[])
"""

# The warnings that their authors kept. Index: kept_warning_once_per_field.
KEPT_WARNINGS = """
    SELECT annotation_id, rule, field, reason FROM annotation_keptwarning
    WHERE annotation_id = ANY(%(annotations)s::bigint[]) ORDER BY field, rule
"""
