"""Who may take part, and when work is handed out to participants."""

import datetime as dt
from decimal import Decimal

from django.db.models import Q
from django.utils.crypto import constant_time_compare
from psycopg2.sql import SQL

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict, Denied
from annotation.extensions.parts import Demand
from annotation.models import Project
from crowds.models import Briefing, Participation, Recruitment
from crowds.platforms import Arrival
from crowds.statements import MISSING_TERMS

Status, Review = Participation.Status, Participation.Review
# Those who have one of the places.
HAS_PLACE = Q(status__in=[Status.WORKING, Status.COMPLETED])
# The reasons for which the engine hands out nothing to a participant: see `_MISSING`.
NOT_READY, CHECK_DUE, ALL_DONE, TIME_OVER, OTHER_STAGE, SKIPPED_TOO_MANY = range(1, 7)
# A share of fewer questions than this says nothing yet. As it is never taken of fewer, only a skip
# takes anyone beyond their limit, before which they are asked, never an answer.
FEWEST_GIVEN = 3


class LinkEnded(Denied):
    """The link worked once and has ended (410)."""

    status = 410


class LinkUnknown(Denied):
    """The link or its parameters are not ours or not whole (400)."""

    status = 400


class TooMany(Denied):
    """More people than one address may send (429)."""

    status = 429


class ServiceUnavailable(Denied):
    """Something outside is needed and does not answer (503)."""

    status = 503


# --- taking part ----------------------------------------------------------------------------------


def _way_back(recruitment: Recruitment) -> str:
    """Return what people then do on the platform, so that they are not marked as late there."""
    returning = recruitment.source.returning
    return f" {returning}." if returning else ""


def check_is_open(recruitment: Recruitment, now: dt.datetime) -> None:
    """Refuse newcomers unless the recruitment is open and its project is running."""
    if now >= recruitment.ends_at:
        raise LinkEnded(f"This study has ended.{_way_back(recruitment)}")
    if recruitment.state != Recruitment.State.OPEN:
        raise Conflict(f"This study takes no more participants.{_way_back(recruitment)}")
    if recruitment.project.state != Project.State.RUNNING:
        raise Conflict(f"This study is not running at the moment.{_way_back(recruitment)}")


def check_has_room(recruitment: Recruitment) -> None:
    """Refuse newcomers when all places are taken. The caller holds the recruitment's lock."""
    if recruitment.participations.filter(HAS_PLACE).count() >= recruitment.places:
        raise Conflict(f"All places of this study are taken.{_way_back(recruitment)}")


def check_arrived_from_study(recruitment: Recruitment, arrival: Arrival) -> None:
    """Refuse people whom the platform sent from another study."""
    if recruitment.study and not constant_time_compare(recruitment.study, arrival.study):
        raise LinkUnknown("This link belongs to another study on the platform.")


def is_them(participation: Participation, arrival: Arrival) -> bool:
    """Whether an arrival with a participant's id, which others may know, has their session, too.

    Of those who were erased no session is left.
    """
    same = constant_time_compare(participation.session, arrival.session)
    return same and participation.erased_at is None


def check_is_them(participation: Participation, arrival: Arrival) -> None:
    """Refuse whoever has a participant's id but cannot go on in their place."""
    if not is_them(participation, arrival):
        raise Denied(
            "You have taken part in this study before. If you have not, write to the team."
        )


def check_working(participation: Participation) -> None:
    """Refuse what can only be done before the participation has ended."""
    if participation.status != Status.WORKING:
        raise Conflict("Your part in this study has ended. Nothing was changed.")


def skips_too_many(limit: Decimal | None, *, skipped: int, done: int) -> bool:
    """Return whether these are more skipped questions than the limit allows, in whole percent."""
    given = max(FEWEST_GIVEN, skipped + done)
    return limit is not None and 100 * skipped // given > 100 * limit


# --- handing out work -----------------------------------------------------------------------------

_MISSING = MISSING_TERMS.format(
    other_stage=OTHER_STAGE,
    time_over=TIME_OVER,
    not_ready=NOT_READY,
    check_due=CHECK_DUE,
    all_done=ALL_DONE,
    fewest=FEWEST_GIVEN,
    skipped=SKIPPED_TOO_MANY,
)
_REFUSALS = {
    NOT_READY: "Read the instructions first.",
    CHECK_DUE: "A short check comes next.",
    ALL_DONE: "That was the last question.",
    TIME_OVER: "The time for this study is over.",
    OTHER_STAGE: "This work is not part of the study.",
    SKIPPED_TOO_MANY: "You have skipped more questions than this study allows.",
}


def _refusal(reason: int) -> Denied:
    return Conflict(_REFUSALS[reason])


# Others have no participation and lack nothing.
DEMAND = Demand(missing=SQL(_MISSING), refusal=_refusal)


# --- the team -------------------------------------------------------------------------------------


def check_can_recruit(by: User, project: Project, briefing: Briefing | None) -> None:
    """Refuse unless the person runs the project and participants could consent to something."""
    check_can_manage(by, project)
    if briefing is None:
        raise Conflict("Write the consent page first: participants see it before anything else.")


def check_can_review(by: User, participation: Participation) -> None:
    """Refuse unless the person runs the project and it is not their own work."""
    check_can_manage(by, participation.recruitment.project)
    if by.pk == participation.user_id:
        raise Denied("This is your own work. Another member of the team decides on it.")
    if participation.status == Status.WORKING:
        raise Conflict("This participant is still working. Decide when they have ended.")


def check_can_approve(by: User, participation: Participation) -> None:
    """Refuse approval of what earns nothing or is decided."""
    check_can_review(by, participation)
    if participation.status == Status.RETURNED:
        raise Conflict("People who returned their place are not paid. You can still give a bonus.")


def check_can_reject(by: User, participation: Participation) -> None:
    """Refuse rejection of what was approved, as platforms do, and of people screened out."""
    check_can_review(by, participation)
    if participation.review == Review.APPROVED:
        raise Conflict("This participant was approved, which platforms do not take back.")
    if participation.status not in (Status.COMPLETED, Status.TIMED_OUT, Status.SKIPPED):
        raise Conflict("Only people who have worked can be rejected.")


def check_can_erase(by: User, participation: Participation) -> None:
    """Refuse to delete what someone said while they are still at it."""
    check_can_manage(by, participation.recruitment.project)
    if participation.status == Status.WORKING:
        raise Conflict("This participant is still working. Delete it when they have ended.")
