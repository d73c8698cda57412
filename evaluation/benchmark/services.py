"""Make the public page of a project, open and close it, and invite teams."""

import datetime as dt
from typing import Any

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.models.audit import AuditEntry
from annotation.core.refusals import Conflict, Denied
from annotation.models import Project
from annotation.text.cleaning import ResponseError, line_of
from evaluation.benchmark.models import LONGEST_NAME, Benchmark, BenchmarkTeam, TeamSeat
from evaluation.benchmark.policies import (
    check_can_open,
    check_is_outside,
    check_seat_is_for,
    check_seat_open,
)

_SIGNER = Signer(salt="evaluation.benchmark.seat", sep=".")
SAID = ("title", "description", "citation", "licence", "is_indexed")


@transaction.atomic
def save_page(*, project: Project, by: User | None, now: dt.datetime, **said: Any) -> Benchmark:
    """Store what the page says (`SAID`), as a new page where there is none; it stays closed or open
    as it is. Staff only (`by=None`: a command on the server).
    """
    if by is not None:
        check_can_manage(by, project)
    benchmark, made = Benchmark.objects.select_for_update(of=("self",)).get_or_create(
        project=project,
        defaults={"created_at": now, "title": project.title, "licence": project.snapshot.licence},
    )
    before = {name: getattr(benchmark, name) for name in SAID}
    for name, value in said.items():
        setattr(benchmark, name, value)
    if benchmark.is_open:
        check_can_open(benchmark)
    benchmark.save(update_fields=SAID)
    changed = [name for name in SAID if made or before[name] != getattr(benchmark, name)]
    if changed:
        audit.record_action(
            "benchmark_changed", benchmark, by=by, now=now, project=project, fields=changed
        )
    return benchmark


@transaction.atomic
def set_open(*, benchmark: Benchmark, is_open: bool, by: User | None, now: dt.datetime) -> None:
    """Open the page to everybody, or close it at once; again changes nothing. Staff only
    (`by=None`: a command on the server). Raises Conflict where there is nothing to show.
    """
    if by is not None:
        check_can_manage(by, benchmark.project)
    row = Benchmark.objects.select_for_update(of=("self",)).get(pk=benchmark.pk)
    if row.is_open == is_open:
        return
    if is_open:
        check_can_open(row)
    row.is_open = is_open
    row.opened_at = now if is_open else row.opened_at
    row.save(update_fields=["is_open", "opened_at"])
    action = "benchmark_opened" if is_open else "benchmark_closed"
    audit.record_action(action, row, by=by, now=now, project=row.project_id)


# --- teams ---------------------------------------------------------------------------------------


@transaction.atomic
def invite_person(
    *, benchmark: Benchmark, team: str, email: str, by: User, now: dt.datetime
) -> TeamSeat:
    """Invite an address into a team, which is made if there is none of the name. Staff only.

    Raises Conflict where the name is empty, the address is invited, or its account is in a team.
    """
    check_can_manage(by, benchmark.project)
    email = email.strip().lower()
    try:
        name = line_of(team, LONGEST_NAME, "The name of the team")
    except ResponseError as error:
        raise Conflict(str(error)) from None
    if not name:
        raise Conflict("Give the team a name.")
    Benchmark.objects.select_for_update(of=("self",)).get(pk=benchmark.pk)
    account = User.objects.filter(email__iexact=email).first()
    if account is not None:
        check_is_outside(account, benchmark)
    seats = benchmark.seats.filter(ended_at=None)
    seats.filter(email__iexact=email, expires_at__lte=now).update(ended_at=now, email="")
    if account is not None and seats.filter(user=account).exists():
        raise Conflict(f"{email} is in a team already.")
    if seats.filter(email__iexact=email).exists():
        raise Conflict(f"{email} has an open invitation. Copy its link, or end it first.")
    found = benchmark.teams.filter(name__iexact=name).first()
    seat = TeamSeat.objects.create(
        team=found or BenchmarkTeam.objects.create(benchmark=benchmark, name=name, created_at=now),
        benchmark=benchmark,
        email=email,
        invited_by=by,
        invited_at=now,
        expires_at=now + settings.INVITATION_MAX_AGE,
    )
    _record("benchmark_invited", seat, by, now, email=email)
    return seat


