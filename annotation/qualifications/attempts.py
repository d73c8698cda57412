"""Take a qualification: begin, save drafts, check, see the hint, submit."""

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.db import transaction

from accounts.models import User
from annotation.core import audit
from annotation.core.models.qualifications import Qualification
from annotation.core.refusals import Conflict
from annotation.qualifications import policies, queries
from annotation.qualifications.item_queries import Asked, answer_fingerprint, is_answered
from annotation.qualifications.models import (
    Part,
    QualificationAnswer,
    QualificationAttempt,
    Qualified,
)
from annotation.work.drafts import DraftConflict, dump_draft_json

State = QualificationAttempt.State
LONGEST_NOTE = 2_000


@transaction.atomic
def start_attempt(
    *, qualification: Qualification, by: User, now: dt.datetime, part: str = Part.EXAM
) -> QualificationAttempt:
    """Begin the exam or the self-study, or return the attempt in progress. Item 1 opens at once.

    Raises Conflict, saying why it cannot begin, and Denied where the person must agree to the
    project's consent text first.
    """
    # No one can make it a draft again while the rows of the attempt are written, nor take back a
    # walk-through that the exam requires.
    locked = queries.lock_qualification(qualification)
    policies.check_takes_part(by, locked.project)
    standing = queries.get_standing(by, locked, now)
    mine = [attempt for attempt in standing.everything if attempt.part == part]
    going = next((each for each in mine if each.state == State.IN_PROGRESS), None)
    if going is not None:
        return going
    if demand := queries.find_demand(by, locked.project):
        raise demand
    if why := standing.closed if part == Part.STUDY else standing.refusal:
        raise Conflict(why)
    items = list(locked.items.filter(part=part))
    attempt = QualificationAttempt.objects.create(
        qualification=locked,
        user=by,
        part=part,
        number=max((each.number for each in mine), default=0) + 1,
        guideline_version=locked.guideline_version,
        total=len(items),
        started_at=now,
    )
    QualificationAnswer.objects.bulk_create(
        QualificationAnswer(
            attempt=attempt, item=item, number=number, opened_at=now if number == 1 else None
        )
        for number, item in enumerate(items, start=1)
    )
    audit.record_action(
        "qualification_started",
        attempt,
        by=by,
        now=now,
        project=locked.project_id,
        part=part,
        number=attempt.number,
    )
    return attempt


@transaction.atomic
def save_draft(
    *, answer: QualificationAnswer, draft: Mapping[str, Any], version: int, by: User,
    now: dt.datetime,
) -> int:  # fmt: skip
    """Save the draft if no other window has since `version`; return the new version.

    Saving the same draft again returns its version. Raises DraftConflict with the stored draft,
    Conflict when the attempt is over, TooMuch above 400,000 bytes.
    """
    policies.check_is_own(by, answer.attempt)
    clean = json.loads(dump_draft_json(dict(draft)))
    _lock_going(answer.attempt)
    _check_not_handed_in(answer)
    moved = QualificationAnswer.objects.filter(pk=answer.pk, draft_version=version).update(
        draft=clean, draft_version=version + 1, draft_saved_at=now
    )
    opened = QualificationAnswer.objects.filter(pk=answer.pk, opened_at__isnull=True)
    opened.update(opened_at=now)
    answer.refresh_from_db()
    if not moved and answer.draft != clean:
        raise DraftConflict(answer.draft, answer.draft_version, answer.draft_saved_at)
    return answer.draft_version


@transaction.atomic
def open_item(*, answer: QualificationAnswer, by: User, now: dt.datetime) -> None:
    """Note when an item was first opened; the time until its hint counts from then."""
    policies.check_is_own(by, answer.attempt)
    QualificationAnswer.objects.filter(
        pk=answer.pk, opened_at__isnull=True, attempt__state=State.IN_PROGRESS
    ).update(opened_at=now)


