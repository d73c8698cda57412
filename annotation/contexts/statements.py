"""SQL of context paragraphs: what waits for a search, what a threshold shows."""

# --- questions ---------------------------------------------------------------------------------

# The part of a question that is searched for; another import may change it.
FINGERPRINT = "md5(jsonb_build_array(q.context -> 'qa_pairs', q.context -> 'wikipages')::text)"

# To be handed out and never taken. Questions imported as finished work have no task. Tasks with
# terms of their own are those of studies, in which no one sees a paragraph. Tasks by their
# question, assignments by assignment_once_per_person.
UNOPENED = """
    EXISTS (SELECT 1 FROM annotation_task t WHERE t.question_id = q.id AND t.people IS NULL)
    AND NOT EXISTS (SELECT 1 FROM annotation_task t
                    JOIN annotation_assignment a ON a.task_id = t.id
                    WHERE t.question_id = q.id AND t.people IS NULL)
"""

# Questions that were not searched in their present form. Questions by their project, searches by
# their question.
WAITING_QUESTIONS = f"""
    FROM annotation_question q
    LEFT JOIN annotation_contextsearch s ON s.question_id = q.id
    WHERE q.project_id = %(project)s AND q.id > %(after)s AND {UNOPENED}
      AND (s.id IS NULL OR s.fingerprint <> {FINGERPRINT} OR s.created_at < %(before)s)
"""
COUNT_UNSEARCHED = f"SELECT count(*) {WAITING_QUESTIONS}"
NEXT_UNSEARCHED = f"SELECT q.id, {FINGERPRINT} {WAITING_QUESTIONS} ORDER BY q.id LIMIT {{batch}}"

# Whether a question is still unopened and as it was searched, by its key.
STILL_UNOPENED = (
    f"SELECT 1 FROM annotation_question q WHERE q.id = %s AND {UNOPENED} AND {FINGERPRINT} = %s"  # noqa: S608 - constants
)

# What a writer is given with a question, by its key. Paragraphs by context_once_per_disambiguation.
GIVEN_CONTEXT = """
    SELECT q.context, (
        SELECT jsonb_agg(jsonb_build_array(c.position, c.text, c.title, c.path))
        FROM annotation_contextparagraph c WHERE c.question_id = q.id AND c.shown)
    FROM annotation_question q WHERE q.id = %(question)s
"""

# --- the threshold -----------------------------------------------------------------------------

# Read a project's threshold and keep it as it is until the transaction ends, by its key.
LOCK_THRESHOLD = "SELECT context_threshold FROM annotation_project WHERE id = %s FOR SHARE"

CONTRARY = "c.shown <> (c.score >= %(threshold)s)"

# The questions with a paragraph that is shown or hidden contrary to the threshold. Questions by
# their project, paragraphs by their question.
DIFFERING_QUESTIONS = f"""
            SELECT DISTINCT q.id FROM annotation_contextparagraph c
            JOIN annotation_question q ON q.id = c.question_id
            WHERE q.project_id = %(project)s AND {CONTRARY} ORDER BY q.id
            """  # noqa: S608 - constants of this module

# Shows and hides in one statement; a paragraph that needs no change is not touched. Questions by
# their keys, paragraphs by their question.
APPLY_THRESHOLD = f"""
    UPDATE annotation_contextparagraph c SET shown = NOT c.shown
    FROM annotation_question q
    WHERE q.id = c.question_id AND q.id = ANY(%(questions)s) AND {CONTRARY} AND {UNOPENED}
    RETURNING c.shown
"""  # noqa: S608 - constants of this module

# --- figures -----------------------------------------------------------------------------------

# How many disambiguations came with a context. As `given_context` reads a pair. Questions imported
# as finished work have no task. Questions by their project.
COUNTED_PAIRS = f"""
    WITH asked AS (
        SELECT q.id, q.context -> 'qa_pairs' AS pairs, {UNOPENED} AS open
        FROM annotation_question q
        WHERE q.project_id = %(project)s
          AND EXISTS (SELECT 1 FROM annotation_task t WHERE t.question_id = q.id))
    SELECT count(*), count(*) FILTER (WHERE open), coalesce(sum(p.pairs), 0)::int,
           coalesce(sum(p.given), 0)::int
    FROM asked CROSS JOIN LATERAL (
        SELECT count(*) AS pairs,
               count(*) FILTER (WHERE jsonb_typeof(pair -> 'context') = 'string'
                                  AND pair ->> 'context' ~ '\\S'
                                  AND pair ->> 'context' <> %(none)s) AS given
        FROM jsonb_array_elements(CASE WHEN jsonb_typeof(pairs) = 'array'
                                       THEN pairs ELSE '[]' END) AS each (pair)
        WHERE jsonb_typeof(pair) = 'object') p
"""  # noqa: S608 - constants of this module

# Every paragraph, its score in hundredths, rounded down: it is shown from there on. Questions by
# their project, paragraphs by their question.
SCORED_PARAGRAPHS = f"""
    SELECT c.id, c.score, c.question_id, c.shown, {UNOPENED} AS open,
           floor(c.score::numeric * 100)::int AS hundredths
    FROM annotation_question q JOIN annotation_contextparagraph c ON c.question_id = q.id
    WHERE q.project_id = %(project)s
"""  # noqa: S608 - constants of this module
COUNTED_SCORES = (
    f"SELECT hundredths, open, shown, count(*) FROM ({SCORED_PARAGRAPHS}) c GROUP BY 1, 2, 3"  # noqa: S608 - constants
)

# A threshold changes a question if it is above the lowest score that is shown, or not above the
# highest that is hidden.
COUNTED_QUESTIONS = f"""
    SELECT open, lowest, highest, count(*) FROM (
        SELECT open, coalesce(min(hundredths) FILTER (WHERE shown), 101) AS lowest,
               coalesce(max(hundredths) FILTER (WHERE NOT shown), -1) AS highest
        FROM ({SCORED_PARAGRAPHS}) c GROUP BY question_id, open) q
    GROUP BY 1, 2, 3
"""  # noqa: S608 - constants of this module

# Whatever the threshold, the nearest paragraphs are among the outermost of each hundredth.
OUTERMOST_PARAGRAPHS = f"""
    SELECT id, score FROM (
        SELECT id, score,
               row_number() OVER (PARTITION BY hundredths ORDER BY score, id) AS up,
               row_number() OVER (PARTITION BY hundredths ORDER BY score DESC, id) AS down
        FROM ({SCORED_PARAGRAPHS}) c) c
    WHERE least(up, down) <= {{examples}}
"""  # noqa: S608 - constants of this module
