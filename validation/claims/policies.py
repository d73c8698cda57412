"""Who may claim that a result is wrong, until when, and who decides on it."""

import datetime as dt

from django.utils import timezone

from accounts.models import User
from annotation.access.work import check_can_see_answers, check_owns
from annotation.core.refusals import Conflict, Denied
from annotation.models import Assignment, Project, Thread
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.stages import registry as stages
from annotation.threads.policies import check_can_answer


def claim_until(project: Project, decided_at: dt.datetime | None) -> dt.datetime | None:
    """Return the deadline for claims about a result; None where none are possible."""
    if decided_at is None or not _disputes(project):
        return None
    return decided_at + dt.timedelta(days=project.claim_days)


def _disputes(project: Project) -> bool:
    return bool(project.claim_days) and protocols.protocol_of(project).has_feature(Feature.DISPUTES)


def check_can_claim(
    user: User, assignment: Assignment, *, decided_at: dt.datetime | None, now: dt.datetime
) -> None:
    """Refuse where the person's own answer has no result to dispute, or after the deadline."""
    check_owns(user, assignment)
    if assignment.stage not in stages.list_writing_stages(assignment.project):
        raise Conflict("You can only dispute the result of your own answer. Ask a question.")
    if not _disputes(assignment.project):
        raise Conflict("Results cannot be disputed in this project. Ask a question instead.")
    until = claim_until(assignment.project, decided_at)
    if until is None:
        raise Conflict("There is no result yet. You can dispute it once there is one.")
    if now > until:
        day = timezone.localtime(until)
        raise Conflict(
            f"This result could be disputed until {day.day} {day:%B %Y}. "
            "You can still ask a question about it."
        )


def check_can_rule(user: User, thread: Thread) -> None:
    """Refuse unless the person is on the team and has no work of their own on the question.

    People who answered or validated it cannot rule on it, nor can those who may still answer it.
    """
    check_can_answer(user, thread)
    if thread.kind != Thread.Kind.CLAIM:
        raise Denied("Only a claim is decided on. Answer this question instead.")
    question = thread.assignment.task.question
    check_can_see_answers(user, question)
    mine = Assignment.objects.filter(
        task__question=question, user=user, state=Assignment.State.SUBMITTED
    )
    if mine.filter(stage__in=protocols.protocol_of(thread.project).data_stages).exists():
        raise Denied("You worked on this question yourself. Someone else on the team will decide.")
