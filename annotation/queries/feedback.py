"""Feedback for its receiver."""

from accounts.models import User
from annotation.models import Feedback, Project


def last_for(user: User, project: Project) -> Feedback | None:
    """Return the newest feedback on the person's work in a project, with its question. One query.

    The author is not loaded: the receiver only reads that it comes from the team.
    """
    return (
        Feedback.objects.filter(assignment__user=user, assignment__project=project)
        .select_related("assignment__task__question")
        .order_by("-pk")
        .first()
    )
