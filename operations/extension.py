"""What running an installation adds to the rooms of annotation."""

import datetime as dt

from accounts.models import User
from annotation.extensions.extension import Extension
from annotation.extensions.parts import JobKind, JobWords, LogEntries
from annotation.jobs.services import RunningJob
from annotation.models import Job
from operations.administration.snapshots.values import INDEX
from operations.backup.values import BACKUP


def _run(work: RunningJob) -> None:
    # Loaded by the worker alone: most commands need none of it.
    from operations.administration.snapshots.services import run_job

    run_job(work)


def _start_again(job: Job, by: User, now: dt.datetime) -> Job:
    from operations.administration.snapshots.services import start_again

    return start_again(job, by, now)


def _make_backup(work: RunningJob) -> None:
    from operations.administration.storage.services import run_job

    run_job(work)


def _make_backup_again(job: Job, by: User, now: dt.datetime) -> Job:
    from operations.administration.storage.services import start_again

    return start_again(job, by, now)


EXTENSION = Extension(
    key="operations",
    jobs=(
        JobKind(
            key=INDEX,
            run=_run,
            logged=False,
            retry=_start_again,
            words=JobWords(
                title="Search index",
                failed="The index was not built",
                stop="Stop, and continue another time",
            ),
        ),
        JobKind(
            key=BACKUP,
            run=_make_backup,
            logged=False,
            retry=_make_backup_again,
            of_installation=True,
            words=JobWords(
                title="Backup",
                failed="The backup was not made",
                stop="Stop, and keep no part of it",
            ),
        ),
    ),
    log=(
        LogEntries(
            {
                "admin_removed": "{who} took the administration away from {user}{because}.",
                "backup_asked": "{who} started a backup of the installation.",
                "factors_reset": "{who} reset the second factor of {user}{because}.",
                "password_link_sent": "{who} sent {user} a link to choose a password.",
                "person_activated": "{who} activated {user} again.",
                "person_deactivated": "{who} deactivated {user}{because}.",
                "project_deleted": "{who} deleted the empty project “{title}”.",
                "weights_removed": "{who} removed the weights “{name}”.",
                "sessions_ended": "{who} signed {user} out everywhere.",
            },
        ),
    ),
)