@transaction.atomic
def check_answer(*, answer: QualificationAnswer, by: User, now: dt.datetime) -> dict[str, Any]:
    """Return whether the saved answer passes, and count the check."""
    policies.check_is_own(by, answer.attempt)
    _lock_going(answer.attempt)
    _check_not_handed_in(answer)
    qualification = answer.attempt.qualification
    if not qualification.instant_feedback:
        raise Conflict("This qualification tells its results at the end.")
    answer.refresh_from_db(fields=["draft", "checks"])
    grade = Asked(qualification, answer.item).grade_draft(answer.draft)
    verdict = {
        **asdict(grade),
        "of": answer_fingerprint(answer.draft),
        "at": now.isoformat(),
    }
    answer.checks, answer.checked = answer.checks + 1, verdict
    answer.save(update_fields=["checks", "checked"])
    return verdict


@transaction.atomic
def hand_in_sample(*, answer: QualificationAnswer, by: User, now: dt.datetime) -> None:
    """Submit one sample of self-study; from then on its prepared answers are shown. Idempotent.

    The last sample completes self-study. Raises Conflict while the sample is not answered.
    """
    policies.check_is_own(by, answer.attempt)
    locked = _lock(answer.attempt)
    if locked.part != Part.STUDY:
        raise Conflict("An exam is submitted as a whole.")
    answer.refresh_from_db(fields=["draft", "handed_in_at"])
    if answer.handed_in_at is not None:
        return
    policies.check_in_progress(locked)
    policies.check_takes_part(by, locked.qualification.project)
    if not is_answered(answer):
        raise Conflict("Answer it first, on your own. You will then see what the team prepared.")
    grade_answer(locked.qualification, answer)
    answer.handed_in_at = now
    answer.save(update_fields=["handed_in_at", "result", "passed"])
    answers = list(locked.answers.all())
    if all(each.handed_in_at is not None for each in answers):
        score = sum(bool(each.passed) for each in answers)
        QualificationAttempt.objects.filter(pk=locked.pk, state=State.IN_PROGRESS).update(
            state=State.SUBMITTED, score=score, submitted_at=now
        )
        audit.record_action(
            "self_study_done", locked, by=by, now=now, project=locked.qualification.project_id
        )


@transaction.atomic
def show_hint(*, answer: QualificationAnswer, by: User, now: dt.datetime) -> None:
    """Show the hint, once its waiting time is over."""
    policies.check_is_own(by, answer.attempt)
    _lock_going(answer.attempt)
    if not answer.item.hint:
        raise Conflict("This item has no hint.")
    answer.refresh_from_db(fields=["opened_at", "hint_at"])
    if answer.hint_at is not None:
        return
    wait = queries.hint_wait(answer, now)
    if wait:
        raise Conflict(f"The hint opens in {wait} seconds.")
    answer.hint_at = now
    answer.save(update_fields=["hint_at"])


@transaction.atomic
def submit_attempt(
    *, attempt: QualificationAttempt, by: User, now: dt.datetime
) -> QualificationAttempt:
    """Submit the attempt: grade every item, then decide or leave the decision to the team.

    Idempotent: a second submission returns the first. Raises Conflict while too little is done:
    with instant feedback items that pass are counted, else those that are answered.
    """
    policies.check_is_own(by, attempt)
    locked = _lock(attempt)
    if locked.submitted_at is not None:
        attempt.refresh_from_db()
        return attempt
    if locked.part == Part.STUDY:
        raise Conflict("Samples are submitted one at a time.")
    policies.check_in_progress(locked)
    policies.check_takes_part(by, locked.qualification.project)
    rules = locked.qualification
    answers = list(locked.answers.select_related("item"))
    score = _grade_all(rules, answers)
    _check_enough(rules, answers, score)
    QualificationAnswer.objects.bulk_update(answers, ["result", "passed"])
    state = _state_of(rules, score)
    decided = state in (State.PASSED, State.FAILED)
    moved = QualificationAttempt.objects.filter(pk=locked.pk, state=State.IN_PROGRESS).update(
        state=state, score=score, submitted_at=now, decided_at=now if decided else None
    )
    assert moved == 1, "the attempt is locked"
    attempt.refresh_from_db()
    audit.record_action(
        "qualification_submitted",
        attempt,
        by=by,
        now=now,
        project=rules.project_id,
        score=score,
        total=attempt.total,
        state=state,
    )
    if state == State.PASSED:
        qualify_person(attempt=attempt, by=None, now=now)
    return attempt


