"""Who a pseudonym of a project stands for."""

from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from accounts.pseudonyms import derive_pseudonym
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment


def people_by_pseudonym(project: Project) -> dict[str, User]:
    """Return members of a project and people who had work in it, by pseudonym. One query."""
    members = Membership.objects.filter(project=project).values("user")
    worked = Assignment.objects.filter(policy__project=project, user=OuterRef("pk"))
    rows = User.objects.filter(Q(pk__in=members) | Exists(worked))
    return {derive_pseudonym(user, scope=project.slug): user for user in rows}
