"""Who may write the FAQ of a project."""

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.models.projects import Project


def check_can_edit_faq(user: User, project: Project) -> None:
    """Refuse unless the person may write the FAQ."""
    check_can_manage(user, project)
