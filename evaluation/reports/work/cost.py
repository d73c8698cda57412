"""What the work costs: planned, spent, and spent for each accepted question."""

from collections import defaultdict
from decimal import Decimal

from annotation.core.states import ANY_ACCEPTED
from annotation.exports.rows import fetch_rows
from annotation.figures.panel import Cell, Column, Panel
from annotation.figures.registry import Request
from evaluation.reports.work.progress import statement_values

# Work that is paid by the hour is planned at the median active time of what was submitted. Gold
# items are paid and so counted, but their time does not tell how long other work takes.
_PLANNED = """
    SELECT p.split, p.currency, sum(w.asked * (p.pay_accepted + CASE WHEN p.pay_basis = 'unit'
               THEN p.pay ELSE p.pay * least(w.seconds, p.lease_minutes * 60) / 3600 END))
    FROM annotation_stagepolicy p
    CROSS JOIN LATERAL (
        SELECT coalesce((SELECT sum(t.seats) FROM annotation_task t WHERE t.policy_id = p.id), 0)
                   + count(*) FILTER (WHERE a.state IN ('active', 'parked', 'submitted')) AS asked,
               coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY a.active_seconds)
                   FILTER (WHERE a.state = 'submitted' AND NOT a.gold), 0)::numeric AS seconds
        FROM annotation_assignment a WHERE a.policy_id = p.id) w
    WHERE p.project_id = %(project)s AND (%(split)s::text IS NULL OR p.split = %(split)s)
      AND (p.pay > 0 OR p.pay_accepted > 0)
    GROUP BY p.split, p.currency
"""
_SPENT = """
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
_ACCEPTED = """
    SELECT q.split, count(*) FROM annotation_question q
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
      AND q.state = ANY(%(states)s)
      AND EXISTS (SELECT 1 FROM annotation_task t JOIN annotation_assignment a ON a.task_id = t.id
                  WHERE t.question_id = q.id AND a.state = 'submitted' AND a.used)
    GROUP BY q.split
"""
OTHER = "no split"
_SPLITS = ("train", "dev", "test", "")


def build_cost_panel(request: Request) -> Panel:
    """Return planned and spent amounts of each split and currency, and for an accepted question."""
    asked = statement_values(request)
    planned: dict[tuple[str, str], Decimal] = {
        (split, currency): amount for split, currency, amount in fetch_rows(_PLANNED, asked)
    }
    spent: dict[tuple[str, str], Decimal] = defaultdict(Decimal) | {
        (split, currency): amount for split, currency, amount in fetch_rows(_SPENT, asked)
    }
    accepted: dict[str, int] = dict(fetch_rows(_ACCEPTED, asked | {"states": sorted(ANY_ACCEPTED)}))
    keys = sorted(planned.keys() | spent.keys(), key=lambda key: (_SPLITS.index(key[0]), key[1]))
    # What was spent in a period is not what the questions accepted until now have cost.
    whole = not (request.filters.since or request.filters.until)
    rows: list[list[Cell]] = []
    for key in keys:
        split, currency = key
        number, amount = accepted.get(split, 0), spent.get(key, Decimal(0))
        if not amount and not planned.get(key):
            continue
        rows.append(
            [
                split or OTHER,
                currency,
                float(planned[key]) if key in planned else None,
                float(amount),
                number,
                float(amount) / number if number and whole else None,
            ]
        )
    return Panel(
        columns=(
            Column("split", "Split"),
            Column("currency", "Currency"),
            Column("planned", "Planned", "mean"),
            Column("spent", "Spent", "mean"),
            Column("accepted", "Accepted questions", "count"),
            Column("each", "Spent for each", "mean"),
        ),
        rows=rows,
        n=sum(accepted.values()),
        definition=(
            "Planned: the pay of the policies for everything that is asked, with the amount for "
            "accepted work; by the hour, at the median active time of work without gold items. "
            "Spent: the entries of the ledger in the period; corrections and bonuses without work "
            "have no split. Gold items are paid, so both amounts have them. Accepted "
            "questions: those that people answered here; with a period chosen there is no amount "
            "for each."
        ),
        counted="accepted question",
        needs="pay in a policy or 1 entry of the ledger",
    )
