"""Who may read figures."""

from collections.abc import Callable
from dataclasses import dataclass

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.models.projects import Project
from annotation.core.refusals import Denied


@dataclass(frozen=True)
class Readers:
    """The people who may read figures of their project. check: raises Denied for others."""

    name: str
    check: Callable[[User, Project], None]

    def include(self, user: User, project: Project) -> bool:
        """Whether a member of the project may read the figures."""
        try:
            self.check(user, project)
        except Denied:
            return False
        return True


MANAGERS = Readers("researchers and admins", check_can_manage)
