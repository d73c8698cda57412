"""SQL of what was read and searched for, and of the quotes made there."""

from annotation.exports.selection import chosen_condition

# --- while somebody works ----------------------------------------------------------------------

# The events of an assignment, of some kinds. Index: event_by_assignment.
EVENTS_OF_KINDS = """
    SELECT id, kind, data FROM annotation_event
    WHERE assignment_id = %(assignment)s AND kind = ANY(%(kinds)s) ORDER BY id
"""

# Log each warning once for an assignment and a field. Index: event_by_assignment.
LOG_SHOWN_WARNINGS = """
        INSERT INTO annotation_event (assignment_id, kind, at, data)
        SELECT %(assignment)s::bigint, 'warning_shown', %(now)s::timestamptz,
               jsonb_build_object('rule', w.rule, 'field', w.field)
        FROM unnest(%(rules)s::text[], %(fields)s::text[]) WITH ORDINALITY
             AS w (rule, field, place)
        WHERE NOT EXISTS (
            SELECT 1 FROM annotation_event e
            WHERE e.assignment_id = %(assignment)s AND e.kind = 'warning_shown'
              AND e.data->>'rule' = w.rule AND e.data->>'field' = w.field)
        ORDER BY w.place
        RETURNING id
        """

# A person's own quotes from pages of the project's snapshot, by their keys.
OWN_QUOTES = """
    SELECT q.id, q.exact, p.path, p.title, q.section_path, q.block_kind, q.headers
    FROM wikipedia_quote q JOIN wikipedia_shownpage p ON p.id = q.page_id
    WHERE q.id = ANY(%(ids)s) AND q.created_by_id = %(user)s AND p.snapshot_id = %(snapshot)s
"""

# --- figures -----------------------------------------------------------------------------------

# What everyone who answered a question did counts together, each page and each query once. A
# question imported as finished work says itself what was read and searched for. Assignments by
# assignment_of_project, events by event_by_assignment.
COUNTED_EFFORT = """
    SELECT q.split, count(DISTINCT e.data ->> 'path')
               FILTER (WHERE e.kind = 'page_open' AND e.data ->> 'via' = ANY(%(vias)s)),
           count(DISTINCT e.data ->> 'path') FILTER (WHERE e.kind = 'page_open'),
           count(DISTINCT lower(btrim(e.data ->> 'query'))) FILTER (WHERE e.kind = 'search')
    FROM annotation_assignment s
    JOIN annotation_task t ON t.id = s.task_id
    JOIN annotation_question q ON q.id = t.question_id
    LEFT JOIN annotation_event e ON e.assignment_id = s.id AND e.kind IN ('page_open', 'search')
    WHERE s.project_id = %(project)s AND s.stage = ANY(%(stages)s)
      AND s.state = 'submitted' AND s.used
      AND (%(split)s::text IS NULL OR q.split = %(split)s)
    GROUP BY q.id, q.split
"""

# The same, as imported questions say it. Questions by their project, tasks by their question,
# assignments by assignment_once_per_person.
IMPORTED_EFFORT = """
    SELECT q.split,
           (SELECT count(DISTINCT title) FROM jsonb_array_elements_text(
                q.context -> 'viewed_doc_titles') AS title),
           (SELECT count(DISTINCT lower(btrim(used ->> 'query')))
            FROM jsonb_array_elements(q.context -> 'used_queries') AS used)
    FROM annotation_question q
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
      AND q.state = 'accepted' AND jsonb_typeof(q.context -> 'viewed_doc_titles') = 'array'
      AND jsonb_typeof(q.context -> 'used_queries') = 'array'
      AND NOT EXISTS (
          SELECT FROM annotation_assignment s JOIN annotation_task t ON t.id = s.task_id
          WHERE t.question_id = q.id AND s.stage = ANY(%(stages)s)
            AND s.state = 'submitted' AND s.used)
"""

