"""Who may bring questions in, take data out, and stop jobs."""

from accounts.models import User
from annotation.models import Job, Project
from annotation.policies.base import Conflict
from annotation.policies.projects import check_can_manage


def check_can_import(user: User, project: Project) -> None:
    """Refuse unless the person is staff of the project and it is not closed."""
    check_can_manage(user, project)
    if project.state == Project.State.CLOSED:
        raise Conflict("This project is closed. Open it again to import questions.")


def check_can_export(user: User, project: Project) -> None:
    """Refuse unless the person is staff of the project."""
    check_can_manage(user, project)


def check_can_cancel(user: User, job: Job) -> None:
    """Refuse unless the person is staff of the job's project and the job is not over."""
    check_can_manage(user, job.project)
    if job.ended_at is not None:
        raise Conflict(f"This job is over: {job.get_state_display().lower()}.")
