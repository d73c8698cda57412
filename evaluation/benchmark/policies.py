"""Who may see a public page, sit in a team, and send predictions."""

import datetime as dt
from http import HTTPStatus

from accounts.models import User
from annotation.access.projects import is_member
from annotation.core.refusals import Conflict, Denied
from annotation.models import Assignment, Question
from evaluation.benchmark.models import A_MONTH, A_YEAR, HIDDEN, Benchmark, TeamSeat

LEAST_HIDDEN = 20
"""Questions of the test split: a figure over fewer would tell of single items."""


class SeatOver(Denied):
    """The link of a seat does not work any more."""

    status = HTTPStatus.GONE


class TooManyVisits(Denied):
    """Too much was asked for from one address, or sent by one person."""

    status = HTTPStatus.TOO_MANY_REQUESTS


def check_can_open(benchmark: Benchmark) -> None:
    """Refuse to open a page that has no release or no licence."""
    if benchmark.released_at is None:
        raise Conflict("Put a release on the page first.")
    if not benchmark.licence:
        raise Conflict("Say first under which licence the files may be used.")


def check_takes_predictions(benchmark: Benchmark) -> None:
    """Refuse where the page is closed, or the test split is too small to hide anything."""
    if not benchmark.is_open:
        raise Conflict("This page is closed.")
    rows = Question.objects.filter(project=benchmark.project_id, split=HIDDEN)
    number = rows.exclude(state=Question.State.EXCLUDED).count()
    if number < LEAST_HIDDEN:
        raise Conflict(
            f"The test split has {number:,} questions. With fewer than {LEAST_HIDDEN}, scores "
            "would tell of single questions, so no predictions are taken."
        )


def check_is_outside(user: User, benchmark: Benchmark) -> None:
    """Refuse people who work in the project or have worked in it: they can know what is right."""
    project = benchmark.project
    worked = Assignment.objects.filter(project=project, user=user)
    if is_member(user, project) or worked.exists():
        raise Conflict(
            "People who work in the project, or have worked in it, can know the answers of the "
            "test split, so they cannot be in a team."
        )


def check_seat_open(seat: TeamSeat, now: dt.datetime) -> None:
    """Refuse a seat that was taken, ended or has expired."""
    if seat.ended_at or seat.user_id or not seat.benchmark.is_open:
        raise SeatOver("This invitation is over. Ask who sent it for another.")
    if seat.expires_at <= now:
        raise SeatOver("This invitation has expired. Ask who sent it for another.")


def check_seat_is_for(user: User, seat: TeamSeat) -> None:
    """Refuse an account with another address than the one that was invited."""
    if user.email.lower() != seat.email.lower():
        raise Denied("This invitation is for another account. Sign out, and open the link again.")


def check_within_limits(month: int, year: int) -> None:
    """Refuse where a team has sent as many this month or this year as it may."""
    if year >= A_YEAR:
        raise Conflict(f"Your team has sent {A_YEAR} this year, which is all it can.")
    if month >= A_MONTH:
        raise Conflict(
            f"Your team has sent {A_MONTH} this month, which is all it can. The next month begins "
            "on its first day, UTC."
        )
