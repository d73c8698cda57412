"""SQL of written answers: store them, and export them."""

from annotation.exports.selection import chosen_condition

# The pages opened in an assignment, as they were shown. Events by event_by_assignment, pages by
# shown_page_once_per_content.
OPENED_PAGES = """
        SELECT DISTINCT e.data->>'path', s.id
        FROM annotation_event e
        LEFT JOIN wikipedia_shownpage s
          ON s.snapshot_id = %(snapshot)s AND s.path = e.data->>'path'
        WHERE e.assignment_id = %(assignment)s AND e.kind = 'page_open'
        """

# Write an annotation with its pairs and answers. Texts and numbers come in arrays, one for each
# column; places count from 0.
WRITE_ANNOTATION = """
    WITH written AS (
        INSERT INTO annotation_annotation
            (assignment_id, question_id, author_id, kind, none_reason, no_conflict,
             created_at)
        VALUES (%(assignment)s, %(question)s, %(author)s, %(kind)s, %(none_reason)s,
                %(no_conflict)s, %(now)s)
        RETURNING id),
    pairs AS (
        INSERT INTO annotation_qapair (annotation_id, position, question, suggestion_id)
        SELECT written.id, pair.number - 1, pair.question, pair.suggestion
        FROM written, unnest(%(questions)s::text[], %(suggestions)s::bigint[])
             WITH ORDINALITY AS pair (question, suggestion, number)
        ORDER BY pair.number
        RETURNING id, position),
    answers AS (
        INSERT INTO annotation_answer (pair_id, position, text, quote_id)
        SELECT pairs.id, form.position, form.text, form.quote
        FROM unnest(%(pairs)s::int[], %(positions)s::int[], %(texts)s::text[], %(quotes)s::bigint[])
             AS form (pair, position, text, quote)
        JOIN pairs ON pairs.position = form.pair
        ORDER BY form.pair, form.position
        RETURNING id, pair_id, position),
    more AS (
        INSERT INTO annotation_answer_more_quotes (answer_id, quote_id)
        SELECT answers.id, further.quote
        FROM unnest(%(more_pairs)s::int[], %(more_positions)s::int[], %(more_quotes)s::bigint[])
             WITH ORDINALITY AS further (pair, position, quote, number)
        JOIN pairs ON pairs.position = further.pair
        JOIN answers ON answers.pair_id = pairs.id AND answers.position = further.position
        ORDER BY further.number)
    SELECT id FROM written
"""

# --- exports -----------------------------------------------------------------------------------

# The annotations of a project that are data. Assignments by assignment_of_project, annotations by
# their assignment.
EXPORTED_ANNOTATIONS = f"""
    SELECT s.id, n.id, s.task_id, s.stage, u.key, s.started_at, s.submitted_at, s.active_seconds,
           s.guideline_version, s.feedback, s.used, n.kind, n.none_reason,
           n.no_conflict, q.external_id, q.text, q.split
    FROM annotation_assignment s
    JOIN annotation_annotation n ON n.assignment_id = s.id
    JOIN annotation_question q ON q.id = n.question_id
    JOIN accounts_user u ON u.id = s.user_id
    WHERE s.project_id = %(project)s AND s.stage = 'generation' AND s.state = 'submitted'
      AND NOT s.gold
      AND {chosen_condition()}
    ORDER BY q.id, s.submitted_at, s.id
"""  # noqa: S608 - constants of this module

# The pairs of annotations with their answers. Indexes: pair_position_unique,
# answer_position_unique, suggestion_use_once.
EXPORTED_ANSWERS = """
    SELECT p.annotation_id, p.id, p.question, a.text, a.quote_id,
           ARRAY(SELECT m.quote_id FROM annotation_answer_more_quotes m WHERE m.answer_id = a.id
                 ORDER BY m.id),
           s.system, s.version, u.fate
    FROM annotation_qapair p LEFT JOIN annotation_answer a ON a.pair_id = p.id
    LEFT JOIN annotation_suggestion s ON s.id = p.suggestion_id
    LEFT JOIN annotation_annotation n ON s.id IS NOT NULL AND n.id = p.annotation_id
    LEFT JOIN annotation_suggestionuse u
      ON u.suggestion_id = s.id AND u.assignment_id = n.assignment_id
    WHERE p.annotation_id = ANY(%s)
    ORDER BY p.annotation_id, p.position, a.position
"""

# The warnings that people kept, with their reasons. Index: kept_warning_once_per_field.
KEPT_WARNINGS = """
    SELECT annotation_id, json_build_object('rule', rule, 'field', field, 'reason', reason)
    FROM annotation_keptwarning WHERE annotation_id = ANY(%s) ORDER BY annotation_id, id
"""

# The annotations in use, in the order of questions. Assignments by assignment_of_project,
# annotations by their assignment.
CHOSEN_ANNOTATIONS = f"""
    SELECT q.id, n.id, q.external_id, q.text, n.kind
    FROM annotation_assignment s
    JOIN annotation_annotation n ON n.assignment_id = s.id
    JOIN annotation_question q ON q.id = n.question_id
    WHERE s.project_id = %(project)s AND s.stage = 'generation' AND s.state = 'submitted' AND s.used
      AND {chosen_condition()}
    ORDER BY q.id, s.submitted_at, s.id
"""  # noqa: S608 - constants of this module

# The pairs of annotations, each with its answers. Indexes: pair_position_unique,
# answer_position_unique.
EXPORTED_PAIRS = """
    SELECT p.annotation_id, p.question, array_agg(a.text ORDER BY a.position)
    FROM annotation_qapair p LEFT JOIN annotation_answer a ON a.pair_id = p.id
    WHERE p.annotation_id = ANY(%s)
    GROUP BY p.id
    ORDER BY p.annotation_id, p.position
"""

# What is known of questions from their import, by their keys.
KNOWN_ANSWERS = """
    SELECT id, known_answers, context ->> 'nq_doc_title' FROM annotation_question WHERE id = ANY(%s)
"""

# What people searched for and opened. Annotations by their keys, events by event_by_assignment.
SEARCHES_AND_PAGES = """
    SELECT n.question_id, e.kind, e.data
    FROM annotation_annotation n
    JOIN annotation_assignment s ON s.id = n.assignment_id
    JOIN annotation_event e ON e.assignment_id = s.id
    WHERE n.id = ANY(%s) AND e.kind IN ('search', 'page_open')
    ORDER BY n.question_id, s.submitted_at, s.id, e.id
"""
