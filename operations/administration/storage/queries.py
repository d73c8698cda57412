"""Reads about the job that makes a backup, and where backups lie."""

import os
from pathlib import Path

from django.conf import settings

from annotation.core.models.jobs import Job
from operations.backup.values import BACKUP


def find_backup_job() -> Job | None:
    """Return the newest job that makes or made a backup; None if there was none."""
    jobs = Job.objects.filter(kind=BACKUP).select_related("project", "created_by")
    return jobs.order_by("-pk").first()


def backup_folder() -> Path:
    """Return where backups of the administration lie. It may be a link to another disk."""
    return Path(settings.AMBIT_DATA) / "backups"


def find_folder_problem() -> str:
    """Return why this host can write no backup, and what to do; "" where it can."""
    folder = backup_folder()
    place = folder if folder.exists() else folder.parent
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        return ""
    return (
        f"Ambit cannot write into {folder}. Make it a folder that the user who runs Ambit may "
        "write to, or a link to one."
    )
