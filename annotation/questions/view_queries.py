"""The saved views that a person sees."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from accounts.models import User
from annotation.core.models.projects import Project
from annotation.questions.models import SavedView

MOST_SHARED = 50


@dataclass(frozen=True)
class ViewChoice:
    """A view as one of those that a person can choose. own: whether it is theirs."""

    view: SavedView
    own: bool

    @property
    def address(self) -> str:
        """The query of the list that shows it."""
        return f"view={self.view.pk}" + (f"&{self.view.query}" if self.view.query else "")


def views_seen_by(user: User, project: Project) -> QuerySet[SavedView]:
    """Return a person's own views of a project, and those that others share with the team."""
    return SavedView.objects.filter(Q(user=user) | Q(shared=True), project=project)


def list_views(user: User, project: Project) -> list[ViewChoice]:
    """Return a person's own views by name, then those of others, which are bounded. One query."""
    rows = views_seen_by(user, project).select_related("user").order_by("name", "pk")
    choices = [ViewChoice(row, row.user_id == user.pk) for row in rows]
    others = [choice for choice in choices if not choice.own]
    return [choice for choice in choices if choice.own] + others[:MOST_SHARED]


def choose_view(choices: Sequence[ViewChoice], number: int) -> ViewChoice | None:
    """Return the view with this id, if it is among those that the person sees. No query."""
    return next((choice for choice in choices if choice.view.pk == number), None)


def find_opening_view(choices: Sequence[ViewChoice]) -> ViewChoice | None:
    """Return the view with which the list opens, if the person has chosen one. No query."""
    return next((choice for choice in choices if choice.own and choice.view.opens), None)
