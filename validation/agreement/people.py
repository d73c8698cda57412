"""The names of the people of a report for staff, and their pseudonyms for exported data."""

from accounts.models import User
from accounts.pseudonyms import derive_pseudonym
from annotation.models import Project
from validation.agreement.reporting import AgreementReport


def name_people(found: AgreementReport) -> dict[int, str]:
    """Return the names of the people of a report, by id. One query."""
    return {user.pk: user.name for user in _people(found)}


def pseudonymise_people(found: AgreementReport, project: Project) -> dict[int, str]:
    """Return their pseudonyms in the exports of the project, by id. One query."""
    return {user.pk: derive_pseudonym(user, scope=project.slug) for user in _people(found)}


def _people(found: AgreementReport) -> list[User]:
    ids = {person.person for person in (*found.generators, *found.validators)}
    return list(User.objects.filter(pk__in=ids))
