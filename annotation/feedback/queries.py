"""Feedback for its receiver."""

from accounts import prepared_statements
from accounts.models import User
from annotation.core.models.projects import Project
from annotation.feedback.models import Feedback
from annotation.feedback.statements import NEWEST_FEEDBACK


def last_for(user: User, project: Project) -> Feedback | None:
    """Return the newest feedback on the person's work in a project, with its question.

    The author is not loaded: the receiver only reads that it comes from the team. One query where
    there is none, else two.
    """
    ((newest,),) = prepared_statements.fetch_rows(
        NEWEST_FEEDBACK, {"user": user.pk, "project": project.pk}
    )
    if newest is None:
        return None
    return Feedback.objects.select_related("assignment__task__question").get(pk=newest)
