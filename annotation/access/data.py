"""Who may import questions, export data, and stop jobs."""

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict


def check_can_import(user: User, project: Project) -> None:
    """Refuse unless the person is staff of the project and it is not over."""
    check_can_manage(user, project)
    if project.over:
        state = project.get_state_display().lower()
        raise Conflict(f"This project is {state}. Run it again to import questions.")


def check_can_export(user: User, project: Project) -> None:
    """Refuse unless the person is staff of the project."""
    check_can_manage(user, project)


def check_can_undo(user: User, job: Job) -> None:
    """Refuse unless the person is staff and the job is a finished import that was not undone."""
    check_can_manage(user, job.project)
    if job.kind not in Job.IMPORTS:
        raise Conflict("Only an import can be undone.")
    if job.ended_at is None:
        raise Conflict("This import is still running. Stop it first.")
    if job.undone_at is not None:
        raise Conflict("This import has already been undone.")


def check_can_cancel(user: User, job: Job) -> None:
    """Refuse unless the person is staff of the job's project and the job is not over."""
    check_can_manage(user, job.project)
    if job.ended_at is not None:
        raise Conflict(f"This job is over: {job.get_state_display().lower()}.")


def check_can_retry(user: User, job: Job, *, possible: bool) -> None:
    """Refuse unless the person is staff of the job's project and the job can be tried again."""
    check_can_manage(user, job.project)
    if not possible:
        raise Conflict("This job cannot be tried again: only some that failed or were stopped can.")