# How many submissions, or questions, have read how many pages. Assignments by
# assignment_of_project, events by event_by_assignment.
COUNTED_VISITS = """
    SELECT split, from_search, pages, count(*) FROM (
        SELECT min(q.split) AS split,
               count(DISTINCT e.data ->> 'path') FILTER (WHERE e.data ->> 'via' = ANY(%(vias)s))
                   AS from_search,
               count(DISTINCT e.data ->> 'path') AS pages
        FROM annotation_assignment s
        JOIN annotation_task t ON t.id = s.task_id
        JOIN annotation_question q ON q.id = t.question_id
        LEFT JOIN annotation_event e ON e.assignment_id = s.id AND e.kind = 'page_open'
        WHERE s.project_id = %(project)s AND s.stage = ANY(%(stages)s)
          AND s.state = 'submitted' AND s.used
        GROUP BY {unit}
    ) counted GROUP BY split, from_search, pages
"""

# The titles that imported questions name. Questions by their project.
NAMED_TITLES = """
    SELECT DISTINCT title FROM (
        SELECT jsonb_array_elements_text(
                   CASE WHEN jsonb_typeof(context -> 'viewed_doc_titles') = 'array'
                        THEN context -> 'viewed_doc_titles' ELSE '[]' END) AS title
        FROM annotation_question
        WHERE project_id = %(project)s AND (%(split)s::text IS NULL OR split = %(split)s)
        UNION ALL
        SELECT context ->> 'nq_doc_title' FROM annotation_question
        WHERE project_id = %(project)s AND (%(split)s::text IS NULL OR split = %(split)s)
    ) named WHERE title <> '' ORDER BY title
"""

# --- exports -----------------------------------------------------------------------------------

# The submissions whose reading is exported. Index: assignment_of_project.
EXPORTED_READING = f"""
    SELECT s.id, q.external_id, q.split, s.stage, u.key, s.used
    FROM annotation_assignment s
    JOIN annotation_task t ON t.id = s.task_id
    JOIN annotation_question q ON q.id = t.question_id
    JOIN accounts_user u ON u.id = s.user_id
    WHERE s.project_id = %(project)s AND s.state = 'submitted' AND NOT s.gold
      AND s.stage = ANY(%(stages)s)
      AND {chosen_condition()}
    ORDER BY q.id, s.submitted_at, s.id
"""  # noqa: S608 - constants of this module

# How often people searched and what they opened. Index: event_by_assignment.
COUNTED_EVENTS = """
    SELECT assignment_id,
           count(*) FILTER (WHERE kind = 'search' AND (data ->> 'offset')::int = 0),
           count(DISTINCT data ->> 'path')
               FILTER (WHERE kind = 'page_open' AND data ->> 'via' = ANY(%s)),
           count(DISTINCT data ->> 'path') FILTER (WHERE kind = 'page_open'),
           coalesce(sum((data ->> 'dwell_ms')::bigint) FILTER (WHERE kind = 'page_close'), 0)
    FROM annotation_event
    WHERE assignment_id = ANY(%s) AND kind IN ('search', 'page_open', 'page_close')
    GROUP BY assignment_id
"""

# All events of assignments, and the quotes made there. Times are written by the database as ISO
# 8601; the connection speaks UTC, as Django sets it. Index: event_by_assignment.
EXPORTED_EVENTS = """
    SELECT assignment_id,
           json_agg(json_build_object('id', id, 'kind', kind, 'at', at, 'data', data)
                    ORDER BY id)::text,
           array_agg((data ->> 'quote')::bigint ORDER BY id) FILTER (WHERE kind = 'quote')
    FROM annotation_event WHERE assignment_id = ANY(%s) GROUP BY assignment_id
"""

# Quotes with the pages that they are from, by their keys.
EXPORTED_QUOTES = """
    SELECT q.id, q.exact, q.prefix, q.suffix, q.start, q."end", q.section_path, q.section_anchor,
           q.block_kind, q.made_by, q.created_at, p.title, p.path, p.page_id, p.rev_id,
           p.rev_timestamp, p.retrieved_at, p.url, p.text_sha256, s.name, s.licence, p.html_sha256,
           q.headers
    FROM wikipedia_quote q
    JOIN wikipedia_shownpage p ON p.id = q.page_id
    JOIN wikipedia_snapshot s ON s.id = p.snapshot_id
    WHERE q.id = ANY(%s)
"""
