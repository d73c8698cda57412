"""Skipped questions: one JSON object per skip, with its reason and what the person wrote."""

from collections.abc import Iterator

import orjson

from annotation.core.models.projects import Project
from annotation.core.models.questions import display_form
from annotation.core.models.work import Assignment
from annotation.exports.format import JSON_LINES, Format
from annotation.exports.rows import Names, chunks
from annotation.exports.selection import Selection, chosen
from annotation.protocols import registry as protocols

SCHEMA_VERSION = 1
_AT_ONCE = 2_000
_SKIPS = f"""
    SELECT s.id, s.task_id, s.stage, u.key, s.skip_reason, s.feedback, s.started_at, s.ended_at,
           s.active_seconds, s.guideline_version, q.external_id, q.text, q.split
    FROM annotation_assignment s
    JOIN annotation_task t ON t.id = s.task_id
    JOIN annotation_question q ON q.id = t.question_id
    JOIN accounts_user u ON u.id = s.user_id
    WHERE s.project_id = %(project)s AND s.state = 'skipped' AND NOT s.gold
      AND s.stage = ANY(%(stages)s)
      AND {chosen(time="s.ended_at")}
    ORDER BY q.id, s.ended_at, s.id
"""  # noqa: S608 - only our own words are put in


def records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Yield every skip in the order of questions, then of time. Only within a snapshot."""
    names = Names(project)
    values = selection.values(project) | {"stages": protocols.protocol_of(project).data_stages}
    for rows in chunks(_SKIPS, values, _AT_ONCE):
        for row in rows:
            yield orjson.dumps(
                {
                    "schema_version": SCHEMA_VERSION,
                    "id": row[10],
                    "question": row[11],
                    "prompt": display_form(row[11]),
                    "split": row[12],
                    "stage": row[2],
                    "task": row[1],
                    "assignment": row[0],
                    "person": names[row[3]],
                    "reason": row[4],
                    "feedback": row[5],
                    "times": {"started": row[6], "skipped": row[7], "active_seconds": row[8]},
                    "guideline_version": row[9],
                }
            )


def count(project: Project) -> int:
    """Return the number of skips."""
    rows = Assignment.objects.filter(
        project=project, stage__in=protocols.protocol_of(project).data_stages
    )
    return rows.filter(state=Assignment.State.SKIPPED).count()


SKIPS = Format(
    key="skips",
    label="Skips",
    hint="Every skipped question with its reason and feedback",
    content_type=JSON_LINES,
    records=records,
    count=count,
)
