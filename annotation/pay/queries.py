"""Read the pay ledger: lines and sums of a period, and the effective pay per hour."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum, Value
from django.db.models.fields.tuple_lookups import Tuple, TupleLessThan
from django.db.models.functions import Coalesce, NullIf, TruncMonth

from accounts.models import User
from annotation.access.projects import STAFF
from annotation.core import states
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.figures import counts as stored_counts
from annotation.figures.counts import PAY
from annotation.pay.models import PayEntry
from annotation.pay.periods import Period

PAGE = 100
FLOOR_DAYS = 30
FLOOR_SECONDS = 3600
CENT = Decimal("0.01")


# --- statements --------------------------------------------------------------------------------


@dataclass(frozen=True)
class PaySums:
    """The sums of entries in one currency. `other`: corrections and bonuses by the team."""

    currency: str
    amount: Decimal
    questions: int
    accepted: int
    other: Decimal

    @property
    def money(self) -> str:
        return f"{self.amount} {self.currency}"

    def __add__(self, other: "PaySums") -> "PaySums":
        """Return the sums of both, which are in one currency."""
        return PaySums(
            self.currency,
            self.amount + other.amount,
            self.questions + other.questions,
            self.accepted + other.accepted,
            self.other + other.other,
        )


def entries_of(*, user: User | None = None, project: Project | None = None) -> QuerySet[PayEntry]:
    """Return the entries of a person, of a project, or of a person in a project."""
    entries = PayEntry.objects.all()
    if user is not None:
        entries = entries.filter(user=user)
    return entries.filter(project=project) if project is not None else entries


def list_entries(entries: QuerySet[PayEntry], *, before: int = 0) -> list[PayEntry]:
    """Return a page of entries and one more, newest first, with their relations.

    One query, two with `before`, the last entry of the page before.
    """
    rows = entries.select_related("project", "assignment__task__question", "corrects", "by")
    if before:
        last = PayEntry.objects.filter(pk=before).values_list("at", "pk").first()
        if last is None:
            return []
        older: Any = TupleLessThan(Tuple(F("at"), F("pk")), last)
        rows = rows.filter(older)
    # Not by number: PostgreSQL would walk through everyone's entries to find one person's.
    return list(rows.order_by("-at", "-pk")[: PAGE + 1])


def sum_by_currency(entries: QuerySet[PayEntry]) -> list[PaySums]:
    """Return the sums of entries, by currency. One query."""
    return [each for _, each in _summed(entries)]


def _summed(entries: QuerySet[PayEntry], *by: str) -> Iterator[tuple[tuple[Any, ...], PaySums]]:
    """Yield sums by currency and further columns, with the values of these. One query."""
    staff = Q(kind__in=[PayEntry.Kind.CORRECTION, PayEntry.Kind.BONUS])
    rows: QuerySet[PayEntry, Any] = entries.order_by().values_list(*by, "currency")
    rows = rows.annotate(
        sum=Sum("amount"),
        questions=_units(PayEntry.Kind.SUBMITTED),
        accepted=_units(PayEntry.Kind.ACCEPTED),
        other=Coalesce(Sum("amount", filter=staff), Decimal(0)),
    )
    for row in rows.order_by("currency"):
        yield row[: len(by)], PaySums(*row[len(by) :])


def _units(kind: str) -> Coalesce:
    return Coalesce(Sum("units", filter=Q(kind=kind)), 0)


def earnings_sentence(found: Sequence[PaySums], period: Period, *, who: str = "You have") -> str:
    """Return the sums as a sentence: You have earned 12.50 USD in November 2026: 50 questions."""
    if not found:
        return f"{who} earned nothing {period.within}."
    money = " and ".join(each.money for each in found)
    counts = []
    if questions := sum(each.questions for each in found):
        counts.append(f"{questions:,} question{'' if questions == 1 else 's'}")
    if accepted := sum(each.accepted for each in found):
        counts.append(f"{accepted:,} accepted")
    return f"{who} earned {money} {period.within}{': ' if counts else ''}{', '.join(counts)}."


# --- a project's people ------------------------------------------------------------------------


@dataclass(frozen=True)
class HourlyPay:
    """The pay and active time of a person in the last days, in one currency."""

    amount: Decimal
    seconds: int
    currency: str
    floor: Decimal | None

    @property
    def rate(self) -> Decimal | None:
        """Pay per active hour, rounded half up; None without active time."""
        if not self.seconds:
            return None
        return (self.amount * 3600 / self.seconds).quantize(CENT, ROUND_HALF_UP)

    @property
    def below(self) -> bool:
        """Whether it is under the project's floor, over at least an hour."""
        if self.floor is None or self.seconds < FLOOR_SECONDS:
            return False
        return self.amount * 3600 < self.floor * self.seconds


