"""SQL of people in a project: what they have to do, or why they have nothing."""

from annotation.work.statements import SLOT

# The seats that taking back ended leases would free. Index: assignment_lease_end.
_ENDED_TASKS = """
    SELECT t.id FROM annotation_task t JOIN annotation_question q ON q.id = t.question_id
    WHERE t.id IN (SELECT e.task_id FROM annotation_assignment e
                   WHERE e.policy_id = p.id AND e.state IN ('active', 'parked')
                     AND e.lease_ends_at <= %(now)s
                     AND (e.limit_ends_at IS NULL OR e.limit_ends_at > %(now)s))
      AND t.seats = 0 AND {not_had} AND {seats_then} > 0 LIMIT 1"""

# For each member, role and policy of that role: what features demand and the person lacks, and
# whether `take_next` would find a task but for that. The last tasks are tried first, since people
# begin with the first. Tasks by task_open_by_position.
OFFERS = f"""
    SELECT m.project_id, m.user_id, m.role, p.id, ARRAY[{{lacks}}]::bigint[],
           (SELECT t.id FROM annotation_task t
            WHERE t.policy_id = p.id AND t.seats > 0 AND {{not_had}}
            ORDER BY t.position DESC, {SLOT} DESC, t.id DESC LIMIT 1) IS NOT NULL
           OR ({_ENDED_TASKS}) IS NOT NULL
    FROM unnest(%(stages)s::text[], %(roles)s::text[]) AS w (stage, role)
    JOIN annotation_stagepolicy p ON p.stage = w.stage AND p.project_id = ANY(%(projects)s)
    JOIN annotation_membership m ON m.project_id = p.project_id AND m.role = w.role
    JOIN accounts_user u ON u.id = m.user_id AND NOT u.is_participant
    ORDER BY m.project_id, m.user_id, m.role,
             CASE p.split WHEN 'dev' THEN 0 WHEN 'test' THEN 1 ELSE 2 END, p.stage
"""  # noqa: S608 - constants of this module

# The policies: open tasks that are no gold items, up to a maximum; seats in other hands, and when
# the first of them comes back; whether there are tasks at all, and whether any question has not yet
# come to the stage. Tasks by task_open_by_position, questions by question_by_state, leases by
# assignment_lease_end.
POLICIES = """
    SELECT p.project_id, p.id, p.stage, p.split, p.qualification_id, open.n, held.n, held.at,
           EXISTS (SELECT 1 FROM annotation_task t WHERE t.policy_id = p.id),
           w.opens_in <> '' AND EXISTS (
               SELECT 1 FROM annotation_question q
               WHERE q.project_id = p.project_id AND q.split = p.split
                 AND q.state = ANY(%(unfinished)s) AND q.state <> w.opens_in)
    FROM annotation_stagepolicy p
    JOIN unnest(%(stages)s::text[], %(opens_in)s::text[]) AS w (stage, opens_in)
      ON w.stage = p.stage
    CROSS JOIN LATERAL (SELECT count(*)::int AS n FROM (
        SELECT 1 FROM annotation_task t WHERE t.policy_id = p.id AND t.seats > 0 AND NOT t.gold
        ORDER BY t.position LIMIT %(most)s) counted) open
    CROSS JOIN LATERAL (
        SELECT count(*)::int AS n, min(a.lease_ends_at) AS at FROM annotation_assignment a
        WHERE a.policy_id = p.id AND a.state IN ('active', 'parked')) held
    WHERE p.project_id = ANY(%(projects)s)
"""

