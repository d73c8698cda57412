"""SQL of list questions: their answers, verdicts, paraphrases, the reserve and the release."""

from annotation.core.models.work import PRIORITY_STEP
from annotation.models import Question

# --- the reserve -------------------------------------------------------------------------------

# Wait until nobody else fills the split. A lock that no row has.
LOCK_SPLIT = "SELECT pg_advisory_xact_lock(%s, %s)"

# The state of question `q` while it is in the reserve, found by the question.
IN_RESERVE = f"""(
    SELECT '{Question.State.EXCLUDED.value}' FROM qampari_listquestion r
    WHERE r.question_id = q.id AND r.reserve)
"""  # noqa: S608 - constants of this module

# Whether question `q` is a list question, found by the question.
IS_LISTED = "(SELECT true FROM qampari_listquestion r WHERE r.question_id = q.id)"

# --- answers and verdicts ----------------------------------------------------------------------

# Answers of a question with their evidence. Indexes: candidate_once, evidence_once.
ANSWERS_TO_CHECK = """
    SELECT c.position, c.text, c.forms,
           (SELECT jsonb_agg(jsonb_build_array(e.text, e.url) ORDER BY e.position)
            FROM qampari_evidence e WHERE e.candidate_id = c.id)
    FROM qampari_candidate c
    WHERE c.question_id = %(question)s AND c.position = ANY(%(positions)s::int[])
    ORDER BY c.position
"""

# What people can be shown to check under questions: their answers, and what gold items show in
# place of one. Answers by candidate_once, tasks by their question, gold items by their task.
SHOWN_TO_CHECK = """
    SELECT c.question_id, c.text, c.forms,
           (SELECT jsonb_agg(jsonb_build_array(e.text, e.url) ORDER BY e.position)
            FROM qampari_evidence e WHERE e.candidate_id = c.id)
    FROM qampari_candidate c WHERE c.question_id = ANY(%(questions)s)
    UNION ALL
    SELECT t.question_id, g.content ->> 'text', g.content -> 'forms', g.content -> 'evidence'
    FROM annotation_task t
    JOIN annotation_golditem g ON g.task_id = t.id AND g.content ->> 'text' <> ''
    JOIN annotation_goldplan n ON n.id = g.plan_id AND n.stage = %(stage)s
    WHERE t.question_id = ANY(%(questions)s)
"""

# Whether a question has something to check on which a version of a system says nothing. Indexes as
# above, suggestions by suggestion_once_per_position.
UNJUDGED = """EXISTS (
    SELECT FROM (
        SELECT c.text FROM qampari_candidate c WHERE c.question_id = annotation_question.id
        UNION
        SELECT g.content ->> 'text' FROM annotation_task t
        JOIN annotation_golditem g ON g.task_id = t.id
        JOIN annotation_goldplan n ON n.id = g.plan_id AND n.stage = 'qampari-check'
        WHERE t.question_id = annotation_question.id AND t.gold) shown
    WHERE shown.text <> '' AND NOT EXISTS (
        SELECT FROM annotation_suggestion v
        WHERE v.question_id = annotation_question.id AND v.system = %s AND v.version = %s
          AND v.kind = 'verdict' AND v.content -> 'answers' ->> 0 = shown.text))"""

# What people may be shown to check without a verdict of a system, under questions that have one. A
# gold item that is in nobody's hands and handed out no more is shown to nobody. Answers by
# candidate_once, gold items by their plan, tasks and assignments by their keys.
UNSUGGESTED = """
    WITH said AS MATERIALIZED (
        SELECT DISTINCT v.question_id, v.content -> 'answers' ->> 0 AS text
        FROM annotation_question q JOIN annotation_suggestion v ON v.question_id = q.id
        WHERE q.project_id = %(project)s AND q.split = %(split)s
          AND v.system = %(system)s AND v.kind = 'verdict'),
    shown AS (
        SELECT c.question_id, c.text FROM qampari_candidate c
        WHERE c.question_id IN (SELECT question_id FROM said)
        UNION ALL
        SELECT t.question_id, g.content ->> 'text'
        FROM annotation_goldplan n
        JOIN annotation_golditem g ON g.plan_id = n.id
        JOIN annotation_task t ON t.id = g.task_id
        WHERE n.project_id = %(project)s AND n.stage = %(stage)s
          AND t.question_id IN (SELECT question_id FROM said)
          AND (t.seats > 0 OR EXISTS (
              SELECT FROM annotation_assignment a
              WHERE a.task_id = t.id AND a.state IN ('active', 'parked'))))
    SELECT count(*) FROM shown
    WHERE shown.text <> '' AND NOT EXISTS (
        SELECT FROM said
        WHERE said.question_id = shown.question_id AND said.text = shown.text)
"""

