"""SQL of the engine: take a task, keep its seat, count what is free."""

from annotation.access.statements import KEEPS_ROLE
from annotation.core.models.work import PRIORITY_STEP

# --- take a task -------------------------------------------------------------------------------

# People get no task twice, and no question on which they worked in another stage, unless the stage
# says that it meets others: authors of an answer do not validate it, and people who have seen the
# answers do not write one. Some stages give a person each question once, however many tasks it has.
# A task may also bar people, or be for those alone who have done another one (`Task.after`); and
# features have tasks that are `not_for` some people. The lists of ready work use this condition,
# too. Tasks are found by their question, assignments by assignment_once_per_person.
NOT_HAD = """{user} <> ALL(t.barred)
    AND (t.after_id IS NULL OR EXISTS (
        SELECT 1 FROM annotation_assignment done WHERE done.task_id = t.after_id
          AND done.user_id = {user} AND done.state = 'submitted'))
    AND NOT EXISTS (
    SELECT 1 FROM annotation_task same JOIN annotation_assignment mine ON mine.task_id = same.id
    WHERE same.question_id = t.question_id AND mine.user_id = {user}
      AND (mine.task_id = t.id
           OR CASE WHEN mine.stage = {stage} THEN {stage} = ANY(%(once_per_question)s::text[])
              ELSE {stage} <> ALL(%(meets_others)s::text[]) END))
    AND NOT ({not_for})"""

# The place of task `t` among those of its position, as the index task_open_by_position has it.
SLOT = "COALESCE(t.slot, t.id)"

# Nobody gets a task while somebody changes what it is about.
NOT_HELD = "(t.held_until IS NULL OR t.held_until <= %(now)s::timestamptz)"

# The next open task of a policy at one place, in the order of task_open_by_position and by it.
CANDIDATE_TASK = f"""
    SELECT t.id FROM annotation_task t
    WHERE {{only}} t.policy_id = %(policy)s AND t.seats > 0 AND {{where}}
      AND {NOT_HELD} AND {{not_had}}
    ORDER BY t.position, {SLOT}, t.id LIMIT 1 {{lock}}
"""  # noqa: S608 - constants of this module

# Pick, take the seat, begin the assignment and write the audit row: one statement, so that
# nothing can happen in between. The seat is an UPDATE that must change the row it picked, and that
# looks at it again if it had to wait for it. The lock on the project is that of the new row's key:
# whoever stops the project waits for it, and who comes later waits, and finds it stopped.
TAKE_PICKED_TASK = f"""
    WITH {{picked}},
    running AS (
        SELECT FROM annotation_project
        WHERE id = %(project)s AND state = 'running' FOR KEY SHARE),
    taken AS (
        UPDATE annotation_task t SET seats = t.seats - 1 FROM picked, running WHERE {KEEPS_ROLE}
        AND t.id = picked.id AND t.seats > 0 AND {NOT_HELD} RETURNING t.id, t.position, t.gold),
    made AS (
        INSERT INTO annotation_assignment ({{columns}}) SELECT {{values}} FROM taken RETURNING *),
    logged AS (
        INSERT INTO annotation_auditentry (at, actor, project, action, target, data)
        SELECT %(now)s::timestamptz, %(user)s::bigint, %(project)s::bigint, 'assignment_taken',
               'assignment:' || id, jsonb_build_object('task', task_id) FROM made)
    SELECT id, task_id, position, gold, started_at, lease_ends_at FROM made
"""  # noqa: S608 - constants of this module

# Find the same without a lock.
FIND_PICKED_TASK = "WITH {picked} SELECT id FROM picked"

# Gold items are not given out of their order: whoever came back to them would know them by that.
AHEAD_OF = f"(t.position, {SLOT}, t.id) > ({{position}}, {{slot}}, {{task}})"
BEHIND = f"""(t.position, {SLOT}, t.id) <= ({{position}}, {{slot}}, {{task}})
    AND NOT (t.gold AND t.position BETWEEN 0 AND {PRIORITY_STEP} - 1)"""

