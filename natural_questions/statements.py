"""SQL of questions with a page: the page, and the answers that were marked on it."""

# The record, and what was made of it, are sent only if this process does not have the page already.
# By the key of the page, which is the question; OFFSET lets the digest be computed once.
READ_RECORD = """
    SELECT digest, CASE WHEN digest <> %(digest)s THEN record END,
           CASE WHEN digest <> %(digest)s THEN prepared END
    FROM (
        SELECT md5(record) AS digest, record, prepared FROM natural_questions_page
        WHERE question_id = %(question)s
        OFFSET 0
    ) AS page
"""

# In the order of the splits, and of import within each. Questions by their project, pages by their
# key.
QUESTIONS_WITH_PAGES = """
    SELECT q.id, q.external_id, q.text, q.split, q.state, p.annotations, q.created_at,
           p.question_id IS NOT NULL, p.kinds
    FROM annotation_question q
    LEFT JOIN natural_questions_page p ON p.question_id = q.id
    WHERE q.project_id = %s AND (%s::text IS NULL OR q.split = %s)
    ORDER BY array_position(ARRAY['train', 'dev', 'test'], q.split::text), q.id
"""

# The submissions in use on questions, found by the question.
SUBMITTED_ANSWERS = """
    SELECT n.question_id, n.response, s.id, s.submitted_at, s.guideline_version, s.active_seconds
    FROM annotation_submission n JOIN annotation_assignment s ON s.id = n.assignment_id
    WHERE n.question_id = ANY(%s) AND n.stage = %s AND s.state = 'submitted' AND s.used
    ORDER BY n.question_id, s.submitted_at, s.id
"""
