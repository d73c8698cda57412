"""SQL of studies: what can be drawn, what was drawn and what was judged."""

from annotation.exports.selection import chosen_condition

# Spaces are counted, as splitting every text would take long. OFFSET keeps a look into the index
# for each question: otherwise all outputs are read, also those of other projects. Questions by
# question_by_state, answers by their question.
COUNTED_ANSWERS = """
    SELECT q.split, o.system_id, count(*),
           round(avg(length(o.text) - length(replace(o.text, ' ', '')) + 1))::int
    FROM annotation_question q
    CROSS JOIN LATERAL (
        SELECT system_id, text FROM evaluation_output WHERE question_id = q.id OFFSET 0
    ) o
    WHERE q.project_id = %(project)s
    GROUP BY q.split, o.system_id
"""

# Questions that have an answer from every system, with the number of their disambiguations. The
# order is that of their ids in the file, so that the same files draw the same ones in any database.
# Answers by output_once_per_system_and_question.
POOL = """
    SELECT q.id, d.number
    FROM annotation_question q
    JOIN (SELECT question_id FROM evaluation_output WHERE system_id = ANY(%(systems)s)
          GROUP BY question_id HAVING count(*) = %(number)s) o ON o.question_id = q.id
    CROSS JOIN LATERAL (
        SELECT CASE WHEN jsonb_typeof(q.context -> 'qa_pairs') = 'array' THEN (
            SELECT count(*)::int FROM jsonb_array_elements(q.context -> 'qa_pairs') AS e (pair)
            WHERE jsonb_typeof(pair) = 'object') ELSE 0 END AS number) d
    WHERE q.project_id = %(project)s AND q.split = %(split)s AND q.state <> %(excluded)s
      AND (d.number > 0 OR NOT %(disambiguated)s)
    ORDER BY q.external_id COLLATE "C"
"""

# The judgments of a study that count. Items by item_position_unique, judgments by
# judgment_once_per_person.
EXPORTED_JUDGMENTS = f"""
    SELECT i.study_id, i.position, r.position, q.external_id, q.text, q.split, q.context,
           btrim(f.name || ' ' || f.version), btrim(n.name || ' ' || n.version),
           j.swapped, u.key, j.judge_name, coalesce(b.response, j.response), s.id, b.id,
           s.started_at, s.submitted_at, s.active_seconds, j.created_at, s.guideline_version
    FROM evaluation_judgment j
    JOIN evaluation_item i ON i.id = j.item_id
    LEFT JOIN evaluation_item r ON r.id = i.repeats_id
    JOIN annotation_question q ON q.id = i.question_id
    JOIN evaluation_system f ON f.id = i.first_id
    LEFT JOIN evaluation_system n ON n.id = i.second_id
    LEFT JOIN accounts_user u ON u.id = j.judge_id
    LEFT JOIN annotation_submission b ON b.id = j.submission_id
    LEFT JOIN annotation_assignment s ON s.id = b.assignment_id
    WHERE i.study_id = %(study)s
      AND (j.submission_id IS NULL OR (s.state = 'submitted' AND s.used))
      AND {chosen_condition(person="j.judge_id", time="coalesce(s.submitted_at, j.created_at)")}
    ORDER BY i.position, j.id
"""  # noqa: S608 - constants of this module
