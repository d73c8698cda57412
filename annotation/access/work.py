"""Who may take, hold and submit work, and in which state of the project."""

import datetime as dt

from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from annotation.access.projects import STAFF
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict, Denied, roles_in
from annotation.core.states import HELD

PROJECT_SENTENCES = {
    Project.State.PAUSED.value: "This project is paused. Nothing is handed out or accepted until "
    "it runs again. What you typed is kept.",
    Project.State.CLOSED.value: "This project is closed and accepts no more work. What you typed "
    "is kept.",
    Project.State.ARCHIVED.value: "This project is archived and accepts no more work. What you "
    "typed is kept.",
}


def check_running(state: str) -> None:
    """Refuse unless the project is running."""
    if state != Project.State.RUNNING:
        raise Conflict(PROJECT_SENTENCES[state])


def check_can_take(
    *,
    user: User,
    role_label: str,
    has_role: bool,
    paused_at: dt.datetime | None,
    pause_reason: str,
    project_state: str,
) -> None:
    """Refuse unless the person may be given new work now."""
    if not (has_role or user.is_superuser):
        raise Denied(f"Only people with the role {role_label} get this work.")
    if paused_at is not None:
        since = timezone.localtime(paused_at)
        why = f": {pause_reason[:1].lower()}{pause_reason[1:]}" if pause_reason else ""
        raise Denied(
            f"You get no new work here since {since.day} {since:%B %Y}{why}. "
            "Ask the people who run this project."
        )
    check_running(project_state)


def check_owns(user: User, assignment: Assignment) -> None:
    """Refuse unless it is the person's own assignment."""
    if assignment.user_id != user.pk:
        raise Denied("Someone else has this question.")


def check_still_works_here(*, user: User, has_role: bool) -> None:
    """Refuse work from people who have left the project or lost the role."""
    if not (has_role or user.is_superuser):
        raise Denied(
            "You no longer have the role for this work in this project. What you typed is kept."
        )


def check_can_judge_work(user: User, assignment: Assignment) -> None:
    """Refuse unless the person may return or exclude this work; never their own.

    People who have submitted may read the other answers, and could then rewrite their own.
    """
    if not STAFF & roles_in(user, assignment.project):
        raise Denied("Only researchers and admins of this project can do this.")
    if assignment.user_id == user.pk:
        raise Denied("This is your own work. Another member of the team decides on it.")


def can_still_answer() -> Q:
    """Return the condition for assignments that can still be submitted or reopened.

    The seats of a question with an open concern are closed, but open again if it is dismissed.
    """
    held = Q(state__in=HELD)
    waits = Q(task__seats__gt=0) | Q(task__question__state=Question.State.FLAGGED)
    return held | ~Q(state=Assignment.State.SUBMITTED) & waits


def check_can_see_answers(user: User, question: Question) -> None:
    """Refuse people who could still answer the question: annotators work independently (A51).

    Concerns staff who also annotate; others have no assignment on it. An assignment that ended
    can be reopened while a seat is free.
    """
    if Assignment.objects.filter(can_still_answer(), task__question=question, user=user).exists():
        raise Denied(
            "You can still answer this question yourself. What others answered is shown once you "
            "have submitted your answer, or all its seats are taken."
        )


def late_sentence(ended_at: dt.datetime | None) -> str:
    """Return the sentence for people whose seat has gone to someone else."""
    at = f" at {timezone.localtime(ended_at):%H:%M}" if ended_at else ""
    return (
        f"Your time ended{at} and someone else has this question now. "
        "Your text is kept under Drafts."
    )
