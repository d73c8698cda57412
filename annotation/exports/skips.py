"""Skipped questions: one JSON object per skip, with its reason and what the person wrote."""

from collections.abc import Iterator

import orjson

from annotation.core.models.projects import Project
from annotation.core.models.questions import display_form
from annotation.core.models.work import Assignment
from annotation.exports.format import JSON_LINES, Format
from annotation.exports.rows import Names, fetch_chunks
from annotation.exports.selection import Selection
from annotation.exports.statements import EXPORTED_SKIPS
from annotation.protocols import registry as protocols

SCHEMA_VERSION = 1
_AT_ONCE = 2_000


def export_records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Yield every skip in the order of questions, then of time. Only within a snapshot."""
    names = Names(project)
    values = selection.values(project) | {"stages": protocols.protocol_of(project).data_stages}
    for rows in fetch_chunks(EXPORTED_SKIPS, values, _AT_ONCE):
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


def count_records(project: Project) -> int:
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
    records=export_records,
    count=count_records,
)
