"""Who the people in stored panels are: by name for staff, under pseudonyms in files."""

from collections.abc import Iterable, Mapping
from typing import Any

from accounts.models import User
from accounts.pseudonyms import derive_pseudonym
from annotation.core.models.projects import Project

Panels = Iterable[Mapping[str, Any]]


def name_people(panels: Panels, project: Project) -> tuple[dict[int, str], dict[int, str]]:
    """Return the names and the pseudonyms of the people in panels, by id. One query."""
    users = _people(panels)
    scoped = {user.pk: derive_pseudonym(user, scope=project.slug) for user in users}
    return {user.pk: user.name for user in users}, scoped


def pseudonymise_people(panels: Panels, project: Project) -> dict[int, str]:
    """Return their pseudonyms in the exports of the project, by id. One query."""
    return {user.pk: derive_pseudonym(user, scope=project.slug) for user in _people(panels)}


def _people(panels: Panels) -> list[User]:
    ids = {person for panel in panels for person in panel["people"]}
    return list(User.objects.filter(pk__in=ids))
