"""Mark the walk-through before an exam as held, and take that back. Staff only."""

import datetime as dt

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from annotation.access.projects import is_member
from annotation.core import audit
from annotation.core.models.qualifications import Qualification
from annotation.core.refusals import Conflict
from annotation.qualifications import policies
from annotation.qualifications import training_queries as queries
from annotation.qualifications.models import Part, QualificationAttempt, WalkThrough
from annotation.qualifications.queries import lock_qualification

LONGEST_NOTES, LONGEST_NOTE = 5_000, 500


@transaction.atomic
def record_walk_through(
    *,
    qualification: Qualification,
    user: User,
    held_on: dt.date,
    notes: str,
    by: User,
    now: dt.datetime,
) -> WalkThrough:
    """Mark that the walk-through with a member was held. A second call changes nothing.

    Raises Conflict when a colleague has already marked it, when the samples are not submitted
    yet, or when this qualification has no walk-through.
    """
    locked = lock_qualification(qualification)
    policies.check_can_hold_walk_through(by, locked, user)
    if not is_member(user, locked.project):
        raise Conflict(f"{user} does not work in this project.")
    if not locked.walk_through:
        raise Conflict("This qualification asks for no walk-through.")
    if held_on > timezone.localtime(now).date():
        raise Conflict("This day is in the future. Mark the walk-through once it has been held.")
    notes = notes.replace("\x00", "").replace("\r\n", "\n").strip()
    if len(notes) > LONGEST_NOTES:
        raise Conflict(f"Notes have at most {LONGEST_NOTES:,} characters.")
    facts = queries.facts_for(user, locked)
    if facts.samples and not facts.study_done:
        raise Conflict(f"{user} has not submitted every sample yet. The samples come first.")
    made, new = WalkThrough.objects.get_or_create(
        qualification=locked,
        user=user,
        taken_back_at=None,
        defaults={"held_on": held_on, "held_by": by, "notes": notes, "created_at": now},
    )
    if not new:
        return _marked_before(made, held_on, notes, by)
    audit.record_action(
        "walk_through_held",
        made,
        by=by,
        now=now,
        project=locked.project_id,
        user=user.pk,
        qualification=locked.pk,
        held_on=held_on.isoformat(),
        notes=notes,
    )
    return made


def _marked_before(held: WalkThrough, held_on: dt.date, notes: str, by: User) -> WalkThrough:
    """Return the existing walk-through if it says the same; raise Conflict if it differs."""
    if (held.held_by_id, held.held_on, held.notes) == (by.pk, held_on, notes):
        return held
    day = f"{held.held_on.day} {held.held_on:%B %Y}"
    raise Conflict(
        f"{held.held_by} marked this walk-through already, as held on {day}. Nothing was changed."
    )


@transaction.atomic
def take_back(*, walk_through: WalkThrough, note: str, by: User, now: dt.datetime) -> None:
    """Take back that a walk-through was held, as long as the exam has not begun."""
    # Beginning the exam locks the qualification, too, so one of the two comes first.
    locked = lock_qualification(walk_through.qualification)
    policies.check_can_hold_walk_through(by, locked, walk_through.user)
    note = " ".join(note.replace("\x00", "").split())[:LONGEST_NOTE]
    if not note:
        raise Conflict("Say why the walk-through is taken back.")
    begun = QualificationAttempt.objects.filter(
        qualification=locked, user=walk_through.user_id, part=Part.EXAM
    ).exclude(state=QualificationAttempt.State.ENDED)
    if begun.exists():
        raise Conflict(f"{walk_through.user} has begun the exam, so the walk-through stays.")
    moved = WalkThrough.objects.filter(pk=walk_through.pk, taken_back_at__isnull=True).update(
        taken_back_at=now, taken_back_by=by, take_back_note=note
    )
    if not moved:
        raise Conflict("This walk-through was taken back already. Nothing was changed.")
    audit.record_action(
        "walk_through_taken_back",
        walk_through,
        by=by,
        now=now,
        project=locked.project_id,
        user=walk_through.user_id,
        qualification=locked.pk,
        note=note,
    )
