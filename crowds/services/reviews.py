"""The team's decisions about participants: approve, reject, give a bonus, delete what they said."""

import csv
import datetime as dt
import io
import uuid
from collections.abc import Iterable
from decimal import Decimal

from django.db import transaction
from django.db.models import F, Q, QuerySet

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.refusals import Conflict, Denied
from annotation.models import PayEntry
from annotation.pay import services as pay_services
from annotation.work.assignments import soft_reject
from crowds.models import Participation, Recruitment
from crowds.policies import participations as policy
from crowds.services.participations import end_participation, list_submitted_work

Status, Review = Participation.Status, Participation.Review
LONGEST_REASON = 1_000
# Keys of the entries that rewards post: approving twice pays once.
_REWARDS = uuid.UUID("6d0f7d6e-3c1f-4a1d-9d58-0a4b4d5b6a11")
MOST_AT_ONCE = 500
MOST_BYTES = 5 * 1024 * 1024
# What Prolific calls those who have lost their place.
NEWS = {"RETURNED": Status.RETURNED.value, "TIMED-OUT": Status.TIMED_OUT.value}


def _locked(participation: Participation) -> Participation:
    rows = Participation.objects.select_related("recruitment__project", "user")
    return rows.select_for_update(of=("self",), no_key=True).get(pk=participation.pk)


@transaction.atomic
def approve_participation(*, participation: Participation, by: User, now: dt.datetime) -> bool:
    """Approve a participant and post their reward to the ledger; again changes nothing."""
    row = _locked(participation)
    policy.check_can_approve(by, row)
    if row.review == Review.APPROVED:
        return False
    row.review, row.reviewed_by, row.reviewed_at, row.reason = Review.APPROVED, by, now, ""
    row.save(update_fields=["review", "reviewed_by", "reviewed_at", "reason"])
    recruitment, reward = row.recruitment, row.worth
    if reward:
        pay_services.post_entry(
            project=recruitment.project,
            user=row.user,
            kind=PayEntry.Kind.BONUS,
            amount=reward,
            currency=recruitment.currency,
            reason=f"Reward for taking part: {recruitment.title}",
            key=uuid.uuid5(_REWARDS, str(row.pk)),
            by=by,
            now=now,
        )
    _record("participation_approved", row, by=by, now=now)
    return True


def approve_all(
    *, recruitment: Recruitment, keys: Iterable[int], by: User, now: dt.datetime
) -> tuple[int, int]:
    """Approve several, at most MOST_AT_ONCE; return how many were, and how many could not be."""
    check_can_manage(by, recruitment.project)
    approved = refused = 0
    for row in recruitment.participations.filter(pk__in=list(keys)).order_by("pk")[:MOST_AT_ONCE]:
        try:
            approved += approve_participation(participation=row, by=by, now=now)
        except Denied:
            refused += 1
    return approved, refused


@transaction.atomic
def reject_participation(
    *, participation: Participation, reason: str, leave_out: bool, by: User, now: dt.datetime
) -> None:
    """Reject a participant with a reason; `leave_out` excludes their work from the data, too."""
    row = _locked(participation)
    policy.check_can_reject(by, row)
    reason = _reason(reason, "Say why: platforms pass the reason on to the participant.")
    row.review, row.reviewed_by, row.reviewed_at, row.reason = Review.REJECTED, by, now, reason
    row.save(update_fields=["review", "reviewed_by", "reviewed_at", "reason"])
    if leave_out:
        _leave_out(row, reason, by=by, now=now)
    _record("participation_rejected", row, by=by, now=now, reason=reason)


@transaction.atomic
def give_bonus(
    *,
    participation: Participation,
    amount: Decimal,
    reason: str,
    key: uuid.UUID,
    by: User,
    now: dt.datetime,
) -> None:
    """Give a bonus with a reason, in the ledger and in the file for the platform.

    The same `key` twice is one bonus.
    """
    row = _locked(participation)
    policy.check_can_review(by, row)
    if PayEntry.objects.filter(key=key).exists():
        return
    recruitment = row.recruitment
    pay_services.post_entry(
        project=recruitment.project,
        user=row.user,
        kind=PayEntry.Kind.BONUS,
        amount=amount,
        currency=recruitment.currency,
        reason=reason,
        key=key,
        by=by,
        now=now,
    )
    Participation.objects.filter(pk=row.pk).update(bonus=F("bonus") + amount)


@transaction.atomic
def erase_participation(
    *, participation: Participation, leave_out: bool, by: User, now: dt.datetime
) -> bool:
    """Delete who a participant is at the platform and what they said about themselves.

    Their work stays under the pseudonym, unless `leave_out` excludes it from the data. Pay and
    times stay. Again changes nothing.
    """
    row = _locked(participation)
    policy.check_can_erase(by, row)
    if leave_out:
        _leave_out(row, "The participant asked to be left out.", by=by, now=now)
    rows = Participation.objects.filter(pk=row.pk, erased_at=None).select_related("recruitment")
    erased = _empty(rows, now)
    if erased:
        _record("participation_erased", row, by=by, now=now)
    return bool(erased)


