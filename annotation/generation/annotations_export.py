"""Raw annotations: one JSON object per submission, with everything that is known about it.

Includes submissions that were paid but are left out of the data ("used": false). People appear
under their pseudonym within the project; times are UTC; positions of quotes are code points of the
NFC text shown, whose SHA-256 is given.
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
from annotation.generation.statements import (
    EXPORTED_ANNOTATIONS,
    EXPORTED_ANSWERS,
    KEPT_WARNINGS,
    SUGGESTIONS_SHOWN,
)
from annotation.reading.export_parts import events_of, quotes_by_id, shown_wikipedia

SCHEMA_VERSION = 1
_AT_ONCE = 2_000


def export_records(
    project: Project, selection: Selection, *, events: bool = True
) -> Iterator[bytes]:
    """Yield every submission in the order of questions, then of submission. Within a snapshot.

    Without `events` the log of searches and pages is left out, and with it the quotes that are in
    no answer.
    """
    shared = shown_wikipedia(project)
    names = Names(project)
    for rows in fetch_chunks(EXPORTED_ANNOTATIONS, selection.values(project), _AT_ONCE):
        around = _SubmissionRelations(rows, events=events)
        for row in rows:
            yield orjson.dumps(_record(row, names[row[4]], around, shared))


class _SubmissionRelations:
    """The rows related to the submissions of one chunk, in five queries; four without events."""

    def __init__(self, rows: Sequence[Row], *, events: bool) -> None:
        self.with_events = events
        assignments, annotations = [row[0] for row in rows], [row[1] for row in rows]
        self.pairs = {
            annotation: [list(forms) for _, forms in groupby(pairs, itemgetter(1))]
            for annotation, pairs in groupby(
                fetch_rows(EXPORTED_ANSWERS, [annotations]), itemgetter(0)
            )
        }
        self.kept = {
            annotation: [row[1] for row in rows]
            for annotation, rows in groupby(fetch_rows(KEPT_WARNINGS, [annotations]), itemgetter(0))
        }
        self.events = events_of(assignments) if events else {}
        self.suggested = suggested_in(assignments)
        ids = {
            quote
            for pairs in self.pairs.values()
            for forms in pairs
            for form in forms
            for quote in (form[4], *form[5])
        }
        ids |= {quote for _, quotes in self.events.values() for quote in quotes}
        self.quotes = quotes_by_id(ids - {None})

    def quotes_of(self, row: Row) -> list[dict[str, Any]]:
        """Return the quotes made or used in a submission, each with where it was used."""
        used: dict[int, list[dict[str, int]]] = {
            quote: [] for quote in self.events.get(row[0], ("", []))[1] if quote is not None
        }
        for pair, forms in enumerate(self.pairs.get(row[1], []), start=1):
            for form, answer in enumerate(forms, start=1):
                for quote in (answer[4], *answer[5]):
                    if quote is not None:
                        used.setdefault(quote, []).append({"pair": pair, "form": form})
        return [
            {**self.quotes[quote], "used_in": places}
            for quote, places in sorted(used.items())
            if quote in self.quotes
        ]


def suggested_in(assignments: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return what is exported of the suggestions shown in assignments, where any were. One query.

    An empty fate says that the person did not decide.
    """
    rows = fetch_rows(SUGGESTIONS_SHOWN, [list(assignments)])
    return {row[0]: {"suggestions": orjson.Fragment(row[1])} for row in rows}


def _record(
    row: Row, person: str, around: _SubmissionRelations, snapshot: dict[str, Any]
) -> dict[str, Any]:
    events = around.events.get(row[0])
    return {
        "schema_version": SCHEMA_VERSION,
        "id": row[13],
        "question": row[14],
        "prompt": display_form(row[14]),
        "split": row[15],
        "stage": row[3],
        "task": row[2],
        "assignment": row[0],
        "annotation": row[1],
        "person": person,
        "used": row[10],
        "response": _response(row, around.pairs.get(row[1], [])),
        "quotes": around.quotes_of(row),
        "warnings_kept": around.kept.get(row[1], []),
        **around.suggested.get(row[0], {}),
        "feedback": row[9],
        **({"events": orjson.Fragment(events[0]) if events else []} if around.with_events else {}),
        "times": {"started": row[5], "submitted": row[6], "active_seconds": row[7]},
        "guideline_version": row[8],
        "snapshot": snapshot,
    }


def _response(row: Row, pairs: Sequence[Sequence[Row]]) -> dict[str, Any]:
    """Return the answer with the keys of AmbigNQ, plus the reason for "not found"."""
    kind, reason = row[11], row[12]
    if kind == "none":
        return {"type": "noAnswer", "reason": reason}
    if kind == "single":
        return {"type": "singleAnswer", "answer": _forms(pairs[0]) if pairs else []}
    return {
        "type": "multipleQAs",
        "qaPairs": [
            {"question": forms[0][2], "answer": _forms(forms), **_origin(forms[0])}
            for forms in pairs
        ],
    }


def _origin(row: Row) -> dict[str, Any]:
    """Return the suggestion of a model that a pair began as; nothing for a person's own pair."""
    system, version, fate = row[6:9]
    if system is None:
        return {}
    return {"suggestion": {"system": system, "version": version, "fate": fate}}


def _forms(rows: Sequence[Row]) -> list[str]:
    return [row[3] for row in rows if row[3] is not None]


RAW = make_raw_format(export_records)
RAW_LIGHT = make_light_raw_format(partial(export_records, events=False))
