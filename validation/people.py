"""How the people of a report are called: by name for staff, by pseudonym wherever data goes out."""

from accounts.models import User
from accounts.pseudonyms import pseudonym
from annotation.models import Project
from validation.reporting import Report


def names(found: Report) -> dict[int, str]:
    """Return the people of a report by name. One query."""
    return {user.pk: user.name for user in _people(found)}


def pseudonyms(found: Report, project: Project) -> dict[int, str]:
    """Return the people of a report as exports of the project call them. One query."""
    return {user.pk: pseudonym(user, scope=project.slug) for user in _people(found)}


def _people(found: Report) -> list[User]:
    ids = {each.person for each in (*found.generators, *found.validators)}
    return list(User.objects.filter(pk__in=ids))