# The newest assignment of a person in policy `p`. Equality would let PostgreSQL walk the primary
# key backwards through everyone's work, to its end where the person is new to the policy. Only
# assignment_last_position gives this range in this order.
OF_MINE = "(a.user_id, a.policy_id) BETWEEN (%(user)s, p.id) AND (%(user)s, p.id)"
NEWEST_OF_MINE = "ORDER BY a.user_id, a.policy_id, a.id DESC LIMIT 1"

# May this person take work, do they have some, and what does each policy of the stage offer?
# Indexes: membership_once_per_role, assignment_one_active_per_stage,
# policy_once_per_stage_and_split, task_open_by_position, assignment_lease_end,
# guideline_version_unique, assignment_last_position. ORDER BY … LIMIT 1 where EXISTS would do: it
# leads the planner to the partial indexes.
LOOK_FOR_OFFERS = f"""
            SELECT pr.state, m.id, m.paused_at, m.pause_reason,
                   (SELECT a.id FROM annotation_assignment a WHERE a.user_id = %(user)s
                    AND a.project_id = %(project)s AND a.stage = %(stage)s AND a.state = 'active'),
                   p.id, p.lease_minutes, COALESCE(last.position, -1),
                   COALESCE((SELECT {SLOT} FROM annotation_task t
                             WHERE t.id = last.task_id), 0), COALESCE(last.task_id, 0),
                   (SELECT t.position FROM annotation_task t
                    WHERE t.policy_id = p.id AND t.seats > 0 ORDER BY t.position LIMIT 1),
                   (SELECT true FROM annotation_assignment e
                    WHERE e.policy_id = p.id AND e.state IN ('active', 'parked')
                      AND e.lease_ends_at <= %(now)s
                    ORDER BY e.lease_ends_at LIMIT 1) IS NOT NULL,
                   COALESCE((SELECT max(g.version) FROM annotation_guideline g
                             WHERE g.project_id = %(project)s), 0),
                   p.inputs {{demands}}
            FROM annotation_project pr
            LEFT JOIN annotation_membership m
              ON m.project_id = pr.id AND m.user_id = %(user)s AND m.role = %(role)s
            LEFT JOIN annotation_stagepolicy p ON p.project_id = pr.id AND p.stage = %(stage)s
            LEFT JOIN LATERAL (
                SELECT a.position, a.task_id FROM annotation_assignment a
                WHERE {OF_MINE} AND a.position >= 0 AND a.position < {PRIORITY_STEP}
                {NEWEST_OF_MINE}
            ) last ON true
            WHERE pr.id = %(project)s
            ORDER BY CASE p.split WHEN 'dev' THEN 0 WHEN 'test' THEN 1 ELSE 2 END
        """  # noqa: S608 - constants of this module

# What a person lacks of each demand that features make, for one policy, by its key.
MISSING_DEMANDS = "SELECT {demands} FROM annotation_stagepolicy p WHERE p.id = %(policy)s"

# End the leases of a policy that are over, and write it to the audit. Index: assignment_lease_end.
RECLAIM_SEATS = """
            WITH ended AS (
                SELECT id, lease_ends_at FROM annotation_assignment
                WHERE policy_id = %(policy)s AND state IN ('active', 'parked')
                  AND lease_ends_at <= %(now)s
                  AND (limit_ends_at IS NULL OR limit_ends_at > %(now)s)
                ORDER BY id LIMIT %(most)s FOR NO KEY UPDATE),
            gone AS (
                UPDATE annotation_assignment a
                SET state = 'expired', ended_at = ended.lease_ends_at, lease_ends_at = NULL
                FROM ended WHERE a.id = ended.id
                RETURNING a.id, a.task_id, a.user_id, a.project_id),
            logged AS (
                INSERT INTO annotation_auditentry (at, actor, project, action, target, data)
                SELECT %(now)s, NULL, project_id, 'assignment_expired', 'assignment:' || id,
                       jsonb_build_object('task', task_id, 'user', user_id) FROM gone)
            SELECT task_id FROM gone
            """