def build_link(seat: TeamSeat) -> str:
    """Return the path of the page that gives the seat to whoever is invited."""
    return reverse("benchmark-join", args=[seat.benchmark.project.slug, _sign(seat)])


def _sign(seat: TeamSeat) -> str:
    # The time makes old links useless where a restored backup gives the same number again.
    return _SIGNER.sign(f"{seat.pk}-{int(seat.invited_at.timestamp())}")


def find_seat(benchmark: Benchmark, token: str, *, lock: bool = False) -> TeamSeat:
    """Return the seat of a link, whatever its state. Raises Denied for others."""
    try:
        key = int(_SIGNER.unsign(token).split("-")[0])
    except (BadSignature, ValueError):
        key = 0
    rows = TeamSeat.objects.select_related("benchmark__project", "team")
    if lock:
        rows = rows.select_for_update(of=("self",))
    seat = rows.filter(pk=key, benchmark=benchmark).first()
    if seat is None or _sign(seat) != token:
        raise Denied("This link is incomplete or damaged. Copy the whole link.")
    return seat


@transaction.atomic
def take_seat(*, benchmark: Benchmark, token: str, by: User, now: dt.datetime) -> TeamSeat:
    """Let the invited person join their team; again changes nothing.

    Raises Denied for another account, SeatOver for a link that is over, Conflict for people of the
    project and for who is in another team.
    """
    seat = find_seat(benchmark, token, lock=True)
    if seat.user_id == by.pk and seat.ended_at is None:
        return seat
    check_seat_open(seat, now)
    check_seat_is_for(by, seat)
    return _take(seat, by, now)


@transaction.atomic
def take_seat_anew(
    *, benchmark: Benchmark, token: str, name: str, password: str, now: dt.datetime
) -> User:
    """Make the account of an invited person, who joins their team. Raises Conflict if they have an
    account, and as `take_seat` does.
    """
    seat = find_seat(benchmark, token, lock=True)
    check_seat_open(seat, now)
    try:
        with transaction.atomic():
            user = User.objects.create_user(seat.email, password, name=name)
    except IntegrityError:
        raise Conflict(f"{seat.email} has an account. Sign in with it to join.") from None
    _take(seat, user, now)
    return user


def _take(seat: TeamSeat, user: User, now: dt.datetime) -> TeamSeat:
    check_is_outside(user, seat.benchmark)
    if TeamSeat.objects.filter(benchmark=seat.benchmark, user=user, ended_at=None).exists():
        raise Conflict("You are in another team of this page.")
    seat.user, seat.joined_at, seat.email = user, now, ""
    seat.save(update_fields=["user", "joined_at", "email"])
    _record("benchmark_joined", seat, user, now)
    return seat


@transaction.atomic
def end_seat(*, seat: TeamSeat, by: User, now: dt.datetime) -> None:
    """End a seat, or the invitation to it; again changes nothing. Staff only. What the team sent
    stays.
    """
    check_can_manage(by, seat.benchmark.project)
    ended = TeamSeat.objects.filter(pk=seat.pk, ended_at=None).update(ended_at=now, email="")
    if ended:
        _forget_address(seat)
        _record("benchmark_seat_ended", seat, by, now)


def forget_person(user: User, now: dt.datetime) -> None:
    """End the seats of a person who is erased, and invitations of their address."""
    seats = TeamSeat.objects.filter(ended_at=None)
    for seat in (seats.filter(user=user) | seats.filter(email__iexact=user.email)).distinct():
        TeamSeat.objects.filter(pk=seat.pk).update(ended_at=now, email="")
        _forget_address(seat)


def _forget_address(seat: TeamSeat) -> None:
    audit.replace_address(AuditEntry.objects.filter(target=f"teamseat:{seat.pk}"), "someone")


def _record(action: str, seat: TeamSeat, by: User, now: dt.datetime, **data: Any) -> None:
    project = seat.benchmark.project_id
    audit.record_action(action, seat, by=by, now=now, project=project, team=seat.team.name, **data)
