"""SQL of a person's turn, found by its key with all that its page needs, and of their role."""

# What is read: the columns of the rows, the newest guideline (guideline_version_unique), the pages
# that were opened, and whether anything is logged (both by event_by_assignment).
TURN_COLUMNS = """
    SELECT {columns},
        (SELECT max(g.version) FROM annotation_guideline g WHERE g.project_id = a.project_id),
        (SELECT jsonb_agg(DISTINCT jsonb_build_array(e.data->>'path', s.id))
         FROM annotation_event e
         LEFT JOIN wikipedia_shownpage s
           ON s.snapshot_id = p.snapshot_id AND s.path = e.data->>'path'
         WHERE e.assignment_id = a.id AND e.kind = 'page_open'),
        EXISTS (SELECT 1 FROM annotation_event e WHERE e.assignment_id = a.id)
"""

# The rows, each by its key.
TURN_ROWS = """
    FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_question q ON q.id = t.question_id
    JOIN annotation_stagepolicy y ON y.id = a.policy_id
    JOIN annotation_project p ON p.id = a.project_id
    JOIN wikipedia_snapshot w ON w.id = p.snapshot_id
    WHERE a.id = %(assignment)s AND a.user_id = %(user)s
"""

# Whether the person keeps a role until the statement is over: whoever takes it away ends only the
# turns that are there. Index: membership_once_per_role.
KEEPS_ROLE = """(%(everywhere)s::boolean OR EXISTS (SELECT 1 FROM annotation_membership WHERE
    (user_id, project_id, role) = (%(user)s, %(project)s, %(role)s) FOR KEY SHARE SKIP LOCKED))"""
