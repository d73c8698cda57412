"""Which disambiguations have no paragraph yet, and may still get one."""

import datetime as dt
from typing import TYPE_CHECKING, Any

from django.db import connection

from annotation.core.models.projects import Project

if TYPE_CHECKING:
    pass


JOB_KIND = "contexts"


# The part of a question that is searched for; another import may change it.
FINGERPRINT = "md5(jsonb_build_array(q.context -> 'qa_pairs', q.context -> 'wikipages')::text)"


# To be handed out and never taken. Questions imported as finished work have no task. Tasks with
# terms of their own are those of studies, in which no one sees a paragraph.
UNOPENED = """
    EXISTS (SELECT 1 FROM annotation_task t WHERE t.question_id = q.id AND t.people IS NULL)
    AND NOT EXISTS (SELECT 1 FROM annotation_task t
                    JOIN annotation_assignment a ON a.task_id = t.id
                    WHERE t.question_id = q.id AND t.people IS NULL)
"""


WAITING = f"""
    FROM annotation_question q
    LEFT JOIN annotation_contextsearch s ON s.question_id = q.id
    WHERE q.project_id = %(project)s AND q.id > %(after)s AND {UNOPENED}
      AND (s.id IS NULL OR s.fingerprint <> {FINGERPRINT} OR s.created_at < %(before)s)
"""


def count_unsearched(project: Project, *, again_before: dt.datetime | None = None) -> int:
    """Return how many unopened questions were not searched in their present form.

    With `again_before`, count also those last searched before that moment.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) {WAITING}", search_values(project, again_before))
        return int(cursor.fetchone()[0])


def search_values(
    project: Project, again_before: dt.datetime | None, after: int = 0
) -> dict[str, Any]:
    return {"project": project.pk, "after": after, "before": again_before}
