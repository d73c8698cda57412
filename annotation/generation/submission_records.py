"""Raw submissions as JSON, one object each: what is the same whatever was written.

Rows of submissions begin with assignment, annotation, task, stage, person, started, submitted,
active seconds, guideline version, feedback and use, and end with id, text and split of the
question. Between them are the stage's own columns.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from annotation.core.models.projects import Project
from annotation.core.models.questions import display_form
from annotation.exports.rows import Names, Row, fetch_chunks
from annotation.exports.selection import Selection
from annotation.reading.export_parts import events_of, quotes_by_id, shown_wikipedia
from annotation.suggestions.queries import suggested_in

SCHEMA_VERSION = 1


class SubmissionRelations(ABC):
    """What belongs to the submissions of one chunk: three queries, two without events.

    A stage reads its own rows before it calls this, and says what they are.
    """

    statement: str
    """Of the submissions in a selection, in the order of questions, then of submission."""
    at_once: int

    def __init__(self, rows: Sequence[Row], *, events: bool) -> None:
        assignments = [row[0] for row in rows]
        self.with_events = events
        self.events = events_of(assignments) if events else {}
        self.suggested = suggested_in(assignments)
        ids = {quote for row in rows for quote, _ in self.iterate_citations(row)}
        ids |= {
            quote for _, quotes in self.events.values() for quote in quotes if quote is not None
        }
        self.quotes = quotes_by_id(ids)

    @abstractmethod
    def iterate_citations(self, row: Row) -> Iterator[tuple[int, dict[str, int]]]:
        """Yield the quotes used in a submission, each with where."""

    @abstractmethod
    def describe_response(self, row: Row) -> dict[str, Any]:
        """Return what was written."""

    @abstractmethod
    def list_kept_warnings(self, row: Row) -> list[Any]:
        """Return the warnings that were kept, with the reasons."""

    def describe_inputs(self, row: Row) -> dict[str, Any]:
        """Return further entries on what the person was given."""
        return {}

    def describe_doubts(self, row: Row) -> dict[str, Any]:
        """Return further entries on what the person said of the question."""
        return {}

    def describe_submission(
        self, row: Row, person: str, snapshot: dict[str, Any]
    ) -> dict[str, Any]:
        """Return everything that is known about a submission."""
        external_id, text, split = row[-3:]
        return {
            "schema_version": SCHEMA_VERSION,
            "id": external_id,
            "question": text,
            "prompt": display_form(text),
            "split": split,
            "stage": row[3],
            "task": row[2],
            "assignment": row[0],
            "annotation": row[1],
            "person": person,
            "used": row[10],
            **self.describe_inputs(row),
            "response": self.describe_response(row),
            "quotes": self._quotes_of(row),
            "warnings_kept": self.list_kept_warnings(row),
            **self.suggested.get(row[0], {}),
            **self.describe_doubts(row),
            "feedback": row[9],
            **self._describe_events(row),
            "times": {"started": row[5], "submitted": row[6], "active_seconds": row[7]},
            "guideline_version": row[8],
            "snapshot": snapshot,
        }

    def _quotes_of(self, row: Row) -> list[dict[str, Any]]:
        """Return the quotes made or used in a submission, each with where it was used."""
        _, made = self.events.get(row[0], ("", []))
        used: dict[int, list[dict[str, int]]] = {quote: [] for quote in made if quote is not None}
        for quote, place in self.iterate_citations(row):
            used.setdefault(quote, []).append(place)
        return [
            {**self.quotes[quote], "used_in": places}
            for quote, places in sorted(used.items())
            if quote in self.quotes
        ]

    def _describe_events(self, row: Row) -> dict[str, Any]:
        if not self.with_events:
            return {}
        return {"events": orjson.Fragment(self.events[row[0]][0]) if row[0] in self.events else []}


def export_submissions(
    project: Project,
    selection: Selection,
    *,
    relations: type[SubmissionRelations],
    events: bool = True,
) -> Iterator[bytes]:
    """Yield every submission in the order of questions, then of submission. Within a snapshot.

    Without `events` the log of searches and pages is left out, and with it the quotes that are in
    no answer.
    """
    shared = shown_wikipedia(project)
    names = Names(project)
    chunks = fetch_chunks(relations.statement, selection.values(project), relations.at_once)
    for rows in chunks:
        around = relations(rows, events=events)
        for row in rows:
            yield orjson.dumps(around.describe_submission(row, names[row[4]], shared))
