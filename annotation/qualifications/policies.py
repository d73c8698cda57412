"""Who may take a qualification, change it, read attempts and say who is qualified."""

import datetime as dt

from django.utils import timezone
from psycopg2.sql import SQL

from accounts.models import User
from annotation.access.projects import check_can_manage, is_member
from annotation.core.models.projects import Project
from annotation.core.models.qualifications import Qualification
from annotation.core.refusals import Conflict, Denied
from annotation.extensions.parts import Demand
from annotation.qualifications.models import Part, QualificationAttempt, QualificationItem
from annotation.qualifications.training import TrainingFacts, exam_refusal

_STATE = QualificationAttempt.State
OVER = {
    _STATE.SUBMITTED: "This attempt has been submitted. It cannot be changed.",
    _STATE.IN_REVIEW: "The team is reviewing this attempt. It cannot be changed.",
    _STATE.PASSED: "You have passed. Nothing in this attempt can be changed.",
    _STATE.FAILED: "This attempt is over. Nothing in it can be changed.",
    _STATE.ENDED: "The team changed this qualification, which ended the attempt. What you typed "
    "is kept here, and the attempt does not count.",
}
NOT_OPEN = {
    Qualification.State.DRAFT: "This qualification is still a draft. Come back when it is open.",
    Qualification.State.CLOSED: "This qualification is closed. Ask the people who run the project.",
}
STALE = (
    "The guidelines have changed since this qualification was written. It opens again when the "
    "team has looked through it."
)


class NotQualified(Denied):
    """There is work, but it requires a qualification that the person does not have."""

    def __init__(self, qualification: int, items: int) -> None:
        super().__init__(first_sentence(items))
        self.qualification = qualification


def _unqualified(qualification: int) -> NotQualified:
    # The count in the sentence is queried only for people who are refused.
    items = QualificationItem.objects.filter(qualification=qualification, part=Part.EXAM)
    return NotQualified(qualification, items.count())


# The qualification that policy `p` requires and the person does not have.
DEMAND = Demand(
    missing=SQL("""(
        SELECT p.qualification_id WHERE NOT EXISTS (
            SELECT 1 FROM annotation_qualified held
            WHERE held.qualification_id = p.qualification_id AND held.user_id = %(user)s
              AND held.revoked_at IS NULL))"""),
    refusal=_unqualified,
)


def check_can_edit(user: User, qualification: Qualification) -> None:
    """Refuse unless the person runs the project and no one can be answering now."""
    check_can_manage(user, qualification.project)
    if qualification.state != Qualification.State.DRAFT:
        raise Conflict(
            "Items and rules can be changed only in a draft. Take the qualification back first; "
            "attempts in progress end and do not count."
        )


def check_takes_part(user: User, project: Project) -> None:
    """Refuse people who have left the project, and everyone once it is closed."""
    if not is_member(user, project):
        raise Denied("You no longer work in this project. What you typed is kept.")
    if project.over:
        raise Conflict("This project is closed. What you typed is kept.")


def check_can_start(
    *,
    qualification: Qualification,
    newest_guideline: int,
    training: TrainingFacts,
    last: QualificationAttempt | None,
    used: int,
    now: dt.datetime,
) -> None:
    """Refuse a new attempt at the exam.

    `used` are the attempts that count, `last` is the latest of them.
    """
    if training.qualified:
        raise Conflict("You are qualified already.")
    check_is_open(qualification, newest_guideline)
    if why := exam_refusal(training):
        raise Conflict(why)
    if last is not None and last.state == _STATE.IN_REVIEW:
        raise Conflict("The team is reading your last attempt. Wait for their decision.")
    if qualification.max_attempts and used >= qualification.max_attempts:
        raise Conflict(
            f"You have used {used} of {qualification.max_attempts} attempts. "
            "Ask the people who run the project."
        )
    if (again := may_retake_at(qualification, last)) and again > now:
        day = timezone.localtime(again)
        raise Conflict(f"You may try again from {day.day} {day:%B %Y, %H:%M}.")


def check_is_open(qualification: Qualification, newest_guideline: int) -> None:
    """Refuse to begin where the qualification is not open, or not confirmed for the guidelines."""
    if qualification.state != Qualification.State.OPEN:
        raise Conflict(NOT_OPEN[Qualification.State(qualification.state)])
    if newest_guideline > qualification.guideline_version:
        raise Conflict(STALE)


def check_can_study(
    *, qualification: Qualification, newest_guideline: int, training: TrainingFacts
) -> None:
    """Refuse to begin self-study where there is none, or where it is done."""
    if not training.samples:
        raise Conflict("This qualification has no samples to learn from.")
    if training.study_done:
        raise Conflict("You have submitted every sample. You can still see what the team prepared.")
    check_is_open(qualification, newest_guideline)


def may_retake_at(
    qualification: Qualification, last: QualificationAttempt | None
) -> dt.datetime | None:
    """Return when the next attempt may begin; None if it may begin at once."""
    if last is None or last.submitted_at is None or not qualification.days_between:
        return None
    return last.submitted_at + dt.timedelta(days=qualification.days_between)


def check_is_own(user: User, attempt: QualificationAttempt) -> None:
    """Refuse unless it is the person's own attempt."""
    if attempt.user_id != user.pk:
        raise Denied("This is another person’s attempt.")


def check_in_progress(attempt: QualificationAttempt) -> None:
    """Refuse to change an attempt that is over."""
    if attempt.state != _STATE.IN_PROGRESS:
        raise Conflict(OVER[_STATE(attempt.state)])


def can_ask(attempt: QualificationAttempt) -> bool:
    """Return whether the person can ask the team to read it: once, if enough items passed."""
    marks = attempt.qualification
    return (
        attempt.state == _STATE.SUBMITTED
        and attempt.part == Part.EXAM
        and attempt.asked_at is None
        and (attempt.score or 0) >= marks.submit_at
    )


def check_can_grade(user: User, attempt: QualificationAttempt) -> None:
    """Refuse unless the person runs the project and it is someone else's submitted attempt."""
    check_can_manage(user, attempt.qualification.project)
    if attempt.user_id == user.pk:
        raise Denied("This is your own attempt. Another member of the team reviews it.")
    if attempt.submitted_at is None:
        raise Conflict("This attempt has not been submitted, so there is nothing to grade yet.")


def check_can_say_who_is_qualified(user: User, qualification: Qualification, whom: User) -> None:
    """Refuse unless the person runs the project and it is about someone else."""
    check_can_manage(user, qualification.project)
    if user.pk == whom.pk:
        raise Denied("You cannot qualify yourself. Ask another member of the team.")


def check_can_hold_walk_through(user: User, qualification: Qualification, whom: User) -> None:
    """Refuse unless the person runs the project and it is someone else's walk-through."""
    check_can_manage(user, qualification.project)
    if user.pk == whom.pk:
        raise Denied("This is your own walk-through. Another member of the team marks it.")


def first_sentence(items: int) -> str:
    """Return the sentence for people who ask for work that requires a qualification."""
    return f"Pass the qualification first: {items} short question{'' if items == 1 else 's'}."
