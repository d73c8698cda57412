"""The team's decisions: grade an attempt, grant a qualification without one, revoke it."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction

from accounts.models import User
from annotation.access.projects import is_member
from annotation.core import audit
from annotation.core.models.qualifications import Qualification
from annotation.core.refusals import Conflict
from annotation.qualifications import policies
from annotation.qualifications.attempts import qualify_person
from annotation.qualifications.models import Part, QualificationAttempt, Qualified

State = QualificationAttempt.State
LONGEST_FEEDBACK, LONGEST_NOTE = 5_000, 500


@dataclass(frozen=True)
class ItemGrade:
    """The team's verdict on one item (None: the automatic one) and their feedback."""

    passed: bool | None
    feedback: str = ""


@transaction.atomic
def grade_attempt(
    *,
    attempt: QualificationAttempt,
    items: Mapping[int, ItemGrade],
    passed: bool | None,
    note: str,
    by: User,
    now: dt.datetime,
) -> None:
    """Grade items, by their number, and decide (`passed`), or only keep the grades (None).

    A decision can be changed later, and the qualification with it. Every version is in the log.
    """
    locked = (
        QualificationAttempt.objects.select_for_update(no_key=True, of=("self",))
        .select_related("qualification__project", "user")
        .get(pk=attempt.pk)
    )
    policies.check_can_grade(by, locked)
    if locked.part == Part.STUDY and passed is not None:
        raise Conflict("Self-study is neither passed nor failed.")
    if passed is None and locked.state in (State.PASSED, State.FAILED):
        passed = locked.state == State.PASSED
    answers = list(locked.answers.all())
    for answer in answers:
        item_grade = items.get(answer.number)
        if item_grade is not None:
            answer.graded = item_grade.passed
            answer.feedback = _text(item_grade.feedback, LONGEST_FEEDBACK)
            answer.save(update_fields=["graded", "feedback"])
    if passed is not None and (ungraded := [e.number for e in answers if e.stands is None]):
        numbers = ", ".join(map(str, ungraded))
        raise Conflict(f"Mark each item as passed or not before you decide: {numbers}.")
    score = sum(bool(answer.stands) for answer in answers)
    state = _state(locked, passed)
    note = _text(note, LONGEST_FEEDBACK)
    QualificationAttempt.objects.filter(pk=locked.pk).update(
        state=state,
        score=score,
        note=note,
        decided_at=None if passed is None else now,
        decided_by=None if passed is None else by,
    )
    audit.record_action(
        "qualification_graded",
        locked,
        by=by,
        now=now,
        project=locked.qualification.project_id,
        before={"state": locked.state, "score": locked.score},
        after={"state": state, "score": score},
        items={
            str(answer.number): {"graded": answer.graded, "feedback": answer.feedback}
            for answer in answers
        },
        note=note,
    )
    if passed:
        qualify_person(attempt=locked, by=by, now=now)
    elif passed is False:
        _take_back_of(locked, by=by, now=now)
    attempt.refresh_from_db()


def _state(attempt: QualificationAttempt, passed: bool | None) -> str:
    if passed is None:
        return attempt.state
    return State.PASSED if passed else State.FAILED


def _take_back_of(attempt: QualificationAttempt, *, by: User, now: dt.datetime) -> None:
    """Revoke the qualification from an attempt that no longer counts as passed."""
    held = Qualified.objects.filter(attempt=attempt, revoked_at=None).first()
    if held is not None:
        _revoke(held, attempt.qualification, note="The attempt was graded anew.", by=by, now=now)


@transaction.atomic
def grant_qualification(
    *, qualification: Qualification, user: User, note: str, by: User, now: dt.datetime
) -> Qualified:
    """Record that a member is qualified without an attempt. A second call changes nothing."""
    policies.check_can_say_who_is_qualified(by, qualification, user)
    if not is_member(user, qualification.project):
        raise Conflict(f"{user} does not work in this project.")
    note = _text(note, LONGEST_NOTE)
    held, made = Qualified.objects.get_or_create(
        qualification=qualification,
        user=user,
        revoked_at=None,
        defaults={"given_by": by, "given_at": now, "note": note},
    )
    if made:
        audit.record_action(
            "qualified_by_hand",
            held,
            by=by,
            now=now,
            project=qualification.project_id,
            user=user.pk,
            qualification=qualification.pk,
            note=note,
        )
    return held


@transaction.atomic
def revoke_qualification(
    *, qualification: Qualification, user: User, note: str, by: User, now: dt.datetime
) -> None:
    """Revoke a qualification, with a note. The person keeps work in hand but gets no new work."""
    policies.check_can_say_who_is_qualified(by, qualification, user)
    note = _text(note, LONGEST_NOTE)
    if not note:
        raise Conflict("Say why the qualification is taken back.")
    held = (
        Qualified.objects.select_for_update(no_key=True)
        .filter(qualification=qualification, user=user, revoked_at=None)
        .first()
    )
    if held is None:
        raise Conflict(f"{user} is not qualified now. Nothing was changed.")
    _revoke(held, qualification, note=note, by=by, now=now)


def _revoke(
    held: Qualified, qualification: Qualification, *, note: str, by: User, now: dt.datetime
) -> None:
    Qualified.objects.filter(pk=held.pk, revoked_at=None).update(
        revoked_at=now, revoked_by=by, revoke_note=note
    )
    audit.record_action(
        "qualification_revoked",
        held,
        by=by,
        now=now,
        project=qualification.project_id,
        user=held.user_id,
        qualification=qualification.pk,
        note=note,
    )


def _text(text: str, most: int) -> str:
    return text.replace("\x00", "").replace("\r\n", "\n").strip()[:most]
