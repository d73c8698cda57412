"""The panel of pay by month."""

import datetime as dt
import uuid
from decimal import Decimal

import pytest

from annotation.figures.filters import Filters
from annotation.figures.registry import Request
from annotation.models import PayEntry
from evaluation.reports import pay
from evaluation.reports.pay import Month

MARCH = dt.datetime(2026, 3, 31, 23, 30, tzinfo=dt.UTC)


def test_sums_are_told_by_currency():
    panel = pay.tabulate_months(
        [
            Month("2026-03", "EUR", Decimal("12.50"), Decimal("2.50"), 20),
            Month("2026-03", "USD", Decimal("1000.00"), Decimal(0), 2000),
            Month("2026-04", "EUR", Decimal("-2.00"), Decimal("-2.00"), 0),
        ]
    )

    assert panel.summary == "10.50 EUR and 1,000.00 USD in all."
    assert panel.rows[0] == ("2026-03", "EUR", 12.5, 2.5, 20)
    assert panel.n == 2020


@pytest.mark.django_db
def test_entries_are_summed_by_month_of_the_period(project, ann, rosa):
    def post(kind, amount, units, at):
        PayEntry.objects.create(
            project=project,
            user=ann,
            kind=kind,
            amount=amount,
            units=units,
            currency="USD",
            note="Thanks." if kind == "bonus" else "",
            by=rosa,
            key=uuid.uuid4(),
            at=at,
        )

    post("bonus", "1.00", 0, MARCH)
    post("bonus", "2.00", 0, MARCH)
    post("bonus", "4.00", 0, MARCH + dt.timedelta(hours=1))

    def rows(**filters):
        return pay.build_pay_panel(Request(project, Filters(**filters), MARCH)).rows

    assert rows() == [("2026-03", "USD", 3.0, 3.0, 0), ("2026-04", "USD", 4.0, 4.0, 0)]
    assert rows(until=dt.date(2026, 3, 31)) == [("2026-03", "USD", 3.0, 3.0, 0)]
    assert rows(since=dt.date(2026, 4, 1)) == [("2026-04", "USD", 4.0, 4.0, 0)]
