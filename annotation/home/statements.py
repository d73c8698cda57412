"""SQL of the home pages. Who may work is asked by the index of tasks by policy and position."""

from annotation.consent.statements import TEXT_TO_AGREE_TO
from annotation.work.statements import (
    AHEAD_OF,
    BEHIND,
    NEWEST_OF_MINE,
    NOT_HELD,
    OF_MINE,
    SLOT,
)

# --- ready work --------------------------------------------------------------------------------

# The conditions of `take_next`: an open seat of a policy that demands nothing the person lacks, on
# a question they have not had, starting after their last one. At the end, the seats that it would
# take back before, because their lease has ended.
IS_QUALIFIED = "(p.qualification_id IS NULL OR held.id IS NOT NULL)"

# The next open tasks of a policy on one side of the person's last, by task_open_by_position.
NEXT_TASKS = f"""
    SELECT t.id, t.question_id, t.barred, t.after_id, t.gold FROM annotation_task t
    WHERE t.policy_id = p.id AND t.seats > 0 AND {NOT_HELD} AND {IS_QUALIFIED} AND {{side}}
    ORDER BY t.position, {SLOT}, t.id LIMIT %(looked_at)s"""  # noqa: S608 - constants
MY_PLACE = {
    "position": "COALESCE(last.position, -1)",
    "slot": "COALESCE(last.slot, 0)",
    "task": "COALESCE(last.task_id, 0)",
}
FORWARD = NEXT_TASKS.format(side=AHEAD_OF.format(**MY_PLACE))
BACKWARD = NEXT_TASKS.format(side=BEHIND.format(**MY_PLACE))
OPEN_TASKS = f"SELECT 1 FROM (({FORWARD}) UNION ALL ({BACKWARD})) t WHERE {{not_had}}"  # noqa: S608 - constants

# Whether there may be others than those looked at.
HAS_MORE = f"""
    %(looked_at)s IN ((SELECT count(*) FROM ({FORWARD}) t), (SELECT count(*) FROM ({BACKWARD}) t))
"""  # noqa: S608 - constants of this module

# Whether there is any, where none is among those looked at. Index: task_open_by_position.
ANY_TASK = f"""
    SELECT 1 FROM annotation_task t
    WHERE t.policy_id = p.id AND t.seats > 0 AND NOT t.gold AND {NOT_HELD} AND {IS_QUALIFIED}
      AND {{not_had}}
    ORDER BY t.position, {SLOT}, t.id LIMIT 1"""  # noqa: S608 - constants of this module

# The seats of a task once those whose lease has ended are taken back, and the tasks that have one
# then. Index: assignment_lease_end.
IS_HELD_ON = "AND NOT (a.state IN ('active', 'parked') AND a.lease_ends_at <= %(now)s)"
ENDED_TASKS = f"""
    SELECT 1 FROM annotation_task t JOIN annotation_question q ON q.id = t.question_id
    WHERE t.id IN (SELECT e.task_id FROM annotation_assignment e
                   WHERE e.policy_id = p.id AND e.state IN ('active', 'parked')
                     AND e.lease_ends_at <= %(now)s)
      AND t.seats = 0 AND {IS_QUALIFIED} AND {{not_had}} AND {{seats_then}} > 0 LIMIT %(ready)s"""  # noqa: S608 - constants

TEXT = TEXT_TO_AGREE_TO.format(project="p.project_id", user="%(user)s")

# The work that is ready for a person, by project and stage, and whether they have to agree first.
# Policies by policy_once_per_stage_and_split, the person's last task by assignment_last_position,
# leases by assignment_lease_end, times by assignment_lately_submitted, qualifications by
# qualified_once_at_a_time.
READY_WORK = f"""
    SELECT p.project_id, p.stage, sum(r.n)::int, bool_or(m.more), sum(t.n)::int, min(b.at),
           (sum(s.seconds * s.n) / nullif(sum(s.n), 0))::int,
           min(p.qualification_id) FILTER (WHERE held.id IS NULL),
           max(held.given_at), max(last.id), bool_or({TEXT} IS NOT NULL)
    FROM annotation_stagepolicy p
    LEFT JOIN annotation_qualified held ON held.qualification_id = p.qualification_id
      AND held.user_id = %(user)s AND held.revoked_at IS NULL
    LEFT JOIN LATERAL (
        SELECT a.id, a.position, a.task_id, (SELECT {SLOT} FROM annotation_task t
                                             WHERE t.id = a.task_id) AS slot
        FROM annotation_assignment a WHERE {OF_MINE} {NEWEST_OF_MINE}) last ON true
    CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
            ({OPEN_TASKS}) UNION ALL ({ENDED_TASKS}) LIMIT %(ready)s) counted) o
    CROSS JOIN LATERAL (
        SELECT CASE WHEN o.n >= %(ready)s THEN false ELSE {HAS_MORE} END AS more) m
    CROSS JOIN LATERAL (
        SELECT CASE WHEN o.n > 0 OR NOT m.more THEN o.n
               ELSE (SELECT count(*) FROM ({ANY_TASK}) counted) END AS n) r
    CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
            SELECT 1 FROM annotation_task t WHERE t.policy_id = p.id LIMIT %(most)s) counted) t
    CROSS JOIN LATERAL (
        SELECT min(a.lease_ends_at) AS at FROM annotation_assignment a
        JOIN annotation_task t ON t.id = a.task_id
        WHERE a.policy_id = p.id AND a.state IN ('active', 'parked')
          AND a.user_id <> %(user)s AND a.lease_ends_at > %(now)s AND {{not_had}}) b
    CROSS JOIN LATERAL (
        SELECT avg(last.active_seconds) AS seconds, count(*) AS n FROM (
            SELECT a.active_seconds FROM annotation_assignment a
            WHERE a.policy_id = p.id AND a.state = 'submitted'
            ORDER BY a.submitted_at DESC LIMIT 50) last) s
    WHERE (p.project_id, p.stage)
          IN (SELECT * FROM unnest(%(projects)s::bigint[], %(stages)s::text[]))
    GROUP BY p.project_id, p.stage
"""  # noqa: S608 - constants of this module
