"""Submissions of stages without tables of their own: one JSON object each, in one envelope.

What `annotations` says about people, times and positions is true here, too. What is in "response"
is the stage's own; "unit" names the part of the question, where the stage has several; "time_limit"
says how a time limit ended: who submitted, how late text was, and text that came too late;
"suggestions", where a model's were shown, what people did with each.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from annotation.core.models.projects import Project
from annotation.core.models.questions import display_form
from annotation.core.models.submissions import Submission
from annotation.exports.format import JSON_LINES, Format
from annotation.exports.rows import Names, Row, fetch_chunks
from annotation.exports.selection import Selection, chosen_condition
from annotation.reading.export_parts import events_of, quotes_by_id, shown_wikipedia
from annotation.stages import registry as stages
from annotation.work.statements import EXPORTED_SUBMISSIONS

SCHEMA_VERSION = 1
_AT_ONCE = 2_000
_SUBMISSIONS = EXPORTED_SUBMISSIONS.format(chosen=chosen_condition())


def count_records(project: Project) -> int:
    """Return how many submissions there are."""
    submitted = {
        "assignment__project": project,
        "assignment__state": "submitted",
        "assignment__gold": False,
    }
    return Submission.objects.filter(**submitted).count()


def export_records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Yield every submission in the order of questions, stages and units. Within a snapshot."""
    shared = shown_wikipedia(project)
    names = Names(project)
    for rows in fetch_chunks(_SUBMISSIONS, selection.values(project), _AT_ONCE):
        events = events_of([row[0] for row in rows])
        quotes = quotes_by_id({quote for row in rows for quote in _named(row, events)})
        beside = _read_beside(rows)
        for row in rows:
            record = _record(row, names[row[5]], events, quotes, shared)
            yield orjson.dumps({**record, **beside.get(row[0], {})})


def _read_beside(rows: Sequence[Row]) -> dict[int, Mapping[str, Any]]:
    """Return what stages export beside responses, by assignment. One query for some stages."""
    by_stage: dict[str, list[int]] = {}
    for row in rows:
        by_stage.setdefault(row[4], []).append(row[0])
    found: dict[int, Mapping[str, Any]] = {}
    for key, assignments in by_stage.items():
        stage = stages.get_stage(key)
        assert isinstance(stage, stages.WritesJson)
        found.update(stage.read_beside_responses(assignments))
    return found


def _named(row: Row, events: dict[int, tuple[str, list[int | None]]]) -> Sequence[int]:
    """Return the quotes that were made or used in a submission."""
    made = events.get(row[0], ("", []))[1]
    return sorted({*row[14], *(quote for quote in made if quote is not None)})


def _record(
    row: Row,
    person: str,
    events: dict[int, tuple[str, list[int | None]]],
    quotes: dict[int, dict[str, Any]],
    snapshot: dict[str, Any],
) -> dict[str, Any]:
    stage = stages.get_stage(row[4])
    assert isinstance(stage, stages.WritesJson)
    at_limit = orjson.loads(row[18])
    return {
        "schema_version": SCHEMA_VERSION,
        "id": row[15],
        "question": row[16],
        "prompt": display_form(row[16]),
        "split": row[17],
        "stage": row[4],
        "task": row[2],
        "unit": row[3],
        "assignment": row[0],
        "submission": row[1],
        "person": person,
        "used": row[11],
        "response": stage.response_for_export(orjson.loads(row[12])),
        "quotes": [
            {**quotes[quote], "used": quote in row[14]}
            for quote in _named(row, events)
            if quote in quotes
        ],
        "warnings_kept": orjson.loads(row[13]),
        "feedback": row[10],
        "events": orjson.Fragment(events[row[0]][0]) if row[0] in events else [],
        "times": {"started": row[6], "submitted": row[7], "active_seconds": row[8]},
        **({"time_limit": at_limit} if at_limit else {}),
        "guideline_version": row[9],
        "snapshot": snapshot,
    }


SUBMISSIONS = Format(
    key="submissions",
    label="Submissions",
    hint="Every submission with its quotes and events, under pseudonyms",
    content_type=JSON_LINES,
    records=export_records,
    count=count_records,
)
