"""SQL of the report of a project: queues, weeks, cost, and what was raised with the team."""

QUEUES = """
    SELECT p.stage, p.split,
           count(*) FILTER (WHERE a.state = 'active'),
           count(*) FILTER (WHERE a.state = 'parked'),
           count(*) FILTER (WHERE a.state = 'parked' AND a.returned_at IS NOT NULL),
           count(*) FILTER (WHERE a.state = 'expired'),
           count(*) FILTER (WHERE a.state = 'returned'),
           count(*) FILTER (WHERE a.state = 'skipped'),
           (SELECT coalesce(sum(t.seats), 0) FROM annotation_task t
            WHERE t.policy_id = p.id AND NOT t.gold)
    FROM annotation_stagepolicy p
    LEFT JOIN annotation_assignment a ON a.policy_id = p.id AND NOT a.gold
    WHERE p.project_id = %(project)s AND (%(split)s::text IS NULL OR p.split = %(split)s)
    GROUP BY p.id ORDER BY p.stage, p.split
"""

WEEKS_OF_STAGES = """
    SELECT date_trunc('week', a.submitted_at AT TIME ZONE 'UTC')::date AS week, a.stage, count(*),
           count(DISTINCT a.user_id),
           percentile_cont(0.5) WITHIN GROUP (ORDER BY a.active_seconds)
    FROM annotation_assignment a JOIN annotation_stagepolicy p ON p.id = a.policy_id
    WHERE a.project_id = %(project)s AND a.state = 'submitted' AND NOT a.gold
      AND (%(split)s::text IS NULL OR p.split = %(split)s)
      AND (%(since)s::date IS NULL OR (a.submitted_at AT TIME ZONE 'UTC')::date >= %(since)s)
      AND (%(until)s::date IS NULL OR (a.submitted_at AT TIME ZONE 'UTC')::date <= %(until)s)
    GROUP BY week, a.stage ORDER BY week, a.stage
"""

# Work that is paid by the hour is planned at the median active time of what was submitted. Gold
# items are paid and so counted, but their time does not tell how long other work takes.
PLANNED_PAY = """
    SELECT p.split, p.currency, sum(w.asked * (p.pay_accepted + p.pay_pair * p.pay_pairs_max
               + CASE WHEN p.pay_basis = 'unit'
               THEN p.pay ELSE p.pay * least(w.seconds, p.lease_minutes * 60) / 3600 END))
    FROM annotation_stagepolicy p
    CROSS JOIN LATERAL (
        SELECT coalesce((SELECT sum(t.seats) FROM annotation_task t WHERE t.policy_id = p.id), 0)
                   + count(*) FILTER (WHERE a.state IN ('active', 'parked', 'submitted')) AS asked,
               coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY a.active_seconds)
                   FILTER (WHERE a.state = 'submitted' AND NOT a.gold), 0)::numeric AS seconds
        FROM annotation_assignment a WHERE a.policy_id = p.id) w
    WHERE p.project_id = %(project)s AND (%(split)s::text IS NULL OR p.split = %(split)s)
      AND (p.pay > 0 OR p.pay_accepted > 0 OR p.pay_pair > 0)
    GROUP BY p.split, p.currency
"""

SPENT_PAY = """
    SELECT coalesce(p.split, ''), e.currency, sum(e.amount)
    FROM annotation_payentry e
    LEFT JOIN annotation_assignment a ON a.id = e.assignment_id
    LEFT JOIN annotation_stagepolicy p ON p.id = a.policy_id
    WHERE e.project_id = %(project)s AND (%(split)s::text IS NULL OR p.split = %(split)s)
      AND (%(since)s::date IS NULL OR (e.at AT TIME ZONE 'UTC')::date >= %(since)s)
      AND (%(until)s::date IS NULL OR (e.at AT TIME ZONE 'UTC')::date <= %(until)s)
    GROUP BY 1, 2
"""

# Questions that people answered here: what was imported as finished work cost nothing.
ACCEPTED_QUESTIONS = """
    SELECT q.split, count(*) FROM annotation_question q
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
      AND q.state = ANY(%(states)s)
      AND EXISTS (SELECT 1 FROM annotation_task t JOIN annotation_assignment a ON a.task_id = t.id
                  WHERE t.question_id = q.id AND a.state = 'submitted' AND a.used)
    GROUP BY q.split
"""

_PERIOD = """
      AND (%(split)s::text IS NULL OR q.split = %(split)s)
      AND (%(since)s::date IS NULL OR (m.at AT TIME ZONE 'UTC')::date >= %(since)s)
      AND (%(until)s::date IS NULL OR (m.at AT TIME ZONE 'UTC')::date <= %(until)s)
"""

THREADS = f"""
    SELECT r.kind, r.state, count(*),
           percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM r.closed_at - m.at))
    FROM annotation_thread r
    JOIN annotation_assignment a ON a.id = r.assignment_id
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_question q ON q.id = t.question_id
    CROSS JOIN LATERAL (SELECT min(w.created_at) AS at FROM annotation_message w
                        WHERE w.thread_id = r.id) m
    WHERE r.project_id = %(project)s AND r.kind <> 'feedback' {_PERIOD} GROUP BY r.kind, r.state
"""  # noqa: S608 - constants of this module

CONCERNS = f"""
    SELECT 'concern', m.state, count(*),
           percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM m.decided_at - m.at))
    FROM (SELECT c.*, c.created_at AS at FROM annotation_concern c) m
    JOIN annotation_question q ON q.id = m.question_id
    WHERE q.project_id = %(project)s {_PERIOD} GROUP BY m.state
"""  # noqa: S608