# The members: their roles, those that are paused, when they last submitted and last did anything
# here, and what they hold. Submissions by assignment_mine_submitted, turns by
# assignment_of_person and assignment_mine_by_state.
MEMBERS = """
    SELECT m.project_id, m.user_id, u.name, u.is_active, m.roles, m.paused, last.at,
           GREATEST(u.last_login, seen.at, last.at),
           held.active, held.parked, held.returned, held.returned_at, held.asked
    FROM (SELECT project_id, user_id, array_agg(role::text) AS roles,
                 COALESCE(array_agg(role::text) FILTER (WHERE paused_at IS NOT NULL), '{}')
                   AS paused
          FROM annotation_membership WHERE project_id = ANY(%(projects)s)
          GROUP BY project_id, user_id) m
    JOIN accounts_user u ON u.id = m.user_id AND NOT u.is_participant
    LEFT JOIN LATERAL (
        SELECT a.submitted_at AS at FROM annotation_assignment a
        WHERE a.user_id = m.user_id AND a.project_id = m.project_id AND a.state = 'submitted'
        ORDER BY a.submitted_at DESC LIMIT 1) last ON true
    LEFT JOIN LATERAL (
        SELECT a.seen_at AS at FROM annotation_assignment a
        WHERE a.user_id = m.user_id ORDER BY a.id DESC LIMIT 1) seen ON true
    CROSS JOIN LATERAL (
        SELECT (count(*) FILTER (WHERE a.state = 'active'))::int AS active,
               (count(*) FILTER (WHERE a.state = 'parked' AND a.returned_at IS NULL))::int
                 AS parked,
               (count(*) FILTER (WHERE a.state = 'parked' AND a.returned_at IS NOT NULL))::int
                 AS returned,
               min(a.returned_at) FILTER (WHERE a.state = 'parked') AS returned_at,
               (count(*) FILTER (WHERE a.state = 'parked' AND EXISTS (
                   SELECT 1 FROM annotation_thread t WHERE t.assignment_id = a.id
                     AND t.kind = 'park' AND t.state = 'open')))::int AS asked
        FROM annotation_assignment a
        WHERE a.user_id = m.user_id AND a.state IN ('active', 'parked')
          AND a.project_id = m.project_id) held
    ORDER BY m.project_id, u.name, m.user_id
"""

# The projects with a question, and those where something is left to do: a question that is not
# finished. Open seats and work in hand are told by the policies.
PROJECTS = """
    SELECT pr.id,
           EXISTS (SELECT 1 FROM annotation_question q WHERE q.project_id = pr.id),
           EXISTS (SELECT 1 FROM annotation_question q
                   WHERE q.project_id = pr.id AND q.state = ANY(%(undecided)s))
    FROM annotation_project pr WHERE pr.id = ANY(%(projects)s)
"""

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

# The work of stages in a project: its open tasks, up to a bound, and the median active time of the
# last submissions. Policies by policy_once_per_stage_and_split, tasks by task_open_by_position,
# times by assignment_lately_submitted.
OFFERED_WORK = """
    SELECT p.stage, sum(o.n)::int,
           (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY timed.active_seconds)
            FROM (SELECT a.active_seconds FROM annotation_assignment a
                  JOIN annotation_stagepolicy of ON of.id = a.policy_id
                  WHERE of.project_id = %(project)s AND of.stage = p.stage
                    AND a.state = 'submitted' AND a.active_seconds > 0
                  ORDER BY a.submitted_at DESC LIMIT %(timed)s) timed)::int
    FROM annotation_stagepolicy p
    CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
            SELECT 1 FROM annotation_task t WHERE t.policy_id = p.id AND t.seats > 0
            ORDER BY t.position LIMIT %(most)s) counted) o
    WHERE p.project_id = %(project)s AND p.stage = ANY(%(stages)s)
    GROUP BY p.stage
"""

# The median active time of what was submitted lately, gold items too. Index: assignment_of_project.
MEDIAN_SECONDS = """
    SELECT a.project_id, percentile_cont(0.5) WITHIN GROUP (ORDER BY a.active_seconds)
    FROM annotation_assignment a
    WHERE a.project_id = ANY(%(projects)s) AND a.state = 'submitted' AND a.active_seconds > 0
      AND a.submitted_at >= %(since)s
    GROUP BY a.project_id
"""