# --- seats and states --------------------------------------------------------------------------

# The state that the stage of policy `p` opens in, NULL where it opens in any.
OPENS_IN = "(%(opens_in)s::jsonb ->> p.stage)"

# While a question waits for a stage that decides, no submission made there before decides on it,
# so none of them keeps others from it.
HOLDS_SEAT = f"""(
    a.state IN ('active', 'parked')
    OR (a.state = 'submitted' AND (a.used OR a.gold)
        AND NOT (p.stage = ANY(%(decides)s) AND q.state IS NOT DISTINCT FROM {OPENS_IN})))"""

# How many more people task `t` of policy `p` on question `q` needs. `and_` narrows down which
# assignments hold a seat; they are found by assignment_once_per_person. A finished question asks
# for people again for tasks of which a feature says so.
OPEN_SEATS = f"""
    CASE WHEN NOT ({{asks_again}})
      AND (q.state = ANY(%(closed)s) OR q.state <> {OPENS_IN}) THEN 0
    ELSE GREATEST(COALESCE(t.people, p.people) - (
        SELECT count(*) FROM annotation_assignment a
        WHERE a.task_id = t.id AND {HOLDS_SEAT} {{and_}}), 0) END"""  # noqa: S608 - constants

# Lock an assignment and its question, and read what decides on them. By the keys of the rows;
# memberships by membership_once_per_role.
LOCK_ASSIGNMENT = """
            SELECT q.id, q.state, t.unit, a.state, p.state, p.protocol,
                   EXISTS (SELECT 1 FROM annotation_membership m WHERE m.user_id = a.user_id
                           AND m.project_id = a.project_id AND m.role = ANY(%(roles)s))
            FROM annotation_question q
            JOIN annotation_task t ON t.question_id = q.id
            JOIN annotation_assignment a ON a.task_id = t.id
            JOIN annotation_project p ON p.id = a.project_id
            WHERE a.id = %(assignment)s
            FOR NO KEY UPDATE OF q, a
        """

# The state of a project, which stays as it is until the transaction ends: the lock of a new row
# of work, for work that gets no new row.
KEEP_PROJECT_STATE = "SELECT state FROM annotation_project WHERE id = %(project)s FOR KEY SHARE"

# Lock tasks in the order of their keys, by which they are found.
LOCK_TASKS = (
    "SELECT id FROM annotation_task WHERE id = ANY(%(tasks)s) ORDER BY id FOR NO KEY UPDATE"
)

# Lock one task by its key.
LOCK_TASK = "SELECT id FROM annotation_task WHERE id = %s FOR NO KEY UPDATE"

# Store the open seats of tasks that differ from what is counted. By the keys of the tasks;
# assignments by assignment_once_per_person.
RECOUNT_OPEN_SEATS = """
        UPDATE annotation_task t SET seats = f.seats
        FROM (SELECT t.id, {seats} AS seats
              FROM annotation_task t
              JOIN annotation_stagepolicy p ON p.id = t.policy_id
              JOIN annotation_question q ON q.id = t.question_id
              WHERE t.id = ANY(%(tasks)s)) f
        WHERE f.id = t.id AND t.seats <> f.seats RETURNING t.id
        """

# Whether one more person fits, even if the seats are closed. The same indexes.
HAS_ROOM = f"""
            SELECT COALESCE(t.people, p.people) > (
                SELECT count(*) FROM annotation_assignment a
                WHERE a.task_id = t.id AND {HOLDS_SEAT})
            FROM annotation_task t
            JOIN annotation_stagepolicy p ON p.id = t.policy_id
            JOIN annotation_question q ON q.id = t.question_id
            WHERE t.id = %(task)s
            """  # noqa: S608 - constants of this module

