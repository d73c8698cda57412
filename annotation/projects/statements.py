"""SQL of a project's open work that no member may take."""

# Whether member `m` has the qualification that policy `p` demands. Index: qualified_once_at_a_time.
IS_QUALIFIED = """(p.qualification_id IS NULL OR EXISTS (
    SELECT 1 FROM annotation_qualified held WHERE held.qualification_id = p.qualification_id
      AND held.user_id = m.user_id AND held.revoked_at IS NULL))"""

# The members with the role of a stage, found by their project.
MEMBERS = """annotation_membership m JOIN accounts_user u ON u.id = m.user_id AND u.is_active
    WHERE m.project_id = p.project_id AND m.role = w.role"""

# An open seat, and no member who would get the task from take_next. One that comes after another
# task waits while that has an open seat, or is in someone's hands. Index: task_open_by_position.
STUCK_TASKS = f"""annotation_task t WHERE t.policy_id = p.id AND t.seats > 0
    AND (t.after_id IS NULL OR NOT EXISTS (
        SELECT 1 FROM annotation_task first WHERE first.id = t.after_id
          AND (first.seats > 0 OR EXISTS (
              SELECT 1 FROM annotation_assignment held
              WHERE held.task_id = first.id AND held.state IN ('active', 'parked')))))
    AND NOT EXISTS (SELECT 1 FROM {MEMBERS} AND m.paused_at IS NULL
                    AND {IS_QUALIFIED} AND {{not_had}})"""  # noqa: S608 - constants

WORK_OF_STAGES = "unnest(%(stages)s::text[], %(roles)s::text[]) AS w (stage, role)"

# How many tasks of each policy are stuck, and who could take them. Policies by their project.
STUCK_WORK = f"""
    SELECT p.id, s.n, e.members, e.paused, e.able
    FROM annotation_stagepolicy p JOIN {WORK_OF_STAGES} ON w.stage = p.stage
    CROSS JOIN LATERAL (SELECT count(*)::int AS n FROM (
        SELECT 1 FROM {STUCK_TASKS} LIMIT %(most)s) counted) s
    CROSS JOIN LATERAL (
        SELECT count(*)::int AS members,
               (count(*) FILTER (WHERE m.paused_at IS NOT NULL))::int AS paused,
               (count(*) FILTER (WHERE m.paused_at IS NULL AND {IS_QUALIFIED}))::int AS able
        FROM {MEMBERS}) e
    WHERE p.project_id = ANY(%(projects)s) AND s.n > 0
    ORDER BY p.project_id, p.stage, p.split
"""  # noqa: S608 - constants of this module

# The first questions of a policy that are stuck.
STUCK_QUESTIONS = f"""
    SELECT DISTINCT t.question_id
    FROM annotation_stagepolicy p JOIN {WORK_OF_STAGES} ON w.stage = p.stage
    JOIN LATERAL (SELECT t.question_id FROM {STUCK_TASKS}
                  ORDER BY t.position, t.id LIMIT %(most)s) t ON true
    WHERE p.id = %(policy)s
"""  # noqa: S608 - constants of this module
