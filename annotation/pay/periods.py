"""Periods of pay: whole months, or from day to day, in the time zone of the server."""

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from annotation.core.models.projects import Project
from annotation.pay.models import PayEntry


@dataclass(frozen=True)
class Period:
    """Days from `start` to `end`, both included, in the time zone of the server."""

    start: dt.date
    end: dt.date

    @property
    def month(self) -> str:
        """The month, such as 2026-11, if the period is exactly that; else empty."""
        return f"{self.start:%Y-%m}" if self == month_of(self.start) else ""

    @property
    def months(self) -> list[str]:
        """The months that the period consists of; empty if it is not made of whole months."""
        if self.start.day != 1 or month_of(self.end).end != self.end:
            return []
        months, first = [], self.start
        while first <= self.end:
            months.append(f"{first:%Y-%m}")
            first = _next_month(first)
        return months

    @property
    def name(self) -> str:
        """The period in words: November 2026, October 2026 to November 2026, or 3 November 2026 to
        9 November 2026.
        """
        if self.month:
            return f"{self.start:%B %Y}"
        if self.months:
            return f"{self.start:%B %Y} to {self.end:%B %Y}"
        if self.start == self.end:
            return _day(self.start)
        return f"{_day(self.start)} to {_day(self.end)}"

    @property
    def within(self) -> str:
        """The period with its preposition: in November 2026, from … to …."""
        if self.month:
            return f"in {self.name}"
        return f"on {self.name}" if self.start == self.end else f"from {self.name}"

    @property
    def query(self) -> str:
        """The period as the query of an address."""
        return f"month={self.month}" if self.month else f"start={self.start}&end={self.end}"

    @property
    def before(self) -> str:
        """The month before the period, for an address; empty if there is none."""
        first = self.start.replace(day=1)
        return f"{first - dt.timedelta(days=1):%Y-%m}" if first.year > 1 else ""

    @property
    def after(self) -> str:
        """The month after the period."""
        return f"{_next_month(self.end):%Y-%m}"

    @property
    def bounds(self) -> tuple[dt.datetime, dt.datetime]:
        """The moment it begins, and the first after it."""
        zone = timezone.get_current_timezone()
        until = self.end + dt.timedelta(days=1)
        return (
            dt.datetime.combine(self.start, dt.time(), zone),
            dt.datetime.combine(until, dt.time(), zone),
        )

    def select_entries(self, entries: QuerySet[PayEntry]) -> QuerySet[PayEntry]:
        """Return the entries within the period."""
        start, until = self.bounds
        return entries.filter(at__gte=start, at__lt=until)


def _day(day: dt.date) -> str:
    return f"{day.day} {day:%B %Y}"


def _next_month(day: dt.date) -> dt.date:
    return (day.replace(day=28) + dt.timedelta(days=4)).replace(day=1)


def month_of(day: dt.date) -> Period:
    """Return the month that a day is in."""
    return Period(day.replace(day=1), _next_month(day) - dt.timedelta(days=1))


def _months_between(first: dt.datetime, last: dt.datetime) -> Period:
    start, end = timezone.localdate(first), timezone.localdate(last)
    return Period(month_of(start).start, month_of(end).end)


def find_paid_months(entries: QuerySet[PayEntry]) -> Period | None:
    """Return the months from the first entry to the last; None without entries. Two queries."""
    first = entries.order_by("at").values_list("at", flat=True).first()
    last = entries.order_by("-at").values_list("at", flat=True).first()
    return None if first is None or last is None else _months_between(first, last)


def find_paid_months_of(projects: Collection[Project]) -> Period | None:
    """Return the same of several projects. One query."""
    entries = PayEntry.objects.filter(project=OuterRef("pk"))
    rows = Project.objects.filter(pk__in=[project.pk for project in projects]).annotate(
        first=Subquery(entries.order_by("at").values("at")[:1]),
        last=Subquery(entries.order_by("-at").values("at")[:1]),
    )
    ends = [row for row in rows.values_list("first", "last") if row[0] is not None]
    if not ends:
        return None
    return _months_between(min(first for first, _ in ends), max(last for _, last in ends))
