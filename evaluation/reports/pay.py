"""What a project has paid, month by month, from the ledger."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Q, Sum, Value
from django.db.models.functions import Coalesce, TruncMonth

from annotation.figures.panel import Chart, Column, Panel
from annotation.figures.registry import Request
from annotation.models import PayEntry

DEFINITION = (
    "Everything in the ledger of pay by the month of its entry, in UTC. Extras are corrections and "
    "bonuses by the team; the rest is pay for questions that were submitted or accepted."
)
_EXTRAS = Q(kind__in=[PayEntry.Kind.CORRECTION, PayEntry.Kind.BONUS])


@dataclass(frozen=True, slots=True)
class Month:
    """The sums of a month in one currency; `questions` were submitted for pay."""

    month: str
    currency: str
    amount: Decimal
    extras: Decimal
    questions: int


def build_pay_panel(request: Request) -> Panel:
    """Return the sums by month. One query."""
    entries = PayEntry.objects.filter(project=request.project)
    since, until = request.filters.since, request.filters.until
    if since:
        entries = entries.filter(at__gte=dt.datetime.combine(since, dt.time(), dt.UTC))
    if until:
        end = dt.datetime.combine(until + dt.timedelta(days=1), dt.time(), dt.UTC)
        entries = entries.filter(at__lt=end)
    rows = (
        entries.annotate(month=TruncMonth("at", tzinfo=dt.UTC))
        .order_by("month", "currency")
        .values_list("month", "currency")
        .annotate(
            total=Sum("amount"),
            extras=Coalesce(Sum("amount", filter=_EXTRAS), Value(Decimal(0))),
            questions=Coalesce(Sum("units", filter=Q(kind=PayEntry.Kind.SUBMITTED)), Value(0)),
        )
    )
    return tabulate_months(Month(f"{month:%Y-%m}", *sums) for month, *sums in rows)


def tabulate_months(months: Iterable[Month]) -> Panel:
    """Return the sums of months, oldest first, as a panel."""
    rows = list(months)
    totals: dict[str, Decimal] = {}
    for row in rows:
        totals[row.currency] = totals.get(row.currency, Decimal(0)) + row.amount
    money = " and ".join(f"{total:,.2f} {currency}" for currency, total in sorted(totals.items()))
    return Panel(
        columns=(
            Column("month", "Month"),
            Column("currency", "Currency"),
            Column("amount", "Paid", "mean"),
            Column("extras", "Of which extras", "mean"),
            Column("questions", "Questions", "count"),
        ),
        rows=[
            (row.month, row.currency, float(row.amount), float(row.extras), row.questions)
            for row in rows
        ],
        n=sum(row.questions for row in rows),
        definition=DEFINITION,
        needs="1 entry in the ledger of pay",
        summary=f"{money} in all." if money else "",
        chart=Chart("histogram", x="month", y="amount", series="currency"),
    )
