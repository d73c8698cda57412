"""SQL of exports that belong to no stage."""

from annotation.exports.selection import chosen_condition

EXPORTED_SKIPS = f"""
    SELECT s.id, s.task_id, s.stage, u.key, s.skip_reason, s.feedback, s.started_at, s.ended_at,
           s.active_seconds, s.guideline_version, q.external_id, q.text, q.split
    FROM annotation_assignment s
    JOIN annotation_task t ON t.id = s.task_id
    JOIN annotation_question q ON q.id = t.question_id
    JOIN accounts_user u ON u.id = s.user_id
    WHERE s.project_id = %(project)s AND s.state = 'skipped' AND NOT s.gold
      AND s.stage = ANY(%(stages)s)
      AND {chosen_condition(time="s.ended_at")}
    ORDER BY q.id, s.ended_at, s.id
"""  # noqa: S608 - only our own words are put in
