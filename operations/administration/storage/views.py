"""The page of storage and backups, and what is pressed there."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access.loaders import UserRequest
from operations.administration.frame import for_administrators, render_section
from operations.administration.storage.measuring import measure_storage
from operations.administration.storage.queries import (
    backup_folder,
    find_backup_job,
    find_folder_problem,
)
from operations.administration.storage.services import start_backup
from operations.backup.manifest import key_fingerprints
from operations.backup.notes import list_backups


@for_administrators
@require_safe
def storage_page(request: UserRequest) -> HttpResponse:
    """Show what uses the disk, and the backups; ?again measures anew."""
    backups, job = list_backups(), find_backup_job()
    size = backups[0].bytes if backups else 0
    newest = next((backup.manifest for backup in backups if backup.manifest), None)
    keys = key_fingerprints()
    context = {
        "report": measure_storage(timezone.now(), again="again" in request.GET),
        "backups": backups,
        "keys": [
            (name, digits, newest.keys.get(name) == digits if newest else None)
            for name, digits in keys.items()
        ],
        "folder": settings.AMBIT_DATA,
        "job": job,
        # A backup takes about what the one before took.
        "percent": min(99, 100 * job.done // size) if job and size else None,
        "backup_folder": backup_folder(),
        "cannot_back_up": find_folder_problem(),
    }
    return render_section(request, "storage", "storage.html", context)


@for_administrators
@require_POST
def backup_make(request: UserRequest) -> HttpResponse:
    """Start the job that writes a backup."""
    start_backup(by=request.user, now=timezone.now())
    messages.success(request, "A backup is being made. People can go on working meanwhile.")
    return redirect("administration-storage")
