"""SQL of monitoring: how much people submit, and the warnings that they see."""

# What each person has submitted, lately and ever. Index: assignment_of_project.
COUNTED_SUBMISSIONS = """
            SELECT a.user_id,
                   count(*) FILTER (WHERE a.submitted_at >= %(week)s AND NOT a.gold),
                   count(*) FILTER (WHERE a.submitted_at >= %(since)s AND NOT a.gold),
                   percentile_cont(0.5) WITHIN GROUP (ORDER BY a.active_seconds)
                       FILTER (WHERE a.submitted_at >= %(since)s AND NOT a.gold),
                   to_json(max(a.submitted_at)) #>> '{}'
            FROM annotation_assignment a
            WHERE a.project_id = %(project)s AND a.state = 'submitted'
              AND a.stage = ANY(%(stages)s)
            GROUP BY a.user_id
            """

# Count each warning once per assignment, however often it was shown or kept. Assignments by
# assignment_of_project, events by event_by_assignment.
COUNTED_WARNINGS = """
            SELECT w.user_id, count(*), count(*) FILTER (WHERE w.kept)
            FROM (SELECT a.user_id, e.assignment_id, e.data->>'rule', e.data->>'field',
                         bool_or(e.kind = 'warning_kept') AS kept
                  FROM annotation_assignment a
                  JOIN annotation_event e ON e.assignment_id = a.id
                  WHERE a.project_id = %(project)s AND a.state = 'submitted'
                    AND a.stage = ANY(%(stages)s) AND a.submitted_at >= %(since)s AND NOT a.gold
                    AND e.kind IN ('warning_shown', 'warning_kept')
                  GROUP BY 1, 2, 3, 4) w
            GROUP BY w.user_id
            """
