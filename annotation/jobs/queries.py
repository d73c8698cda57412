"""Which jobs somebody may know of."""

from django.db.models import QuerySet

from accounts.models import User
from annotation.core.models.jobs import Job
from annotation.extensions.registry import all_extensions


def list_kinds_of_installation() -> list[str]:
    """Return the kinds of jobs that are about the installation, in whichever project they lie."""
    return [kind.key for kind in all_extensions().jobs if kind.of_installation]


def find_jobs(user: User) -> QuerySet[Job]:
    """Return the jobs that a person may know of in the projects that they may see."""
    jobs = Job.objects.select_related("project", "created_by")
    return jobs if user.is_superuser else jobs.exclude(kind__in=list_kinds_of_installation())
