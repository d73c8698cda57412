"""Who may raise a concern about the disambiguations of a question, and who decides on it."""

from accounts.models import User
from annotation.access.projects import STAFF, check_can_manage
from annotation.access.work import check_owns
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict, Denied
from annotation.long_answers.concerns.models import Concern
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.threads.policies import check_still_member

State = Assignment.State
# States of assignments whose person may raise a concern: they hold it or have submitted it.
RAISES = frozenset({State.ACTIVE.value, State.PARKED.value, State.SUBMITTED.value})


def check_has_concerns(project: Project) -> None:
    """Refuse in projects whose questions come without disambiguations."""
    if not protocols.protocol_of(project).has_feature(Feature.CONCERNS):
        raise Conflict(
            "Concerns are about the disambiguations of long-answer questions. There are none."
        )


def check_can_raise(user: User, assignment: Assignment) -> None:
    """Refuse unless the person writes, or has written, a long answer in this assignment."""
    check_owns(user, assignment)
    check_has_concerns(assignment.project)
    check_still_member(user, assignment.project)
    check_turn_raises(assignment.state)


def check_turn_raises(state: str) -> None:
    """Refuse where the assignment ended without an answer."""
    if state not in RAISES:
        raise Conflict(
            "You no longer have this question. Take it up again, or ask the team about it."
        )


def check_not_excluded(state: str) -> None:
    """Refuse where the question is already excluded."""
    if state == Question.State.EXCLUDED:
        raise Conflict(
            "The team has already excluded this question. There is nothing left to decide."
        )


def check_can_raise_as_staff(user: User, question: Question) -> None:
    """Refuse unless the person runs the project."""
    check_can_manage(user, question.project)
    check_has_concerns(question.project)


def check_can_decide(user: User, concern: Concern) -> None:
    """Refuse unless the person may decide: not on their own concern, if others could."""
    project = concern.question.project
    check_can_manage(user, project)
    if concern.author_id == user.pk and has_other_staff(user, project):
        raise Denied("You raised this concern. Another member of the team decides on it.")


def has_other_staff(user: User, project: Project) -> bool:
    """Return whether someone else could decide. One query."""
    others = Membership.objects.filter(project=project, role__in=STAFF, user__is_active=True)
    return others.exclude(user=user).exists()
