"""Who may delete which saved views."""

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.models.people import Role
from annotation.core.refusals import Denied, roles_in
from annotation.questions.models import SavedView


def check_can_delete_view(user: User, view: SavedView) -> None:
    """Its owner may delete a view, and admins of the project one that is shared."""
    check_can_manage(user, view.project)
    if view.user_id != user.pk and not (view.shared and Role.ADMIN in roles_in(user, view.project)):
        raise Denied("Only the person who saved this view, or an admin, can delete it.")
