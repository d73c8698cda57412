"""SQL of suggestions: what is offered, and what people did with it."""

# Of several versions of a system the newest, and what was seen of an older one. None where the
# question with which the work is settled has none, which of a gold item is the one beside it:
# finished questions could be told by what was imported after a run otherwise. Indexes:
# suggestion_once_per_position, suggestion_use_once.
OFFERED_SUGGESTIONS = """
    WITH newest AS (
        SELECT n.version FROM annotation_suggestion n
        WHERE n.question_id = %(question)s AND n.system = %(system)s
        ORDER BY n.created_at DESC, n.id DESC LIMIT 1)
    SELECT s.id, s.kind, s.content, s.version <> newest.version, u.id IS NOT NULL,
           coalesce(u.fate, ''), coalesce(u.reason, ''), coalesce(u.before, '')
    FROM newest, annotation_suggestion s
    LEFT JOIN annotation_suggestionuse u
      ON u.suggestion_id = s.id AND u.assignment_id = %(assignment)s
    WHERE s.question_id = %(question)s AND s.system = %(system)s AND s.kind = ANY(%(kinds)s)
      AND (u.id IS NOT NULL OR s.version = newest.version)
      AND EXISTS (
          SELECT 1 FROM annotation_assignment a
          JOIN annotation_task t ON t.id = a.task_id
          JOIN annotation_suggestion h ON h.question_id = {settled_on}
          WHERE a.id = %(assignment)s AND h.system = %(system)s AND h.kind = ANY(%(kinds)s))
    ORDER BY s.created_at, s.version, s.position
"""

# The name of the question with which the work of an assignment is settled.
ASKED_QUESTION = """(
    SELECT q.external_id FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_question q ON q.id = {settled_on}
    WHERE a.id = %s)"""

# Store what people did with suggestions. What is accepted keeps the time of its acceptance while it
# is edited, and what they had said before they saw it stays what it was. Index:
# suggestion_use_once.
STORE_USES = """
    INSERT INTO annotation_suggestionuse AS u
        (assignment_id, suggestion_id, fate, reason, before, shown_at, decided_at)
    SELECT %(assignment)s, d.suggestion, d.fate, d.reason, %(before)s::text, %(now)s::timestamptz,
           CASE WHEN d.fate <> '' THEN %(now)s::timestamptz END
    FROM unnest(%(suggestions)s::bigint[], %(fates)s::text[], %(reasons)s::text[])
         AS d (suggestion, fate, reason)
    ON CONFLICT (assignment_id, suggestion_id) DO UPDATE
    SET fate = EXCLUDED.fate, reason = EXCLUDED.reason,
        decided_at = CASE
            WHEN EXCLUDED.fate = '' THEN NULL
            WHEN (u.fate = 'dismissed') = (EXCLUDED.fate = 'dismissed')
                THEN coalesce(u.decided_at, EXCLUDED.decided_at)
            ELSE EXCLUDED.decided_at END
    RETURNING id
"""

# The suggestions that people were shown. Index: suggestion_use_once.
SUGGESTIONS_SHOWN = """
    SELECT u.assignment_id,
           json_agg(CASE WHEN s.kind = 'verdict' THEN
               json_build_object('system', s.system, 'version', s.version, 'kind', s.kind,
                                 'fate', u.fate, 'reason', u.reason, 'before', u.before,
                                 'verdict', s.content -> 'verdict')
           ELSE
               json_build_object('system', s.system, 'version', s.version, 'kind', s.kind,
                                 'fate', u.fate, 'reason', u.reason)
           END ORDER BY s.id)::text
    FROM annotation_suggestionuse u JOIN annotation_suggestion s ON s.id = u.suggestion_id
    WHERE u.assignment_id = ANY(%s) GROUP BY u.assignment_id
"""