@transaction.atomic
def request_review(*, attempt: QualificationAttempt, text: str, by: User, now: dt.datetime) -> None:
    """Ask the team to read an attempt that did not pass automatically."""
    policies.check_is_own(by, attempt)
    locked = _lock(attempt)
    if locked.asked_at is not None:
        attempt.refresh_from_db()
        return
    if not policies.can_ask(locked):
        raise Conflict("The team can be asked once, about an attempt with enough items that pass.")
    newer = QualificationAttempt.objects.filter(
        qualification=locked.qualification_id,
        user=by,
        part=Part.EXAM,
        number__gt=locked.number,
    )
    if newer.exists():
        raise Conflict("You have begun another attempt. The team reviews only the latest one.")
    QualificationAttempt.objects.filter(pk=locked.pk).update(
        state=State.IN_REVIEW,
        asked_at=now,
        asked=text.replace("\x00", "").strip()[:LONGEST_NOTE],
    )
    attempt.refresh_from_db()
    audit.record_action(
        "qualification_asked", attempt, by=by, now=now, project=locked.qualification.project_id
    )


def qualify_person(*, attempt: QualificationAttempt, by: User | None, now: dt.datetime) -> None:
    """Record that the attempt qualifies its person, in the caller's transaction."""
    _, made = Qualified.objects.get_or_create(
        qualification=attempt.qualification,
        user=attempt.user,
        revoked_at=None,
        defaults={"attempt": attempt, "given_by": by, "given_at": now},
    )
    if made:
        audit.record_action(
            "qualified",
            attempt,
            by=by,
            now=now,
            project=attempt.qualification.project_id,
            user=attempt.user_id,
            qualification=attempt.qualification_id,
        )


# --- small parts ---------------------------------------------------------------------------------


def _lock(attempt: QualificationAttempt) -> QualificationAttempt:
    return (
        QualificationAttempt.objects.select_for_update(no_key=True, of=("self",))
        .select_related("qualification__project", "user")
        .get(pk=attempt.pk)
    )


def _lock_going(attempt: QualificationAttempt) -> None:
    """Lock the attempt for writing; raise Conflict when it is over."""
    locked = _lock(attempt)
    policies.check_in_progress(locked)


def _check_not_handed_in(answer: QualificationAnswer) -> None:
    """Raise Conflict for a submitted sample; the caller has locked the attempt."""
    answer.refresh_from_db(fields=["handed_in_at"])
    if answer.handed_in_at is not None:
        raise Conflict("This sample has been submitted. It cannot be changed.")


def grade_answer(rules: Qualification, answer: QualificationAnswer) -> None:
    """Grade an answer, and store with the result the prepared answers it was graded against."""
    grade = Asked(rules, answer.item).grade_draft(answer.draft)
    answer.passed = grade.passed
    item = {name: getattr(answer.item, name) for name in ("prompt", "explanation", "pages")}
    answer.result = {**asdict(grade), **answer.item.expected, **item}


def _grade_all(rules: Qualification, answers: list[QualificationAnswer]) -> int:
    for answer in answers:
        grade_answer(rules, answer)
    return sum(bool(answer.passed) for answer in answers)


def _check_enough(rules: Qualification, answers: list[QualificationAnswer], score: int) -> None:
    tells = rules.instant_feedback and not rules.by_hand
    have = score if tells else sum(is_answered(answer) for answer in answers)
    if have < rules.submit_at:
        what = "pass" if tells else "are answered"
        raise Conflict(
            f"{have} of {len(answers)} items {what}. {rules.submit_at} are needed to submit."
        )


def _state_of(rules: Qualification, score: int) -> str:
    if rules.by_hand:
        return State.IN_REVIEW
    if score >= rules.pass_at:
        return State.PASSED
    if score >= rules.review_from:
        return State.IN_REVIEW
    return State.SUBMITTED if score >= rules.submit_at else State.FAILED
