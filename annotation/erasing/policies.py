"""Who may erase a person, and who can be erased."""

from accounts.models import User
from annotation.core.models.people import Membership, Role
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict, Denied
from annotation.people.admins import check_stays_administered


def check_can_erase(by: User, user: User) -> None:
    """Refuse unless `by` administers the installation and the person can be erased now."""
    if not by.is_superuser:
        raise Denied("Only administrators of this installation can erase people.")
    if by.pk == user.pk:
        raise Conflict("You cannot erase yourself. Ask another administrator to do it.")
    check_can_be_erased(user)


def check_can_be_erased(user: User) -> None:
    """Refuse where an installation or a project would be left without anyone to run it."""
    if user.erased_at:
        raise Conflict("This person was erased before.")
    check_stays_administered(user)
    titles = [project.title for project in _alone_in(user)]
    if titles:
        raise Conflict(
            f"{user} is the only admin of {', '.join(titles)}. Make someone else an admin there "
            "first."
        )


def _alone_in(user: User) -> list[Project]:
    """Return the projects whose only admin is the person."""
    admins = Membership.objects.filter(role=Role.ADMIN)
    own = admins.filter(user=user).values("project")
    shared = admins.filter(project__in=own).exclude(user=user).values("project")
    return list(Project.objects.filter(pk__in=own).exclude(pk__in=shared).order_by("title"))