def forget_participant(user: User, now: dt.datetime) -> None:
    """Delete the same of a person who is erased as a whole, and end what they have begun."""
    rows = Participation.objects.filter(user=user).select_related("recruitment__project", "user")
    for row in rows.filter(status=Status.WORKING):
        end_participation(participation=row, status=Status.RETURNED, now=now)
    _empty(rows.filter(erased_at=None), now)


def _empty(rows: QuerySet[Participation], now: dt.datetime) -> int:
    erased = 0
    for row in rows:
        kept = row.external_id and row.recruitment.is_open(now)
        erased += Participation.objects.filter(pk=row.pk, erased_at=None).update(
            external_id="",
            session="",
            answers=None,
            comment="",
            erased_at=now,
            id_hash=row.recruitment.hash_of(row.external_id) if kept else "",
        )
    return erased


def drop_hashes(*, now: dt.datetime) -> int:
    """Forget the hashes of erased ids where no one can come again; return how many.

    The clock asks for it.
    """
    over = ~Q(recruitment__state=Recruitment.State.OPEN) | Q(recruitment__ends_at__lte=now)
    return Participation.objects.exclude(id_hash="").filter(over).update(id_hash="")


def erase_all(*, recruitment: Recruitment, by: User, now: dt.datetime) -> int:
    """Do so for all participants who have ended; return how many."""
    check_can_manage(by, recruitment.project)
    ended = recruitment.participations.exclude(status=Status.WORKING).filter(erased_at=None)
    return sum(
        erase_participation(participation=row, leave_out=False, by=by, now=now) for row in ended
    )


def _leave_out(row: Participation, reason: str, *, by: User, now: dt.datetime) -> None:
    for assignment in list_submitted_work(row).filter(used=True).order_by("task__question", "pk"):
        soft_reject(assignment=assignment, note=reason, by=by, now=now)


# --- news from the platform -----------------------------------------------------------------------


def read_statuses(file: bytes) -> dict[tuple[str, str], str]:
    """Return the platform's file as (column of ours, value) -> status. Raises Conflict."""
    if len(file) > MOST_BYTES:
        raise Conflict("The file is larger than 5 MB. Split it.")
    try:
        rows = csv.DictReader(io.StringIO(file.decode("utf-8-sig")), strict=True)
        names = {(name or "").strip().casefold(): name for name in rows.fieldnames or []}
        columns = [
            (ours, names[name])
            for ours, name in (("session", "submission id"), ("external_id", "participant id"))
            if name in names
        ]
        if not columns or "status" not in names:
            raise Conflict(
                "The file needs the columns “Status” and “Participant id” or “Submission id”, as "
                "in Prolific’s export of submissions."
            )
        return {
            (ours, row[column].strip()): row[names["status"]].strip().upper()
            for row in rows
            for ours, column in columns
            if row.get(column) and row.get(names["status"])
        }
    except (UnicodeDecodeError, csv.Error):
        raise Conflict("The file is not a CSV file in UTF-8. Export it again.") from None


def note_statuses(
    *, recruitment: Recruitment, file: bytes, by: User, now: dt.datetime
) -> tuple[int, int]:
    """Take over who returned their place or ran out of time, as the platform's file says.

    Returns how many participants it names, and how many of them have changed. Those already
    approved or rejected stay as they are.
    """
    check_can_manage(by, recruitment.project)
    told = read_statuses(file)
    named = changed = 0
    rows = recruitment.participations.select_related("recruitment__project", "user")
    for row in rows.order_by("pk"):
        status = told.get(("session", row.session)) or told.get(("external_id", row.external_id))
        if status is None or not (row.session or row.external_id):
            continue
        named += 1
        if status in NEWS and row.review == Review.WAITING and row.status != NEWS[status]:
            changed += _become(row, NEWS[status], by=by, now=now)
    return named, changed


@transaction.atomic
def _become(row: Participation, status: str, *, by: User, now: dt.datetime) -> bool:
    if row.status == Status.WORKING:
        return end_participation(participation=row, status=status, now=now)
    moved = Participation.objects.filter(
        pk=row.pk,
        status__in=[Status.COMPLETED, Status.TIMED_OUT, Status.SKIPPED],
        review=Review.WAITING,
    ).update(status=status, flagged=True)
    if moved:
        _record("participation_ended", row, by=by, now=now, status=status, done=row.done)
    return bool(moved)


# --- helpers --------------------------------------------------------------------------------------


def _reason(text: str, missing: str) -> str:
    reason = text.replace("\x00", "").strip()
    if not reason:
        raise Conflict(missing)
    if len(reason) > LONGEST_REASON:
        raise Conflict(f"The reason has {len(reason)} characters. The maximum is {LONGEST_REASON}.")
    return reason


def _record(action: str, row: Participation, *, by: User, now: dt.datetime, **data: object) -> None:
    audit.record_action(
        action,
        row,
        by=by,
        now=now,
        project=row.recruitment.project_id,
        recruitment=row.recruitment_id,
        user=row.user_id,
        **data,
    )
