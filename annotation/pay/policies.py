"""Who may see what people earn, and correct it."""

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.models.projects import Project
from annotation.core.refusals import Denied


def check_can_see_pay(user: User, project: Project) -> None:
    """Refuse unless the person may see everyone's pay in the project."""
    check_can_manage(user, project)


def check_can_correct(by: User, person: User, project: Project) -> None:
    """Refuse unless `by` may post a correction or a bonus for `person`; never for themselves."""
    check_can_see_pay(by, project)
    if by.pk == person.pk:
        raise Denied("This is your own pay. Another member of the team has to correct it.")
