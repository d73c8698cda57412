"""What every export says of the Wikipedia that was read: snapshot, log of reading, quotes."""

from collections.abc import Sequence, Set
from typing import Any

import orjson

from annotation.core.models.projects import Project
from annotation.exports.rows import Row, fetch_rows
from annotation.reading.statements import EXPORTED_EVENTS, EXPORTED_QUOTES


def shown_wikipedia(project: Project) -> dict[str, Any]:
    """Return the snapshot as every record describes it."""
    snapshot = project.snapshot
    return {
        "name": snapshot.name,
        "title": snapshot.title,
        "language": snapshot.language,
        "as_of": snapshot.as_of,
        "licence": snapshot.licence,
    }


def events_of(assignments: Sequence[int]) -> dict[int, tuple[str, list[int | None]]]:
    """Return the events of assignments as JSON, with the ids of the quotes they name. One query."""
    return {
        row[0]: (row[1], row[2] or []) for row in fetch_rows(EXPORTED_EVENTS, [list(assignments)])
    }


def quotes_by_id(ids: Set[int]) -> dict[int, dict[str, Any]]:
    """Return quotes with their provenance. At most one query."""
    rows = fetch_rows(EXPORTED_QUOTES, [sorted(ids)]) if ids else []
    return {row[0]: _quote(row) for row in rows}


def _quote(row: Row) -> dict[str, Any]:
    return {
        "id": row[0],
        "exact": row[1],
        "prefix": row[2],
        "suffix": row[3],
        "position": {"start": row[4], "end": row[5], "unit": "codepoint"},
        "section": {"path": orjson.loads(row[6]), "anchor": row[7]},
        "block": row[8],
        # The names of a table cell: caption, row and column headers. Empty elsewhere.
        "headers": orjson.loads(row[22]),
        "made_by": row[9],
        "made_at": row[10],
        "source": {
            "title": row[11],
            "path": row[12],
            "page_id": row[13],
            "rev_id": row[14],
            "rev_timestamp": row[15],
            "retrieved_at": row[16],
            "url": row[17],
            "text_sha256": row[18],
            "html_sha256": row[21] or None,
            "snapshot": row[19],
            "licence": row[20],
        },
    }
