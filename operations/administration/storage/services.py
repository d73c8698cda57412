"""Makes a backup by a job, which administrators can see and stop.

A job belongs to a project, so an installation without one is backed up by the command alone. It
lies in the oldest project, whose people do not see it.
"""

import datetime as dt
import time

from django.db import IntegrityError, transaction

from accounts.models import User
from annotation.core import audit
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.jobs import services as jobs_services
from operations.administration.people.policies import check_administers
from operations.administration.storage.queries import (
    backup_folder,
    find_backup_job,
    find_folder_problem,
)
from operations.backup.values import BACKUP

ONE_AT_A_TIME = "job_backup_once_while_unfinished"


def start_backup(*, by: User, now: dt.datetime) -> Job:
    """Make the job that writes a backup, or return the one under way.

    Only for administrators of the installation. Raises Conflict where there is no project, or the
    folder cannot be written to.
    """
    check_administers(by)
    if problem := find_folder_problem():
        raise Conflict(problem)
    project = Project.objects.order_by("pk").first()
    if project is None:
        raise Conflict("A job needs a project, and there is none yet. Make it on the server.")
    try:
        return _create_job(project, by, now)
    except IntegrityError as error:
        if ONE_AT_A_TIME not in str(error):
            raise
    job = find_backup_job()
    assert job is not None  # the one that was faster
    return job


@transaction.atomic
def _create_job(project: Project, by: User, now: dt.datetime) -> Job:
    audit.record_of_installation("backup_asked", by=by, now=now)
    return jobs_services.create_job(
        project=project, kind=BACKUP, options={}, unit="bytes", by=by, now=now
    )


def run_job(work: jobs_services.RunningJob) -> None:
    """Write the backup, always from the start: a worker that was killed has left no file."""
    from operations.backup.making import make_backup
    from operations.backup.notes import note_backup
    from operations.backup.postgres import ProgramFailed

    now, started = work.clock(), time.monotonic()
    target = backup_folder() / f"ambit-{now:%Y-%m-%d-%H%M%S}.zip"
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with jobs_services.keep_heartbeat(work):
            manifest = make_backup(
                target, now=now, told=lambda length: work.write_heartbeat(done=length)
            )
    except ProgramFailed as problem:
        raise jobs_services.JobProblem(f"{problem} Nothing was written.") from None
    except OSError as error:
        raise jobs_services.JobProblem(
            f"{target} could not be written: {error.strerror or error}. No part of it was kept."
        ) from None
    note_backup(file=target, manifest=manifest, now=now, seconds=time.monotonic() - started)
    size = target.stat().st_size
    work.save(done=size, total=size, result={"bytes": size})


def start_again(job: Job, by: User, now: dt.datetime) -> Job:
    """Start a backup like one that failed."""
    return start_backup(by=by, now=now)
