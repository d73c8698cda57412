"""Concerns about disambiguations, by writers and staff: one JSON object each.

`assignment` is null if a member of staff raised it; `submitted` tells whether the writer submitted
a long answer all the same. `disambiguations` count from 0; none means the question as a whole.
"""

from collections.abc import Iterator

import orjson

from annotation.core.models.projects import Project
from annotation.core.models.questions import display_form
from annotation.exports.format import JSON_LINES, Format
from annotation.exports.rows import Names, Row, fetch_chunks
from annotation.exports.selection import Selection
from annotation.long_answers.concerns.models import Concern
from annotation.long_answers.concerns.statements import CONCERNS_OF_PROJECT

SCHEMA_VERSION = 1
_AT_ONCE = 2_000


def export_records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Yield every concern in the order of questions, then of time. Only within a snapshot."""
    names = Names(project)
    for rows in fetch_chunks(CONCERNS_OF_PROJECT, selection.values(project), _AT_ONCE):
        for row in rows:
            yield orjson.dumps(_record(row, names))


def count_records(project: Project) -> int:
    """Return how many concerns there are."""
    return Concern.objects.filter(question__project=project).count()


def _record(row: Row, names: Names) -> dict[str, object]:
    return {
        "schema_version": SCHEMA_VERSION,
        "id": row[12],
        "question": row[13],
        "prompt": display_form(row[13]),
        "split": row[14],
        "concern": row[0],
        "task": row[10],
        "assignment": row[9],
        "submitted": row[11] == "submitted",
        "raised_by": "staff" if row[9] is None else "writer",
        "person": names[row[7]],
        "disambiguations": row[1],
        "reason": row[2],
        "state": row[3],
        "note": row[4],
        "decided_by": names[row[8]] if row[8] else None,
        "times": {"raised": row[5], "decided": row[6]},
    }


CONCERNS = Format(
    key="concerns",
    label="Concerns",
    hint="Every concern about disambiguations, with what was decided",
    content_type=JSON_LINES,
    records=export_records,
    count=count_records,
)