# The answer on the page of each of these assignments; a gold item may have another one. Assignments
# by their keys, gold items by their task, answers by candidate_once.
NAMES_OF_ANSWERS = """
    SELECT a.id, COALESCE(g.content ->> 'text', c.text)
    FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id
    LEFT JOIN annotation_golditem g ON g.task_id = t.id
    LEFT JOIN qampari_candidate c
      ON c.question_id = t.question_id AND c.position::text = COALESCE(g.unit, t.unit)
    WHERE a.id = ANY(%(assignments)s)
"""

# Only work that is in use counts. Staff have at most one submission that does. Answers by
# candidate_once, submissions by their question.
JUDGED_ANSWERS = """
    SELECT c.question_id, c.position, c.text, c.forms, c.lot,
           array_remove(array_agg(s.response ->> 'verdict' ORDER BY s.id), NULL),
           array_remove(array_agg(NULLIF(s.response ->> 'why', '') ORDER BY s.id), NULL),
           (SELECT v.value ->> 'verdict'
            FROM annotation_submission staff
            JOIN annotation_assignment b ON b.id = staff.assignment_id AND b.used
                 AND b.state = 'submitted'
            CROSS JOIN LATERAL jsonb_array_elements(staff.response -> 'answers') AS v
            WHERE staff.question_id = c.question_id AND staff.stage = %(team)s
              AND v.value ->> 'place' = c.position::text
            ORDER BY staff.id DESC LIMIT 1),
           p.rule_settings
    FROM qampari_candidate c
    JOIN annotation_question q ON q.id = c.question_id
    JOIN annotation_project p ON p.id = q.project_id
    LEFT JOIN (annotation_submission s
               JOIN annotation_assignment a ON a.id = s.assignment_id AND a.used
                    AND a.state = 'submitted'
               JOIN annotation_task t ON t.id = a.task_id)
      ON s.question_id = c.question_id AND s.stage = %(check)s AND t.unit = c.position::text
    WHERE c.question_id = ANY(%(questions)s)
    GROUP BY c.id, p.id ORDER BY c.question_id, c.position
"""

# What each person said of answers, and of those that staff checked, what they overruled. Gold items
# are of no place. Assignments by assignment_of_project, submissions by their assignment.
VERDICTS_BY_PERSON = """
    WITH staff AS (
        SELECT DISTINCT ON (n.question_id, v.value ->> 'place')
               n.question_id, v.value ->> 'place' AS place,
               v.value ->> 'verdict' = %(correct)s AS correct
        FROM annotation_assignment b
        JOIN annotation_submission n ON n.assignment_id = b.id
        CROSS JOIN LATERAL jsonb_array_elements(n.response -> 'answers') AS v
        WHERE b.project_id = %(project)s AND b.stage = %(team)s AND b.state = 'submitted' AND b.used
        ORDER BY n.question_id, v.value ->> 'place', n.id DESC),
    said AS (
        SELECT a.user_id, s.response ->> 'verdict' = %(correct)s AS correct, staff.correct AS known
        FROM annotation_assignment a
        JOIN annotation_submission s ON s.assignment_id = a.id
        JOIN annotation_task t ON t.id = a.task_id
        JOIN annotation_question q ON q.id = s.question_id
        LEFT JOIN staff ON staff.question_id = s.question_id AND staff.place = t.unit
        WHERE a.project_id = %(project)s AND a.stage = %(check)s AND a.state = 'submitted'
          AND a.used AND NOT t.gold AND (%(split)s = '' OR q.split = %(split)s))
    SELECT user_id, count(*), count(*) FILTER (WHERE correct AND known IS NOT NULL),
           count(*) FILTER (WHERE correct AND NOT known),
           count(*) FILTER (WHERE NOT correct AND known IS NOT NULL),
           count(*) FILTER (WHERE NOT correct AND known)
    FROM said GROUP BY user_id ORDER BY user_id
"""

