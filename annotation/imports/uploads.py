"""Files that were uploaded and wait until somebody has seen what they are.

Each is kept as the file of a job that is over, so that what cleans up after jobs removes it after a
day.
"""

import datetime as dt
import secrets
from typing import Any

from django.core.files.base import File
from django.db import transaction
from django.shortcuts import get_object_or_404

from accounts.models import User
from annotation.access.data import check_can_import
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.imports import services as imports
from annotation.imports.detection import FileReading
from annotation.jobs import services as jobs_services

UPLOAD_KIND = "import_upload"
MOST_WAITING = 5  # of a person in a project; an older one is deleted when another comes


@transaction.atomic
def keep_upload(
    *, project: Project, file: "File[bytes]", file_name: str, by: User, now: dt.datetime
) -> Job:
    """Store a file until it is imported. Staff only."""
    check_can_import(by, project)
    file.name = f"{secrets.token_hex(12)}.upload"  # the person's may be too long for a disk
    upload = Job.objects.create(
        project=project,
        kind=UPLOAD_KIND,
        state=Job.State.DONE,
        file=file,
        file_name=file_name[:255],
        created_by=by,
        created_at=now,
        heartbeat_at=now,
        ended_at=now,
    )
    waiting = Job.objects.filter(project=project, kind=UPLOAD_KIND, created_by=by).exclude(file="")
    for old in waiting.order_by("-pk")[MOST_WAITING:]:
        jobs_services.forget_file(old)
    return upload


def get_upload(project: Project, upload_id: int) -> Job:
    """Return a file that was uploaded to the project, or 404."""
    return get_object_or_404(Job, pk=upload_id, project=project, kind=UPLOAD_KIND)


@transaction.atomic
def import_upload(
    *, upload: Job, reading: FileReading, by: User, now: dt.datetime, **choices: Any
) -> Job:
    """Make the job that imports a stored file, which then belongs to that job.

    `choices`: split, strict, finished and closed, as `start_import` takes them. Raises Conflict
    where the file is gone.
    """
    upload = Job.objects.select_for_update(of=("self",)).select_related("project").get(pk=upload.pk)
    if not upload.file:
        raise Conflict("The uploaded file is no longer here. Choose it again.")
    name = str(upload.file.name)
    job = imports.start_import(
        project=upload.project,
        file=name,
        file_name=upload.file_name,
        format=reading,
        by=by,
        now=now,
        **choices,
    )
    Job.objects.filter(pk=upload.pk).update(file="", options={"job": job.pk})
    return job
