"""SQL of the home pages. Who may work is asked by the index of tasks by policy and position."""

from annotation.work.statements import NOT_HAD

NOT_HAD_BY_MEMBER = NOT_HAD.format(user="m.user_id", stage="p.stage")


# People who may work, hold nothing, and would get nothing, in projects where not all is done; the
# last tasks are tried first, since people begin with the first.
PEOPLE_WITHOUT_WORK = f"""
    SELECT m.project_id, u.name
    FROM annotation_membership m
    JOIN accounts_user u ON u.id = m.user_id AND u.is_active
    JOIN annotation_project pr ON pr.id = m.project_id AND pr.state = 'running'
    WHERE m.project_id = ANY(%(projects)s) AND m.paused_at IS NULL AND m.role = ANY(%(roles)s)
      AND EXISTS (SELECT 1 FROM annotation_stagepolicy p
                  JOIN annotation_task t ON t.policy_id = p.id
                  JOIN unnest(%(stages)s::text[], %(of)s::text[]) AS w (stage, role)
                    ON w.stage = p.stage AND w.role = m.role
                  WHERE p.project_id = m.project_id)
      AND m.project_id IN (
        SELECT p.project_id FROM annotation_stagepolicy p
        JOIN annotation_task t ON t.policy_id = p.id AND t.seats > 0
        WHERE p.project_id = ANY(%(projects)s)
        UNION SELECT a.project_id FROM annotation_assignment a
        WHERE a.project_id = ANY(%(projects)s) AND a.state IN ('active', 'parked')
        UNION SELECT q.project_id FROM annotation_question q
        WHERE q.project_id = ANY(%(projects)s) AND q.state <> ALL(%(over)s))
      AND NOT EXISTS (SELECT 1 FROM annotation_assignment a
                      WHERE a.user_id = m.user_id AND a.project_id = m.project_id
                        AND a.state IN ('active', 'parked'))
    GROUP BY m.project_id, m.user_id, u.name
    HAVING NOT bool_or(EXISTS (
      SELECT 1 FROM annotation_stagepolicy p
      JOIN unnest(%(stages)s::text[], %(of)s::text[]) AS w (stage, role) ON w.stage = p.stage
      WHERE p.project_id = m.project_id AND w.role = m.role
        AND (p.qualification_id IS NULL OR EXISTS (
             SELECT 1 FROM annotation_qualified held WHERE held.user_id = m.user_id
               AND held.qualification_id = p.qualification_id AND held.revoked_at IS NULL))
        AND (SELECT t.id FROM annotation_task t
             WHERE t.policy_id = p.id AND t.seats > 0 AND {NOT_HAD_BY_MEMBER}
             ORDER BY t.position DESC, t.id DESC LIMIT 1) IS NOT NULL))
    ORDER BY m.project_id, u.name
"""  # noqa: S608 - constants of this module
