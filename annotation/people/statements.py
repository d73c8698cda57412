"""SQL of people in a project."""

# Where people stand in some stages of a project: how many of the roles they have, since when all
# these are paused, whether they hold work, whether there is work that they have not had, and
# whether they have submitted any. The last tasks are tried first, since people begin with the
# first. Tasks by task_open_by_position, assignments by assignment_mine_by_state.
PEOPLE_AT_WORK = """
    SELECT u.id, m.roles, m.paused_at,
           EXISTS (SELECT 1 FROM annotation_assignment a
                   WHERE a.user_id = u.id AND a.state IN ('active', 'parked')
                     AND a.project_id = %(project)s AND a.stage = ANY(%(stages)s)),
           m.roles > 0 AND m.paused_at IS NULL AND EXISTS (
               SELECT 1 FROM annotation_stagepolicy p
               WHERE p.project_id = %(project)s AND p.stage = ANY(%(stages)s)
                 AND (SELECT t.id FROM annotation_task t
                      WHERE t.policy_id = p.id AND t.seats > 0 AND {not_had}
                      ORDER BY t.position DESC, t.id DESC LIMIT 1) IS NOT NULL),
           EXISTS (SELECT 1 FROM annotation_assignment a
                   WHERE a.user_id = u.id AND a.state = 'submitted'
                     AND a.project_id = %(project)s AND a.stage = ANY(%(stages)s))
    FROM unnest(%(users)s::bigint[]) AS u (id)
    CROSS JOIN LATERAL (
        SELECT count(*) AS roles,
               CASE WHEN bool_and(m.paused_at IS NOT NULL) THEN max(m.paused_at) END AS paused_at
        FROM annotation_membership m
        WHERE m.user_id = u.id AND m.project_id = %(project)s AND m.role = ANY(%(roles)s)) m
"""