# What decides the states of questions, with the ruling of their stages and the facts that followers
# ask for. By the keys of the questions; assignments by assignment_once_per_person, policies by
# policy_once_per_stage_and_split.
QUESTION_FACTS = """
            SELECT q.id, q.state, p.people,
                   array_agg(a.submitted), array_agg(a.skipped),
                   ARRAY(SELECT v.stage FROM annotation_stagepolicy v
                         WHERE v.project_id = q.project_id AND v.split = q.split),
                   {ruled} {followed}
            FROM annotation_question q
            JOIN annotation_task t ON t.question_id = q.id AND NOT t.gold
            JOIN annotation_stagepolicy p ON p.id = t.policy_id AND p.stage = %(stage)s
            CROSS JOIN LATERAL (
                SELECT (count(*) FILTER (WHERE state = 'submitted' AND used))::int AS submitted,
                       (count(*) FILTER (WHERE state = 'skipped'))::int AS skipped
                FROM annotation_assignment WHERE task_id = t.id
            ) a
            WHERE q.id = ANY(%(questions)s)
            GROUP BY q.id, p.id
        """

# The states of questions that keep them, with the facts that followers ask for. By their keys.
UNTOUCHED_FACTS = (
    "SELECT q.id, q.state {followed} FROM annotation_question q WHERE q.id = ANY(%(questions)s)"
)

# Store the states that have changed, and return the tasks that this opens or closes. By the keys of
# the questions; tasks by their question.
STORE_STATES = """
        WITH wanted AS (
            SELECT * FROM unnest(%(ids)s::bigint[], %(old)s::text[], %(new)s::text[])
                 AS w (id, old, new)),
        moved AS (
            UPDATE annotation_question q SET state = w.new FROM wanted w
            WHERE q.id = ANY(%(ids)s::bigint[]) AND q.id = w.id AND q.state = w.old
            RETURNING q.id, w.old, w.new)
        SELECT t.id FROM annotation_task t
        JOIN annotation_stagepolicy p ON p.id = t.policy_id
        JOIN moved m ON m.id = t.question_id
        WHERE t.question_id = ANY(%(ids)s::bigint[])
          AND ((m.old = ANY(%(closed)s)) <> (m.new = ANY(%(closed)s))
               OR %(opens_in)s::jsonb ->> p.stage IN (m.old, m.new))
        """

# Insert the audit rows of one decision.
WRITE_AUDIT_ROWS = """
        INSERT INTO annotation_auditentry (at, actor, project, action, target, data)
        SELECT %(now)s::timestamptz, %(by)s::bigint, %(project)s::bigint,
               e.action, e.target, e.data::jsonb
        FROM unnest(%(actions)s::text[], %(targets)s::text[], %(data)s::text[])
             AS e (action, target, data)
        RETURNING id
        """

# --- make tasks --------------------------------------------------------------------------------

# Insert the tasks of a stage, with the locks that `tasks` explains. By the keys of the questions
# and by policy_once_per_stage_and_split; task_once_per_question_and_unit leaves out what is there.
INSERT_TASKS = """
            WITH chosen AS MATERIALIZED (
                SELECT id, project_id, split, state, priority FROM annotation_question
                WHERE id = ANY(%(ids)s::bigint[]) ORDER BY id FOR KEY SHARE)
            INSERT INTO annotation_task
                (policy_id, question_id, unit, seats, position, created_at, held_until)
            SELECT policy, question, unit, people, position, %(now)s,
                   CASE WHEN NOT %(first)s THEN (
                       SELECT max(c.ends_at) FROM annotation_submissionchange c
                       WHERE c.question_id = question AND c.ends_at > %(now)s) END
            FROM (SELECT p.id AS policy, p.people, q.id AS question, w.unit,
                         q.id + q.priority * %(step)s AS position
                  FROM unnest(%(ids)s::bigint[], %(units)s::text[]) AS w (question, unit)
                  JOIN chosen q ON q.id = w.question
                  JOIN annotation_project pr ON pr.id = q.project_id AND pr.protocol = %(protocol)s
                  JOIN annotation_stagepolicy p
                    ON p.project_id = q.project_id AND p.split = q.split AND p.stage = %(stage)s
                  WHERE NOT (%(first)s AND q.state = ANY(%(finished)s))
                  ORDER BY q.id
                  FOR SHARE OF p) ready
            ON CONFLICT (question_id, policy_id, unit) DO NOTHING
            """

