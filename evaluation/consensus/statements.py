"""SQL of what experts read of each other, and of what they agreed on."""

# The judgments `j` that count, with their submission `b` and its assignment `a`. Judgments by
# judgment_once_per_person, the others by their keys.
COUNTED = """
    evaluation_judgment j
    LEFT JOIN annotation_submission b ON b.id = j.submission_id
    LEFT JOIN annotation_assignment a ON a.id = b.assignment_id"""
COUNTS = "(j.submission_id IS NULL OR (a.state = 'submitted' AND a.used))"

# Whether somebody may still judge an answer to the question of item `i` of study `s`: judgments are
# missing while it runs, or somebody holds one of its tasks. Items and tasks by their question,
# assignments by assignment_once_per_person.
IS_BLIND = f"""(
    s.state = 'running' AND EXISTS (
        SELECT 1 FROM evaluation_item o WHERE o.study_id = s.id AND o.question_id = i.question_id
          AND s.raters > (SELECT count(*) FROM {COUNTED} WHERE j.item_id = o.id AND {COUNTS}))
    OR EXISTS (
        SELECT 1 FROM annotation_task t JOIN annotation_assignment h ON h.task_id = t.id
        WHERE t.question_id = i.question_id AND split_part(t.unit, '-', 1) = s.id::text
          AND h.stage = 'expert' AND h.state IN ('active', 'parked')))"""  # noqa: S608 - constants

# The order of the verdicts tells nothing about who gave them or when. Studies by their project,
# items by item_position_unique, what was agreed on by the item.
PANEL = f"""
    SELECT i.id, s.id, s.title, s.state, q.text, COALESCE(c.verdict, ''),
           array_agg(COALESCE(b.response, j.response) ->> 'verdict' ORDER BY md5(j.id::text))
    FROM evaluation_study s
    JOIN evaluation_item i ON i.study_id = s.id AND i.repeats_id IS NULL
    JOIN annotation_question q ON q.id = i.question_id
    JOIN {COUNTED} ON true
    LEFT JOIN evaluation_consensus c ON c.item_id = i.id
    WHERE s.project_id = %(project)s AND s.pairing = 'expert' AND j.item_id = i.id AND {COUNTS}
      AND %(study)s IN (0, s.id) AND %(item)s IN (0, i.id) AND NOT {IS_BLIND}
    GROUP BY i.id, s.id, q.id, c.id
    HAVING %(expert)s = 0 OR bool_or(j.judge_id = %(expert)s)"""  # noqa: S608 - constants
LIST_PANEL = f"""
    WITH panel (item, study, title, state, text, agreed, verdicts) AS ({PANEL})
    SELECT * FROM panel WHERE (agreed = '') = %(waiting)s
    ORDER BY cardinality(ARRAY(SELECT DISTINCT unnest(verdicts))) = 1, study, item
    LIMIT %(limit)s OFFSET %(offset)s"""  # noqa: S608 - constants of this module
COUNT_PANEL = f"""
    WITH panel (item, study, title, state, text, agreed, verdicts) AS ({PANEL})
    SELECT count(*) FILTER (WHERE agreed = ''), count(*) FILTER (WHERE agreed <> '')
    FROM panel"""  # noqa: S608 - constants of this module

# What each expert said about an item. Index: judgment_once_per_person.
OPINIONS = f"""
        SELECT j.judge_id, COALESCE(b.response, j.response) ->> 'verdict',
               COALESCE(b.response, j.response) ->> 'why'
        FROM {COUNTED} WHERE j.item_id = %(item)s AND {COUNTS} ORDER BY md5(j.id::text)
        """  # noqa: S608 - constants of this module
