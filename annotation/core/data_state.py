"""What tells whether the data of a project have changed."""

from django.conf import settings
from django.db import connection

from annotation.core.models.projects import Project

# Every change of data writes a row to the log in the same transaction, so the newest rows identify
# the state of the data. The highest number alone would not do: a row gets its number before its
# transaction ends, so a lower number may appear after a higher one.
_NEWEST_ROWS = """
    SELECT max(id), md5(string_agg(id::text, ',' ORDER BY id))
    FROM (SELECT id FROM annotation_auditentry WHERE project BETWEEN %(project)s AND %(project)s
          ORDER BY project, id DESC LIMIT 1000) newest
"""


def data_state(project: Project) -> str:
    """Return a string that changes whenever the project's data or this program do. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST_ROWS, {"project": project.pk})
        newest, rows = cursor.fetchone()
    return f"{settings.VERSION} {newest or 0} {rows or ''}"