# Give tasks terms of their own. Indexes: task_once_per_question_and_unit,
# policy_once_per_stage_and_split.
SET_TERMS = """
            UPDATE annotation_task t
            SET people = w.people, position = w.place,
                barred = ARRAY(SELECT person::bigint FROM jsonb_array_elements_text(w.barred)
                               AS b (person)),
                after_id = (SELECT first.id FROM annotation_task first
                            WHERE first.question_id = w.question AND first.unit = w.after
                              AND first.policy_id = t.policy_id AND w.after <> '')
            FROM jsonb_to_recordset(%(units)s::jsonb) AS w (
                     question bigint, unit text, place bigint, people int, barred jsonb, after text)
            WHERE t.question_id = w.question AND t.unit = w.unit
              AND t.policy_id IN (SELECT id FROM annotation_stagepolicy
                                  WHERE project_id = %(project)s AND stage = %(stage)s)
            RETURNING t.id
            """

# Lock the tasks of questions, found by their question, in the order of their keys.
LOCK_TASKS_OF_QUESTIONS = (
    "SELECT id FROM annotation_task WHERE question_id = ANY(%s) ORDER BY id FOR UPDATE"
)

# --- work in hand, by the key of the assignment ------------------------------------------------

# The changes on a sign of activity. Whole seconds are counted and the rest is left in seen_at, so
# that many small gaps add up; a gap longer than two minutes was time away. The lease begins again
# now. Only on an active assignment.
SIGNS_OF_LIFE = """
    active_seconds = active_seconds + CASE
        WHEN state = 'active'
             AND seen_at BETWEEN %(now)s::timestamptz - %(away)s::interval AND %(now)s::timestamptz
        THEN floor(extract(epoch FROM %(now)s::timestamptz - seen_at))::int ELSE 0 END,
    seen_at = CASE
        WHEN state <> 'active' THEN seen_at
        WHEN seen_at BETWEEN %(now)s::timestamptz - %(away)s::interval AND %(now)s::timestamptz
        THEN seen_at + make_interval(
            secs => floor(extract(epoch FROM %(now)s::timestamptz - seen_at)))
        ELSE GREATEST(seen_at, %(now)s::timestamptz) END,
    lease_ends_at = CASE
        WHEN state = 'active' THEN GREATEST(lease_ends_at, %(until)s::timestamptz)
        ELSE lease_ends_at END
"""

# Count active time and renew the lease of active work.
RECORD_ACTIVITY = f"""
        UPDATE annotation_assignment SET {SIGNS_OF_LIFE}
        WHERE id = %(id)s AND state = 'active'
        RETURNING active_seconds, seen_at, lease_ends_at
        """  # noqa: S608 - constants of this module

# Save a draft that nobody has saved since `version`.
SAVE_DRAFT = f"""
        UPDATE annotation_assignment
        SET draft = %(draft)s, draft_version = draft_version + 1,
            draft_saved_at = %(now)s::timestamptz, {SIGNS_OF_LIFE}
        WHERE id = %(id)s AND draft_version = %(version)s AND state = ANY(%(savable)s)
        RETURNING draft_version, lease_ends_at, active_seconds, seen_at
        """  # noqa: S608 - constants of this module

