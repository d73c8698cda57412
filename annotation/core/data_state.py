"""What tells whether the data of a project have changed."""

from django.conf import settings
from django.db import connection

from annotation.core.models.projects import Project
from annotation.core.statements import NEWEST_AUDIT_ROWS


def data_state(project: Project) -> str:
    """Return a string that changes whenever the project's data or this program do. One query."""
    with connection.cursor() as cursor:
        cursor.execute(NEWEST_AUDIT_ROWS, {"project": project.pk})
        newest, rows = cursor.fetchone()
    return f"{settings.VERSION} {newest or 0} {rows or ''}"
