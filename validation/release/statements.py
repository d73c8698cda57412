"""SQL of releases: what people read for the accepted answers, and the export of validations."""

from annotation.exports.selection import chosen_condition
from validation.decisions.statements import HOLDS

# The pages opened by all people whose work counts for the accepted answers, in the order in which
# they worked. Tasks by their question, assignments by assignment_once_per_person, events by
# event_by_assignment.
PAGES_OPENED = """
    SELECT t.question_id, (e.data ->> 'shown')::bigint
    FROM annotation_task t
    JOIN annotation_assignment s ON s.task_id = t.id
    JOIN annotation_event e ON e.assignment_id = s.id
    WHERE t.question_id = ANY(%s) AND s.stage IN ('generation', 'validation')
      AND s.state = 'submitted' AND s.used
      AND e.kind = 'page_open' AND e.data ->> 'shown' IS NOT NULL
    ORDER BY t.question_id, s.submitted_at, s.id, e.id
"""

# Pages that an imported file names, where the command fetch_pages has stored them. Questions by
# their keys, pages by shown_page_once_per_content.
PAGES_NAMED = """
    SELECT q.id, page.id
    FROM annotation_question q
    JOIN annotation_project j ON j.id = q.project_id
    CROSS JOIN LATERAL (
        SELECT title, place FROM jsonb_array_elements_text(
            CASE WHEN q.id = ANY(%(imported)s)
                  AND jsonb_typeof(q.context -> 'viewed_doc_titles') = 'array'
                 THEN q.context -> 'viewed_doc_titles' ELSE '[]' END
        ) WITH ORDINALITY AS viewed (title, place)
        UNION ALL
        SELECT q.context ->> 'nq_doc_title', 1000000
    ) named
    CROSS JOIN LATERAL (
        SELECT regexp_replace(btrim(named.title), '\\s+', '_', 'g') AS name OFFSET 0
    ) written
    JOIN LATERAL (
        SELECT p.id FROM wikipedia_shownpage p
        WHERE p.snapshot_id = j.snapshot_id AND p.html IS NOT NULL
          AND p.path IN (written.name, upper(left(written.name, 1)) || substr(written.name, 2))
        ORDER BY p.id DESC LIMIT 1
    ) page ON true
    WHERE q.id = ANY(%(questions)s)
    ORDER BY q.id, named.place
"""

# What is known of questions from their import, by their keys.
KNOWN_OF_QUESTIONS = """
    SELECT id, known_answers, context ->> 'nq_doc_title', context -> 'viewed_doc_titles',
           context -> 'used_queries'
    FROM annotation_question WHERE id = ANY(%s)
"""

# All people whose work counts for the accepted answers; an audit only measures them. Indexes as of
# PAGES_OPENED.
SEARCHES_AND_PAGES = """
    SELECT t.question_id, e.kind, e.data
    FROM annotation_task t
    JOIN annotation_assignment s ON s.task_id = t.id
    JOIN annotation_event e ON e.assignment_id = s.id
    WHERE t.question_id = ANY(%s) AND s.stage IN ('generation', 'validation')
      AND s.state = 'submitted' AND s.used
      AND e.kind IN ('search', 'page_open')
    ORDER BY t.question_id, s.submitted_at, s.id, e.id
"""

# --- the export of validations -----------------------------------------------------------------

# The decisions that were made here. Questions by their project, decisions by their question.
EXPORTED_DECISIONS = f"""
    SELECT d.id, d.source, d.outcome, d.change, d.reason, d.covers, d.replaces_id, d.created_at,
           {HOLDS},
           u.key, q.external_id, q.text, q.split, q.state, v.id, v.keeps, a.id, a.task_id,
           a.started_at, a.submitted_at, a.active_seconds, a.feedback, a.used, a.guideline_version,
           r.thread_id, r.warnings
    FROM validation_decision d
    JOIN annotation_question q ON q.id = d.question_id
    LEFT JOIN accounts_user u ON u.id = d.made_by_id
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    LEFT JOIN annotation_assignment a ON a.id = v.assignment_id
    LEFT JOIN validation_ruling r ON r.decision_id = d.id
    WHERE q.project_id = %(project)s AND d.source <> 'import'
      AND {chosen_condition(person="d.made_by_id", time="d.created_at")}
    ORDER BY q.id, d.id
"""  # noqa: S608 - constants of this module

# The claims on work, and when they were made. Threads by their project, messages by their thread.
CLAIMED_AT = "(SELECT min(m.created_at) FROM annotation_message m WHERE m.thread_id = t.id)"
EXPORTED_CLAIMS = f"""
    SELECT t.id, t.state, t.closed_at, {CLAIMED_AT}, u.key, s.id, s.task_id, s.stage,
           q.external_id, q.text, q.split, q.state
    FROM annotation_thread t
    JOIN annotation_assignment s ON s.id = t.assignment_id
    JOIN annotation_task k ON k.id = s.task_id
    JOIN annotation_question q ON q.id = k.question_id
    JOIN accounts_user u ON u.id = s.user_id
    WHERE t.project_id = %(project)s AND t.kind = 'claim' AND s.stage = ANY(%(stages)s)
      AND {chosen_condition(time=CLAIMED_AT)}
    ORDER BY q.id, t.id
"""  # noqa: S608 - constants of this module

# What was written about claims, found by the thread.
EXPORTED_MESSAGES = """
    SELECT m.thread_id, m.by_staff, u.key, m.text, m.created_at
    FROM annotation_message m JOIN accounts_user u ON u.id = m.author_id
    WHERE m.thread_id = ANY(%s) ORDER BY m.thread_id, m.id
"""

# How claims were ruled on, found by the thread.
EXPORTED_RULINGS = """
    SELECT r.thread_id, r.verdict, r.decision_id, r.former_id, r.reason, u.key, r.created_at,
           r.undone_at, b.key
    FROM validation_ruling r
    JOIN accounts_user u ON u.id = r.made_by_id
    LEFT JOIN accounts_user b ON b.id = r.undone_by_id
    WHERE r.thread_id = ANY(%s) ORDER BY r.thread_id, r.id
"""
