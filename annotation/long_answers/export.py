"""Raw annotations of ASQA: one JSON object per submitted long answer, with all that is known of it.

What `annotations` says about people, times and positions is true here, too. `disambiguation` counts
from 0, as in the question's "qa_pairs"; the positions of an override are code points of the long
answer.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from annotation.core.models.projects import Project
from annotation.core.models.questions import display_form
from annotation.exports.format import make_light_raw_format, make_raw_format
from annotation.exports.rows import Names, Row, fetch_chunks, fetch_rows
from annotation.exports.selection import Selection
from annotation.generation.annotations_export import SCHEMA_VERSION, suggested_in
from annotation.long_answers.statements import (
    EXPORTED_CONCERNS,
    EXPORTED_KNOWLEDGE,
    EXPORTED_LONG_ANSWERS,
    EXPORTED_OVERRIDES,
)
from annotation.reading.export_parts import events_of, quotes_by_id, shown_wikipedia

_AT_ONCE = 1_000


def export_records(
    project: Project, selection: Selection, *, events: bool = True
) -> Iterator[bytes]:
    """Yield every submission in the order of questions, then of submission. Within a snapshot."""
    shared = shown_wikipedia(project)
    names = Names(project)
    for rows in fetch_chunks(EXPORTED_LONG_ANSWERS, selection.values(project), _AT_ONCE):
        around = _LongAnswerRelations(rows, events=events)
        for row in rows:
            yield orjson.dumps(_record(row, names[row[4]], around, shared))


class _LongAnswerRelations:
    """The rows related to the submissions of one chunk, in six queries; five without events."""

    def __init__(self, rows: Sequence[Row], *, events: bool) -> None:
        self.with_events = events
        assignments, answers = [row[0] for row in rows], [row[1] for row in rows]
        self.knowledge = _by_first(fetch_rows(EXPORTED_KNOWLEDGE, [answers]))
        self.overrides = _by_first(fetch_rows(EXPORTED_OVERRIDES, [answers]))
        self.concerns = _by_first(fetch_rows(EXPORTED_CONCERNS, [assignments]))
        self.events = events_of(assignments) if events else {}
        self.suggested = suggested_in(assignments)
        ids = {
            quote
            for pieces in self.knowledge.values()
            for row in pieces
            for quote in (row[3], *row[4])
        }
        ids |= {quote for _, quotes in self.events.values() for quote in quotes}
        self.quotes = quotes_by_id(ids - {None})

    def quotes_of(self, row: Row) -> list[dict[str, Any]]:
        """Return the quotes made or used in a submission, each with where it was used."""
        used: dict[int, list[dict[str, int]]] = {
            quote: [] for quote in self.events.get(row[0], ("", []))[1] if quote is not None
        }
        for number, piece in enumerate(self.knowledge.get(row[1], []), start=1):
            for quote in (piece[3], *piece[4]):
                if quote is not None:
                    used.setdefault(quote, []).append({"piece": number})
        return [
            {**self.quotes[quote], "used_in": places}
            for quote, places in sorted(used.items())
            if quote in self.quotes
        ]


def _record(
    row: Row, person: str, around: _LongAnswerRelations, snapshot: dict[str, Any]
) -> dict[str, Any]:
    events = around.events.get(row[0])
    return {
        "schema_version": SCHEMA_VERSION,
        "id": row[14],
        "question": row[15],
        "prompt": display_form(row[15]),
        "split": row[16],
        "stage": row[3],
        "task": row[2],
        "assignment": row[0],
        "annotation": row[1],
        "person": person,
        "used": row[10],
        "inputs": row[13],
        "response": {
            "long_answer": row[11],
            "knowledge": [
                {
                    "content": content,
                    "wikipage": page,
                    "quote": quote,
                    "quotes": [] if quote is None else [quote, *more],
                }
                for _, content, page, quote, more in around.knowledge.get(row[1], [])
            ],
            "overrides": [
                {"disambiguation": place, "words": words, "start": start, "end": end}
                for _, place, words, start, end in around.overrides.get(row[1], [])
            ],
        },
        "quotes": around.quotes_of(row),
        "warnings_kept": orjson.loads(row[12]),
        **around.suggested.get(row[0], {}),
        "concerns": [_concern(concern) for concern in around.concerns.get(row[0], [])],
        "feedback": row[9],
        **({"events": orjson.Fragment(events[0]) if events else []} if around.with_events else {}),
        "times": {"started": row[5], "submitted": row[6], "active_seconds": row[7]},
        "guideline_version": row[8],
        "snapshot": snapshot,
    }


def _concern(row: Row) -> dict[str, Any]:
    _, disambiguations, reason, state, note, raised, decided = row
    return {
        "disambiguations": disambiguations,
        "reason": reason,
        "state": state,
        "note": note,
        "raised": raised,
        "decided": decided,
    }


def _by_first(rows: Sequence[Row]) -> dict[int, list[Row]]:
    return {key: list(group) for key, group in groupby(rows, itemgetter(0))}


RAW = make_raw_format(export_records)
RAW_LIGHT = make_light_raw_format(partial(export_records, events=False))
