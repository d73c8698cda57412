"""Who may start a search for context paragraphs, and choose which are shown."""

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature


def check_has_contexts(project: Project) -> None:
    """Refuse projects without long answers."""
    if not protocols.protocol_of(project).has_feature(Feature.CONTEXTS):
        raise Conflict(
            f"Context paragraphs belong to long answers; the protocol of {project.title} is "
            f"{project.protocol_label}."
        )


def check_can_choose_contexts(user: User, project: Project) -> None:
    """Refuse unless the person is staff of the project and it is not closed."""
    check_can_manage(user, project)
    check_has_contexts(project)
    if project.over:
        raise Conflict("This project is closed. Open it again to change its contexts.")
