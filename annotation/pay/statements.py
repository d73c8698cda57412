"""SQL of the ledger."""

from annotation.golds.statements import ON_QUESTIONS

# For each assignment, what it is worth less what was posted, per kind and currency. A negative
# entry names the entry it takes back. A gold item is accepted with the question that it was handed
# out beside. Assignments by assignment_once_per_person, entries by pay_posted_once.
SETTLE_PAY = f"""
    WITH mine AS (
        SELECT a.id, a.user_id, a.project_id, a.state, a.currency, a.pay, a.pay_accepted,
               a.active_seconds, a.id = ANY(%(credited)s::bigint[]) AND b.finished AS accepted,
               a.pay_pair * CASE WHEN b.finished
                   THEN least(coalesce(n.pairs, 0), a.pay_pairs_max) ELSE 0 END AS pay_pairs,
               CASE WHEN a.id = ANY(%(matched)s::bigint[]) THEN a.pay_match ELSE 0 END AS pay_match
        FROM annotation_assignment a JOIN annotation_task t ON t.id = a.task_id
        CROSS JOIN LATERAL (
            SELECT NOT a.gold OR EXISTS (
                SELECT 1 FROM annotation_golditem i
                LEFT JOIN annotation_task h ON h.id = i.host_id
                JOIN annotation_question b ON b.id = COALESCE(h.question_id, t.question_id)
                WHERE i.task_id = t.id AND b.state = ANY(%(finished)s)) AS finished) b
        LEFT JOIN unnest(%(paired)s::bigint[], %(pairs)s::integer[]) n (id, pairs) ON n.id = a.id
        WHERE t.id IN ({ON_QUESTIONS})),
    sides AS (
        SELECT a.id, a.user_id, a.project_id, k.kind, a.currency, k.amount, k.seconds, k.units
        FROM mine a CROSS JOIN LATERAL (VALUES
            ('submitted', a.pay, a.active_seconds, 1),
            ('accepted', CASE WHEN a.accepted THEN a.pay_accepted ELSE 0 END, 0, 1),
            ('pairs', a.pay_pairs, 0, 0),
            ('match', a.pay_match, 0, 0)
            ) k (kind, amount, seconds, units)
        WHERE a.state = 'submitted' AND k.amount <> 0
        UNION ALL
        SELECT a.id, a.user_id, a.project_id, e.kind, e.currency, -e.amount, -e.seconds, -e.units
        FROM mine a JOIN annotation_payentry e ON e.assignment_id = a.id),
    due AS (
        SELECT id, user_id, project_id, kind, currency, sum(amount) AS amount,
               sum(seconds) AS seconds, sum(units) AS units
        FROM sides GROUP BY id, user_id, project_id, kind, currency HAVING sum(amount) <> 0)
    INSERT INTO annotation_payentry (
        user_id, project_id, assignment_id, kind, number, amount, currency, units, seconds, note,
        at, corrects_id)
    SELECT d.user_id, d.project_id, d.id, d.kind,
           (SELECT coalesce(max(e.number), 0) FROM annotation_payentry e
            WHERE e.assignment_id = d.id AND e.kind = d.kind)
               + row_number() OVER (PARTITION BY d.id, d.kind ORDER BY d.currency),
           d.amount, d.currency, d.units, d.seconds, '', %(now)s::timestamptz,
           CASE WHEN d.amount < 0 THEN (
               SELECT max(e.id) FROM annotation_payentry e WHERE e.assignment_id = d.id
               AND e.kind = d.kind AND e.currency = d.currency AND e.amount > 0) END
    FROM due d ORDER BY d.id, d.kind = 'submitted' DESC, d.kind
    RETURNING id
"""  # noqa: S608 - constants of this module

# The kinds of entries that may be posted on the question, NULL where none may: "submitted" also
# where something was posted before. Tasks by their question, assignments by
# assignment_once_per_person.
PAYABLE = """(
        SELECT array_agg(DISTINCT k.kind)
        FROM annotation_task mt JOIN annotation_assignment w ON w.task_id = mt.id
        CROSS JOIN LATERAL (VALUES
            ('submitted', w.pay <> 0 OR EXISTS (
                SELECT 1 FROM annotation_payentry e WHERE e.assignment_id = w.id)),
            ('accepted', w.pay_accepted <> 0),
            ('pairs', w.pay_pair <> 0),
            ('match', w.pay_match <> 0)
            ) k (kind, payable)
        WHERE mt.question_id = q.id AND k.payable)"""