@dataclass(frozen=True)
class PersonPay:
    """One person's sums of a period in one currency, and their effective pay of the last days.

    submitted: all that they submitted in the period, paid or not; None in the rows of their further
    currencies.
    """

    user: User
    submitted: int | None
    sums: PaySums
    hourly: HourlyPay | None


# By then an entry is committed: later ones are newer.
_COMMITTED = dt.timedelta(hours=1)


def _by_month(project: Project, now: dt.datetime) -> tuple[str, dict[str, list[Any]]]:
    """Return up to when entries are counted, and by month each person's sums in a currency.

    Entries are never changed, so months that have been counted stay right.
    """
    until = now - _COMMITTED
    entries = entries_of(project=project).filter(at__lt=until).annotate(month=TruncMonth("at"))
    months: dict[str, list[Any]] = {}
    for (month, user), found in _summed(entries, "month", "user"):
        amounts = (str(found.amount), found.questions, found.accepted, str(found.other))
        months.setdefault(f"{month:%Y-%m}", []).append((user, found.currency, *amounts))
    return until.isoformat(), months


def _submitted_by_month(project: Project, now: dt.datetime) -> dict[str, list[tuple[int, int]]]:
    """Return by month how many submissions each person made."""
    rows = (
        Assignment.objects.filter(project=project, state=Assignment.State.SUBMITTED)
        .order_by()
        .annotate(month=TruncMonth("submitted_at"))
        .values_list("month", "user")
        .annotate(n=Count("pk"))
    )
    months: dict[str, list[tuple[int, int]]] = {}
    for month, user, number in rows:
        months.setdefault(f"{month:%Y-%m}", []).append((user, number))
    return months


stored_counts.register_part(PAY, "months", _by_month)
stored_counts.register_part(PAY, "submitted", _submitted_by_month)


def count_submissions(project: Project, period: Period) -> dict[int, int]:
    """Return how many submissions each person made in a period, paid or not. One query; none of
    months that the worker has counted.
    """
    counted = stored_counts.find_stored_part(project, PAY, "submitted") if period.months else None
    submitted: dict[int, int] = {}
    if counted is not None:
        for user, number in (row for month in period.months for row in counted.get(month, ())):
            submitted[user] = submitted.get(user, 0) + number
        return submitted
    start, until = period.bounds
    rows = Assignment.objects.filter(
        project=project,
        state=Assignment.State.SUBMITTED,
        submitted_at__gte=start,
        submitted_at__lt=until,
    )
    return dict(rows.order_by().values_list("user").annotate(n=Count("pk")))


def list_earnings(
    projects: Sequence[Project], period: Period
) -> dict[tuple[int, int, str], PaySums]:
    """Return the sums of a period by project, person and currency, as they are now. One query.

    Of months that the worker has counted, only the entries since then are read.
    """
    found: dict[tuple[int, int, str], PaySums] = {}
    wanted = Q(pk__in=[])
    for project in projects:
        of_project = Q(project=project)
        counted = stored_counts.find_stored_part(project, PAY, "months") if period.months else None
        if counted is not None:
            until, months = counted
            of_project &= Q(at__gte=until)
            rows = (row for month in period.months for row in months.get(month, ()))
            for user, currency, amount, questions, accepted, other in rows:
                sums = PaySums(currency, Decimal(amount), questions, accepted, Decimal(other))
                key = (project.pk, user, currency)
                found[key] = found[key] + sums if key in found else sums
        wanted |= of_project
    for (project_id, user), sums in _summed(
        period.select_entries(PayEntry.objects.filter(wanted)), "project", "user"
    ):
        key = (project_id, user, sums.currency)
        found[key] = found[key] + sums if key in found else sums
    return found


def total_by_currency(found: Iterable[PaySums]) -> list[PaySums]:
    """Return the sums of several people, by currency."""
    by_currency: dict[str, PaySums] = {}
    for row in found:
        before = by_currency.get(row.currency)
        by_currency[row.currency] = before + row if before else row
    return [by_currency[currency] for currency in sorted(by_currency)]


