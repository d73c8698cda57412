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
from annotation.exports.selection import Selection, chosen_condition
from annotation.long_answers.concerns.models import Concern

SCHEMA_VERSION = 1
_AT_ONCE = 2_000
_CONCERNS = f"""
    SELECT c.id, c.disambiguations, c.reason, c.state, c.note, c.created_at, c.decided_at,
           u.key, d.key, s.id, s.task_id, s.state, q.external_id, q.text, q.split
    FROM annotation_concern c
    JOIN annotation_question q ON q.id = c.question_id
    JOIN accounts_user u ON u.id = c.author_id
    LEFT JOIN accounts_user d ON d.id = c.decided_by_id
    LEFT JOIN annotation_assignment s ON s.id = c.assignment_id
    WHERE q.project_id = %(project)s
      AND {chosen_condition(person="c.author_id", time="c.created_at")}
    ORDER BY q.id, c.id
"""  # noqa: S608 - only our own words are put in


def export_records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Yield every concern in the order of questions, then of time. Only within a snapshot."""
    names = Names(project)
    for rows in fetch_chunks(_CONCERNS, selection.values(project), _AT_ONCE):
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