# Save a draft and go on to another step.
CHANGE_STEP = f"""
        UPDATE annotation_assignment
        SET steps = %(steps)s, draft = %(draft)s, draft_version = draft_version + 1,
            draft_saved_at = %(now)s::timestamptz, {SIGNS_OF_LIFE}
        WHERE id = %(id)s AND draft_version = %(version)s AND state = 'active'
        RETURNING draft_version, lease_ends_at, active_seconds, seen_at
        """  # noqa: S608 - constants of this module

# Keep text that came after the end of a time limit, apart from the draft.
KEEP_LATE_DRAFT = """
        UPDATE annotation_assignment SET at_limit = at_limit || %(told)s::jsonb
        WHERE id = %(id)s AND limit_ends_at <= %(now)s::timestamptz AND draft <> %(draft)s::jsonb
          AND (state <> 'submitted' OR at_limit ? 'by') RETURNING id
        """

# --- exports -----------------------------------------------------------------------------------

# The submissions of a project that are data, in the order of questions, stages and units. Index:
# assignment_of_project.
EXPORTED_SUBMISSIONS = """
    SELECT s.id, n.id, s.task_id, t.unit, s.stage, u.key, s.started_at, s.submitted_at,
           s.active_seconds, s.guideline_version, s.feedback, s.used, n.response, n.keeps,
           ARRAY(SELECT m.quote_id FROM annotation_submission_quotes m
                 WHERE m.submission_id = n.id ORDER BY m.quote_id),
           q.external_id, q.text, q.split, s.at_limit
    FROM annotation_assignment s
    JOIN annotation_submission n ON n.assignment_id = s.id
    JOIN annotation_task t ON t.id = s.task_id
    JOIN annotation_question q ON q.id = n.question_id
    JOIN accounts_user u ON u.id = s.user_id
    WHERE s.project_id = %(project)s AND s.state = 'submitted' AND NOT s.gold AND {chosen}
    ORDER BY q.id, s.stage, t.unit, s.submitted_at, s.id
"""

# --- changes of submissions ---------------------------------------------------------------------

# The tasks in which people work with what was submitted on a question.
LATER_TASKS = """
    SELECT t.id FROM annotation_task t JOIN annotation_stagepolicy p ON p.id = t.policy_id
    WHERE t.question_id = %(question)s AND p.stage = ANY(%(stages)s::text[]) AND NOT t.gold"""

# What a person's turn says of a change: when it ends. By change_once_per_assignment.
CHANGING_UNTIL = """CASE WHEN a.state = 'submitted' THEN (
    SELECT to_jsonb(c.ends_at) FROM annotation_submissionchange c
    WHERE c.assignment_id = a.id) END"""

# The question with which an assignment is settled. By the keys of the rows.
SETTLED_ON = """
    SELECT {settled_on} FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id WHERE a.id = %(assignment)s
"""

# When somebody began to work with a submission, in later stages of its question: what was left
# again does not count. Tasks by their question, assignments by assignment_once_per_person.
OPENED_SINCE = f"""
    SELECT later.stage, later.started_at
    FROM ({LATER_TASKS}) t JOIN annotation_assignment later ON later.task_id = t.id
    WHERE later.used AND later.state NOT IN ('returned', 'skipped')
      AND (later.state IN ('active', 'parked') OR later.started_at >= %(since)s)
    ORDER BY later.started_at LIMIT 1
"""  # noqa: S608 - constants

# Give the later tasks of a question to nobody before the last change of it ends. The rows are
# changed, so that whoever waits for one looks at it again.
HOLD_LATER_TASKS = f"""
    UPDATE annotation_task SET held_until = (
        SELECT max(c.ends_at) FROM annotation_submissionchange c
        WHERE c.question_id = %(question)s AND c.ends_at > %(now)s)
    WHERE id IN ({LATER_TASKS}) RETURNING id
"""  # noqa: S608 - constants