def list_earners(
    project: Project,
    found: Mapping[tuple[int, int, str], PaySums],
    submitted: Mapping[int, int],
    *,
    now: dt.datetime,
) -> list[PersonPay]:
    """Return everyone who earned or submitted something, of `found` and `submitted`, or worked
    lately, by name. At most four queries.
    """
    by_person = {(user, currency): sums for (_, user, currency), sums in found.items()}
    recent = list_hourly_pay(project, now=now)
    keys = by_person.keys() | recent.keys()
    if unpaid := submitted.keys() - {user for user, _ in keys}:
        currency = usual_currency(project)
        keys |= {(user, currency) for user in unpaid}
    users = User.objects.in_bulk({user for user, _ in keys})
    nothing = Decimal("0.00")
    rows, counted = [], set()
    for user, currency in sorted(
        keys, key=lambda key: (users[key[0]].name.casefold(), key[0], key[1])
    ):
        sums = by_person.get((user, currency)) or PaySums(currency, nothing, 0, 0, nothing)
        number = None if user in counted else submitted.get(user, 0)
        rows.append(PersonPay(users[user], number, sums, recent.get((user, currency))))
        counted.add(user)
    return rows


def list_hourly_pay(
    project: Project, *, now: dt.datetime, user: User | None = None
) -> dict[tuple[int, str], HourlyPay]:
    """Return the pay and active time of the last days, by person and currency, or of one person.

    Active time is that of every assignment that ended in these days, including skipped and
    released ones, as that was work. Pay is every entry of these days. At most two queries.
    """
    rows = stored_counts.find_stored_part(project, PAY, "hourly") if user is None else None
    if rows is None:
        rows = _hourly(project, now, user)
    rates = {}
    for person, currency, amount, seconds in rows:
        floor = project.pay_floor if currency == project.pay_floor_currency else None
        rates[person, currency] = HourlyPay(Decimal(amount), seconds, currency, floor)
    return rates


def _hourly(
    project: Project, now: dt.datetime, user: User | None = None
) -> list[tuple[int, str, str, int]]:
    """Return person, currency, amount and seconds."""
    since = now - dt.timedelta(days=FLOOR_DAYS)
    posted = entries_of(user=user, project=project).filter(at__gt=since, at__lte=now)
    money = {
        (row["user"], row["currency"]): row["sum"]
        for row in posted.values("user", "currency").annotate(sum=Sum("amount")).order_by()
    }
    spent = Assignment.objects.filter(project=project, ended_at__gt=since, ended_at__lte=now)
    if user is not None:  # said once more in the words of the indexes for one person
        submitted = Q(state=Assignment.State.SUBMITTED, submitted_at__gt=since)
        left = Q(state__in=states.LEFT, ended_at__gt=since)
        spent = spent.filter(submitted | left, user=user)
    agreed = Coalesce(NullIf(F("currency"), Value("")), F("policy__currency"))
    rows = spent.order_by().values("user", of=agreed).annotate(seconds=Sum("active_seconds"))
    return [
        (row["user"], row["of"], str(money.get((row["user"], row["of"]), 0)), row["seconds"])
        for row in rows
        if row["seconds"]
    ]


stored_counts.register_part(PAY, "hourly", _hourly)


@dataclass(frozen=True)
class ProjectSums:
    """A project with its pay in a period, by currency."""

    project: Project
    people: int
    sums: list[PaySums]

    @property
    def questions(self) -> int:
        """The number of paid questions, over all currencies."""
        return sum(each.questions for each in self.sums)


def list_managed_projects(user: User) -> list[Project]:
    """Return the projects where the person is staff, by title. One query."""
    projects = Project.objects.filter(memberships__user=user, memberships__role__in=STAFF)
    if user.is_superuser:
        projects = Project.objects.all()
    return list(projects.distinct().order_by("title"))


def by_project(projects: Sequence[Project], period: Period) -> list[ProjectSums]:
    """Return the pay of each project in a period. One query."""
    by: dict[int, list[PaySums]] = {project.pk: [] for project in projects}
    heads: dict[int, set[int]] = {project.pk: set() for project in projects}
    for (project_id, user, _), sums in list_earnings(projects, period).items():
        by[project_id].append(sums)
        heads[project_id].add(user)
    return [
        ProjectSums(project, len(heads[project.pk]), total_by_currency(by[project.pk]))
        for project in projects
    ]


def usual_currency(project: Project) -> str:
    """Return the likeliest currency for a correction."""
    entries = entries_of(project=project).order_by("-at").values_list("currency", flat=True)
    if (newest := entries.first()) is not None:
        return newest
    first = project.policies.order_by("pk").values_list("currency", flat=True).first()
    return first or project.pay_floor_currency


def iterate_entries(entries: QuerySet[PayEntry]) -> Iterable[PayEntry]:
    """Return an iterator over entries, oldest first, with the relations a file needs."""
    rows = entries.select_related("user", "project", "assignment__task__question", "by")
    return rows.defer("assignment__draft").order_by("pk").iterator(chunk_size=2000)
