"""Send predictions, say who sees an entry, withdraw it; the limits are held by the database."""

import datetime as dt
from typing import BinaryIO, cast

from django.core.files.base import File
from django.db import transaction
from django.db.models import Q

from accounts.models import User
from annotation.core import audit
from annotation.core.refusals import Conflict, Denied
from annotation.jobs import services as jobs_services
from annotation.text.cleaning import ResponseError, line_of
from evaluation.benchmark.comparing import renew_comparisons
from evaluation.benchmark.models import (
    A_MONTH,
    A_YEAR,
    LONGEST_NAME,
    OVER,
    Benchmark,
    BenchmarkEntry,
    BenchmarkTeam,
    TeamSeat,
)
from evaluation.benchmark.policies import (
    check_is_outside,
    check_takes_predictions,
    check_within_limits,
)
from evaluation.imports import files
from evaluation.systems import formats, output_files
from evaluation.systems import services as systems_services

SCORE = "benchmark_score"
STOPPED = "Scoring was stopped before it ended. Send the file again."
State = BenchmarkEntry.State
LOST = Q(state=State.WAITING) & (Q(job=None) | Q(job__state__in=OVER))
"""Entries whose job was stopped, or whose workers were lost."""


def find_seat_of(user: User, benchmark: Benchmark) -> TeamSeat | None:
    """Return the person's seat in a team of the page; None for everybody else. One query."""
    rows = TeamSeat.objects.filter(benchmark=benchmark, user=user, ended_at=None)
    return rows.select_related("team").first()


@transaction.atomic
def send_predictions(
    *,
    benchmark: Benchmark,
    file: "File[bytes]",
    file_name: str,
    name: str,
    shown: str,
    by: User,
    now: dt.datetime,
) -> BenchmarkEntry:
    """Store a file of predictions and make the job that scores it. Only for people in a team.

    Raises Denied for others, Conflict beyond the limits or where the page takes none, WrongFormat
    where the file is too large, not UTF-8 or plainly something else.
    """
    seat = find_seat_of(by, benchmark)
    if seat is None:
        raise Denied("Only people in a team can send predictions.")
    check_is_outside(by, benchmark)
    check_takes_predictions(benchmark)
    try:
        name = line_of(name, LONGEST_NAME, "The name")
    except ResponseError as error:
        raise Conflict(str(error)) from None
    if not name:
        raise Conflict("Give the entry a name.")
    _check_file(benchmark, cast(BinaryIO, file.file))
    team = BenchmarkTeam.objects.select_for_update().get(pk=seat.team_id)
    fail_lost_entries(team)
    month, year = count_sent(team, now)
    check_within_limits(month, year)
    entry = BenchmarkEntry.objects.create(
        team=team,
        name=name,
        sent_by=by,
        sent_at=now,
        **_find_places(team, now),
        shown=shown,
    )
    entry.job = jobs_services.create_job(
        project=benchmark.project,
        kind=SCORE,
        options={"entry": entry.pk},
        file=file,
        file_name=f"Predictions of {team.name}",
        unit="questions",
        by=by,
        now=now,
    )
    entry.save(update_fields=["job"])
    audit.record_action(
        "benchmark_entry_sent", entry, by=by, now=now, project=benchmark.project_id, team=team.name
    )
    return entry


def _check_file(benchmark: Benchmark, content: BinaryIO) -> None:
    systems_services.check_size(content)
    own = output_files.find_file(benchmark.project)
    formats.check_format(files.beginning_of(content)[0], own=own)
    files.check_utf8(content)


def _find_places(team: BenchmarkTeam, now: dt.datetime) -> dict[str, int]:
    """Return the first free places of the month and the year. The team is locked, and where it was
    not, constraints let only one entry have a place.
    """
    at = now.astimezone(dt.UTC)
    rows = list(
        team.entries.filter(year=at.year)
        .exclude(state=State.FAILED)
        .values_list("month", "month_place", "year_place")
    )
    in_month = {place for month, place, _ in rows if month == at.month}
    in_year = {place for _, _, place in rows}
    return {
        "year": at.year,
        "month": at.month,
        "month_place": next(n for n in range(1, A_MONTH + 1) if n not in in_month),
        "year_place": next(n for n in range(1, A_YEAR + 1) if n not in in_year),
    }


def count_sent(team: BenchmarkTeam, now: dt.datetime) -> tuple[int, int]:
    """Return how many entries of a team count in this month and this year (UTC). One query."""
    at = now.astimezone(dt.UTC)
    rows = team.entries.filter(year=at.year).exclude(state=State.FAILED).exclude(LOST)
    months = list(rows.values_list("month", flat=True))
    return months.count(at.month), len(months)


def fail_entry(entry: BenchmarkEntry, problem: str) -> bool:
    """Say why an entry was not scored, so that it does not count; return whether it waited."""
    waits = BenchmarkEntry.objects.filter(pk=entry.pk, state=State.WAITING)
    return bool(
        waits.update(state=State.FAILED, problem=problem, month_place=None, year_place=None)
    )


def fail_lost_entries(team: BenchmarkTeam) -> None:
    """Fail entries whose job ended without them, which frees their places."""
    for entry in team.entries.filter(LOST):
        fail_entry(entry, STOPPED)


@transaction.atomic
def show_entry(*, entry: BenchmarkEntry, shown: str, by: User, now: dt.datetime) -> None:
    """Say who sees an entry. Only for its team. Raises Conflict for one that was withdrawn."""
    row = _lock(entry, by)
    if row.withdrawn_at:
        raise Conflict("This entry was withdrawn. It stays so.")
    if row.shown != shown:
        BenchmarkEntry.objects.filter(pk=row.pk).update(shown=shown)
        _record("benchmark_entry_shown", row, by, now)


@transaction.atomic
def withdraw_entry(*, entry: BenchmarkEntry, by: User, now: dt.datetime) -> None:
    """Take an entry off the list; it still counts. Only for its team; again changes nothing."""
    row = _lock(entry, by)
    if row.withdrawn_at is None:
        BenchmarkEntry.objects.filter(pk=row.pk).update(withdrawn_at=now)
        _record("benchmark_entry_withdrawn", row, by, now)


def _lock(entry: BenchmarkEntry, by: User) -> BenchmarkEntry:
    benchmark = entry.team.benchmark
    Benchmark.objects.select_for_update(of=("self",)).get(pk=benchmark.pk)
    seat = find_seat_of(by, benchmark)
    if seat is None or seat.team_id != entry.team_id:
        raise Denied("This entry is of another team.")
    return BenchmarkEntry.objects.select_related("team__benchmark").get(pk=entry.pk)


def _record(action: str, entry: BenchmarkEntry, by: User, now: dt.datetime) -> None:
    benchmark = entry.team.benchmark
    renew_comparisons(benchmark)
    audit.record_action(
        action, entry, by=by, now=now, project=benchmark.project_id, team=entry.team.name
    )
