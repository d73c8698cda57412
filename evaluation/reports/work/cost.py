"""What the work costs: planned, spent, and spent for each accepted question."""

from collections import defaultdict
from decimal import Decimal

from annotation.core.states import ANY_ACCEPTED
from annotation.exports.rows import fetch_rows
from annotation.figures.panel import Cell, Column, Panel
from annotation.figures.registry import Request
from evaluation.reports.work.progress import statement_values
from evaluation.reports.work.statements import ACCEPTED_QUESTIONS, PLANNED_PAY, SPENT_PAY

OTHER = "no split"
_SPLITS = ("train", "dev", "test", "")


def build_cost_panel(request: Request) -> Panel:
    """Return planned and spent amounts of each split and currency, and for an accepted question."""
    asked = statement_values(request)
    planned: dict[tuple[str, str], Decimal] = {
        (split, currency): amount for split, currency, amount in fetch_rows(PLANNED_PAY, asked)
    }
    spent: dict[tuple[str, str], Decimal] = defaultdict(Decimal) | {
        (split, currency): amount for split, currency, amount in fetch_rows(SPENT_PAY, asked)
    }
    accepted: dict[str, int] = dict(
        fetch_rows(ACCEPTED_QUESTIONS, asked | {"states": sorted(ANY_ACCEPTED)})
    )
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
            "accepted work and for as many pairs as are paid, without the bonus for matching an "
            "audit; by the hour, at the median active time of work without gold items. "
            "Spent: the entries of the ledger in the period; corrections and bonuses without work "
            "have no split. Gold items are paid, so both amounts have them. Accepted "
            "questions: those that people answered here; with a period chosen there is no amount "
            "for each."
        ),
        counted="accepted question",
        needs="pay in a policy or 1 entry of the ledger",
    )