# What people added to questions, and whether any of them was shown suggestions. Assignments by
# assignment_of_project, submissions by their assignment, uses by suggestion_use_once.
ADDED_ANSWERS = """
    SELECT n.question_id, jsonb_agg(n.response -> 'added' ORDER BY n.id),
           bool_or(EXISTS (SELECT FROM annotation_suggestionuse u WHERE u.assignment_id = a.id))
    FROM annotation_submission n
    JOIN annotation_assignment a ON a.id = n.assignment_id
    WHERE a.project_id = %(project)s AND a.stage = %(stage)s AND a.state = 'submitted' AND a.used
    GROUP BY n.question_id
"""

# The lists that were extended, by question, the last column with how many suggestions each person
# was shown. Assignments by assignment_of_project, submissions by their assignment, uses by
# suggestion_use_once.
EXTENDED_LISTS = """
    SELECT q.id, q.external_id, q.text, q.split,
           array_agg(n.response ORDER BY s.submitted_at, s.id),
           array_agg(s.active_seconds ORDER BY s.submitted_at, s.id),
           array_agg(s.at_limit ORDER BY s.submitted_at, s.id),
           array_agg((SELECT count(*) FROM annotation_suggestionuse u
                      WHERE u.assignment_id = s.id) ORDER BY s.submitted_at, s.id)
    FROM annotation_assignment s
    JOIN annotation_submission n ON n.assignment_id = s.id
    JOIN annotation_task t ON t.id = s.task_id
    JOIN annotation_question q ON q.id = n.question_id
    WHERE s.project_id = %(project)s AND s.state = 'submitted' AND s.used
      AND s.stage = '{stage}' AND {chosen}
    GROUP BY q.id ORDER BY q.id
"""

# --- paraphrases -------------------------------------------------------------------------------

# The same in SQL, on a sample `s`: see `is_drawn`.
DRAWN = """
    ((('x' || substr(md5(s.seed || ':' || place / 2), 1, 8))::bit(32)::bigint & 1) = place % 2)"""

# One statement, whatever comes of it. One that came back to its author keeps its place, so that
# writing it anew draws nothing anew; its author and those of others of the question never verify.
# Indexes: paraphrase_once_per_question_and_author, sample_once_per_project_and_person,
# policy_once_per_stage_and_split.
KEEP_PARAPHRASE = f"""
    WITH earlier AS (
        SELECT id FROM qampari_paraphrase
        WHERE question_id = %(question)s AND author_id = %(author)s),
    s AS (
        INSERT INTO qampari_sample (project_id, person_id, seed, made)
        SELECT %(project)s::bigint, %(author)s::bigint, %(seed)s::bigint, 1
        WHERE NOT EXISTS (SELECT FROM earlier)
        ON CONFLICT (project_id, person_id) DO UPDATE SET made = qampari_sample.made + 1
        RETURNING seed, made - 1 AS place),
    made AS (
        INSERT INTO qampari_paraphrase
            (question_id, author_id, place, drawn, version, text, submission_id)
        SELECT %(question)s::bigint, %(author)s::bigint, place, {DRAWN}, 1,
               %(text)s::text, %(submission)s::bigint
        FROM s RETURNING id, drawn, version),
    again AS (
        UPDATE qampari_paraphrase p
        SET version = p.version + 1, text = %(text)s::text, submission_id = %(submission)s::bigint
        FROM earlier WHERE p.id = earlier.id RETURNING p.id, p.drawn, p.version),
    kept AS (SELECT * FROM made UNION ALL SELECT * FROM again),
    asked AS (
        INSERT INTO annotation_task
            (policy_id, question_id, unit, seats, people, position, barred, created_at)
        SELECT v.id, q.id, kept.id || '-' || kept.version, 1, 1,
               q.id + q.priority * {PRIORITY_STEP},
               ARRAY(SELECT %(author)s::bigint UNION
                     SELECT author_id FROM qampari_paraphrase WHERE question_id = q.id),
               %(now)s::timestamptz
        FROM kept
        JOIN annotation_question q ON q.id = %(question)s
        JOIN annotation_stagepolicy v
          ON v.project_id = q.project_id AND v.split = q.split AND v.stage = %(verify)s
        WHERE kept.drawn)
    SELECT id FROM kept
"""  # noqa: S608 - constants of this module

