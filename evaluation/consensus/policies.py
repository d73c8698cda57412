"""Who sees what experts said of each answer, and until when anything of it may change."""

from accounts.models import User
from annotation.access.projects import STAFF
from annotation.core.refusals import Conflict, Denied, roles_in
from annotation.models import Project, Role
from evaluation.studies.models import Study


def check_can_see_panel(user: User, project: Project) -> None:
    """Refuse unless the person is an expert, researcher or admin of the project."""
    if not (STAFF | {Role.EXPERT.value}) & roles_in(user, project):
        raise Denied("Only experts, researchers and admins of this project can open this.")


def expert_of(user: User, project: Project) -> int:
    """Return the id of an expert, who sees only answers they have judged; 0 for the team."""
    return 0 if STAFF & roles_in(user, project) else user.pk


def check_can_change(study: Study) -> None:
    """Refuse to change a consensus unless the study is running."""
    if study.state != Study.State.RUNNING:
        raise Conflict("This study is closed, so its consensus stays as it is.")
