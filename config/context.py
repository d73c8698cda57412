"""What every page knows."""

from django.conf import settings
from django.http import HttpRequest


def version(request: HttpRequest) -> dict[str, str]:
    """Return the version shown in the footer."""
    return {"ambit_version": settings.VERSION}