# A paraphrase counts once it is submitted and used, and if it was drawn, once another person has
# found that it means the same. Of several, the first counts. Paraphrases by
# paraphrase_once_per_question_and_author, verifications by their paraphrase.
ACCEPTED_PARAPHRASES = """
    SELECT DISTINCT ON (p.question_id) p.question_id, p.text
    FROM qampari_paraphrase p
    JOIN annotation_submission s ON s.id = p.submission_id
    JOIN annotation_assignment a ON a.id = s.assignment_id AND a.state = 'submitted' AND a.used
    WHERE p.question_id = ANY(%(questions)s)
      AND (NOT p.drawn OR EXISTS (
          SELECT 1 FROM qampari_verification v
          JOIN annotation_submission vs ON vs.id = v.submission_id
          JOIN annotation_assignment va ON va.id = vs.assignment_id AND va.used
          WHERE v.paraphrase_id = p.id AND v.version = p.version AND v.verdict = 'same'))
    ORDER BY p.question_id, p.id
"""

# How many paraphrases each person wrote, and what others found. Questions by their project,
# paraphrases by paraphrase_once_per_question_and_author, verifications by their paraphrase.
PARAPHRASES_BY_PERSON = """
    SELECT p.author_id, count(*), count(*) FILTER (WHERE p.drawn),
           count(v.first), count(*) FILTER (WHERE v.first = 'same'),
           count(*) FILTER (WHERE v.first = 'changed'),
           count(*) FILTER (WHERE v.first = 'unnatural')
    FROM qampari_paraphrase p
    JOIN annotation_question q ON q.id = p.question_id
    CROSS JOIN LATERAL (
        SELECT (SELECT w.verdict FROM qampari_verification w
                WHERE w.paraphrase_id = p.id ORDER BY w.version, w.id LIMIT 1) AS first) v
    WHERE q.project_id = %(project)s AND (%(split)s = '' OR q.split = %(split)s)
    GROUP BY p.author_id ORDER BY p.author_id
"""

# --- the release -------------------------------------------------------------------------------

# In the order of the splits, and of import within each. Questions by their project, tasks by their
# question, assignments by assignment_once_per_person.
RELEASED_QUESTIONS = """
    SELECT q.id, q.external_id, q.text, q.split, q.state, q.context, COALESCE(r.reserve, false),
           (SELECT max(a.submitted_at) FROM annotation_assignment a
            JOIN annotation_task t ON t.id = a.task_id
            WHERE t.question_id = q.id AND a.state = 'submitted'),
           ARRAY(SELECT DISTINCT a.guideline_version FROM annotation_assignment a
                 JOIN annotation_task t ON t.id = a.task_id
                 WHERE t.question_id = q.id AND a.state = 'submitted' AND a.used)
    FROM annotation_question q
    LEFT JOIN qampari_listquestion r ON r.question_id = q.id
    WHERE q.project_id = %s AND (%s::text IS NULL OR q.split = %s)
    ORDER BY array_position(ARRAY['train', 'dev', 'test'], q.split::text), q.id
"""
