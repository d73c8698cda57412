"""Which disambiguations have no paragraph yet, and may still get one."""

import datetime as dt
from typing import TYPE_CHECKING, Any

from django.db import connection

from annotation.contexts.statements import COUNT_UNSEARCHED
from annotation.core.models.projects import Project

if TYPE_CHECKING:
    pass


JOB_KIND = "contexts"


def count_unsearched(project: Project, *, again_before: dt.datetime | None = None) -> int:
    """Return how many unopened questions were not searched in their present form.

    With `again_before`, count also those last searched before that moment.
    """
    with connection.cursor() as cursor:
        cursor.execute(COUNT_UNSEARCHED, search_values(project, again_before))
        return int(cursor.fetchone()[0])


def search_values(
    project: Project, again_before: dt.datetime | None, after: int = 0
) -> dict[str, Any]:
    return {"project": project.pk, "after": after, "before": again_before}
