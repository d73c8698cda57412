"""Who may see, change and run a project. Staff of a project = its researchers and admins."""

from accounts.models import User
from annotation.core.models.people import Membership, Role
from annotation.core.models.projects import Project
from annotation.core.refusals import Denied, roles_in
from wikipedia.models import Snapshot

STAFF = frozenset({Role.RESEARCHER.value, Role.ADMIN.value})


def is_member(user: User, project: Project) -> bool:
    """Return whether the person may see the project. Others get 404, as if it did not exist."""
    return bool(roles_in(user, project))


def works_with(user: User, snapshot: Snapshot) -> bool:
    """Return whether the person is in a project whose articles are those of the snapshot."""
    mine = Membership.objects.filter(user=user, project__snapshot=snapshot)
    return user.is_superuser or mine.exists()


def check_can_manage(user: User, project: Project) -> None:
    """Refuse unless the person may change the project, import into it and export from it."""
    if not STAFF & roles_in(user, project):
        raise Denied("Only researchers and admins of this project can do this.")


def check_can_manage_people(user: User, project: Project) -> None:
    """Refuse unless the person may invite people and change their roles."""
    if Role.ADMIN.value not in roles_in(user, project):
        raise Denied("Only admins of this project can change who works in it.")


def check_can_tell_others(user: User, project: Project) -> None:
    """Refuse unless the person may decide which other programs are told what happens."""
    if Role.ADMIN.value not in roles_in(user, project):
        raise Denied("Only admins of this project can change which programs it tells.")


def check_can_create_project(user: User) -> None:
    """Refuse unless the person is a researcher or admin somewhere, or staff of the installation."""
    if user.is_staff or user.is_superuser:
        return
    if not Membership.objects.filter(user=user, role__in=STAFF).exists():
        raise Denied("Only researchers and admins can create a project. Ask one to invite you.")
