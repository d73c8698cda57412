"""The page of storage and backups."""

from django.conf import settings
from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.access.loaders import UserRequest
from operations.administration.frame import for_administrators, render_section
from operations.administration.storage.measuring import measure_storage
from operations.backup.manifest import key_fingerprints
from operations.backup.notes import list_backups


@for_administrators
@require_safe
def storage_page(request: UserRequest) -> HttpResponse:
    """Show what uses the disk, and the backups; ?again measures anew."""
    backups = list_backups()
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
    }
    return render_section(request, "storage", "storage.html", context)
