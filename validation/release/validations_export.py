"""Validations: one JSON object per decision of a validator or the team, then one per claim.

Every accepted text names where it came from: the annotation, its author, the pair (and form) from
1, and the text as it was written there. People appear under their pseudonym within the project;
times are UTC. What was imported as finished work is not a decision made here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from accounts.models import User
from annotation.core.models.questions import display_form
from annotation.exports.format import JSON_LINES, Format
from annotation.exports.rows import Names, Row, fetch_chunks, fetch_rows
from annotation.exports.selection import Selection
from annotation.models import Project, Thread
from annotation.protocols import registry as protocols
from annotation.suggestions.queries import suggested_in
from validation.decisions import history
from validation.decisions.history import AcceptedSetRecord, PairPlace, RemovedAnswer, Text
from validation.decisions.models import Decision
from validation.release.statements import (
    EXPORTED_CLAIMS,
    EXPORTED_DECISIONS,
    EXPORTED_MESSAGES,
    EXPORTED_RULINGS,
)

SCHEMA_VERSION = 1
_AT_ONCE = 500


def export_records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Give every decision, then every claim, in the order of questions. Call it in a snapshot."""
    names = Names(project)
    values = selection.values(project)
    for rows in fetch_chunks(EXPORTED_DECISIONS, values, _AT_ONCE):
        around = _ValidationRelations(rows, names)
        for row in rows:
            yield orjson.dumps(_decision(row, names, around))
    values |= {"stages": protocols.protocol_of(project).data_stages}
    for rows in fetch_chunks(EXPORTED_CLAIMS, values, _AT_ONCE):
        threads = [row[0] for row in rows]
        messages = _by(fetch_rows(EXPORTED_MESSAGES, [threads]))
        rulings = _by(fetch_rows(EXPORTED_RULINGS, [threads]))
        for row in rows:
            yield orjson.dumps(
                _claim(row, names, messages.get(row[0], []), rulings.get(row[0], []))
            )


def count_records(project: Project) -> int:
    """Return how many decisions and claims there are."""
    decisions = Decision.objects.filter(question__project=project)
    stages = protocols.protocol_of(project).data_stages
    claims = Thread.objects.filter(
        project=project, kind=Thread.Kind.CLAIM, assignment__stage__in=stages
    )
    return decisions.exclude(source=Decision.Source.IMPORT).count() + claims.count()


class _ValidationRelations:
    """What belongs to the decisions of one chunk, and the names of people by id. Seven queries."""

    def __init__(self, rows: Sequence[Row], names: Names) -> None:
        self.suggested = suggested_in([row[16] for row in rows if row[16]])
        self.decided = {
            decision.pk: decision for decision in history.read_decisions(row[0] for row in rows)
        }
        authors = {
            person
            for decision in self.decided.values()
            for person in (
                *(judged.author for judged in decision.verdicts),
                *(place.author for out in decision.excluded for place in out.places),
                *(
                    place.author
                    for part in decision.sets
                    for pair in part.pairs
                    for place in pair.places
                ),
            )
        }
        keys = User.objects.filter(pk__in=authors).values_list("pk", "key")
        self.names = {pk: names[key] for pk, key in keys}


def _decision(row: Row, names: Names, around: _ValidationRelations) -> dict[str, Any]:
    decided, authors = around.decided[row[0]], around.names
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "decision",
        **_asked(row[10:14]),
        "decision": row[0],
        "source": row[1],
        "validation": row[14],
        "task": row[17],
        "assignment": row[16],
        "person": names[row[9]] if row[9] else None,
        "used": row[22],
        "in_force": row[8],
        "replaces": row[6],
        "claim": row[24],
        "covers": row[5],
        "verdicts": [
            {
                "annotation": judged.annotation,
                "author": authors[judged.author],
                "correct": judged.correct,
                "derived": judged.derived,
            }
            for judged in decided.verdicts
        ],
        "outcome": row[2],
        "change": row[3],
        "reason": row[4],
        "accepted": [_accepted(accepted, authors) for accepted in decided.sets],
        "excluded": [_excluded(exclusion, authors) for exclusion in decided.excluded],
        "warnings_kept": orjson.loads(row[15] or row[25] or "[]"),
        **around.suggested.get(row[16], {}),
        "feedback": row[21],
        "times": {
            "started": row[18],
            "submitted": row[19],
            "decided": row[7],
            "active_seconds": row[20],
        },
        "guideline_version": row[23],
    }


def _asked(row: Row) -> dict[str, str]:
    external_id, text, split, state = row
    return {
        "id": external_id,
        "question": text,
        "prompt": display_form(text),
        "split": split,
        "state": state,
    }


def _accepted(accepted: AcceptedSetRecord, authors: Mapping[int, str]) -> dict[str, Any]:
    return {
        "type": "singleAnswer" if accepted.kind == "single" else "multipleQAs",
        "annotation": accepted.annotation,
        "pairs": [
            {
                "questions": [_text(text, authors) for text in pair.questions],
                "answers": [_text(text, authors) for text in pair.answers],
            }
            for pair in accepted.pairs
        ],
    }


def _text(text: Text, authors: Mapping[int, str]) -> dict[str, Any]:
    """Return an accepted text with its source, which is null for a new text."""
    source = None
    if text.origin is not None:
        form = {} if text.form is None else {"form": text.form}
        source = {**_place(text.origin, authors), **form, "text": text.original}
    return {"text": text.text, "edited": text.edited, "source": source}


def _excluded(excluded: RemovedAnswer, authors: Mapping[int, str]) -> dict[str, Any]:
    places = sorted(excluded.places, key=lambda place: (place.annotation, place.number))
    return {
        "answers": excluded.answers,
        "questions": excluded.questions,
        "reason": excluded.reason,
        "pairs": [_place(place, authors) for place in places],
    }


def _place(place: PairPlace, authors: Mapping[int, str]) -> dict[str, Any]:
    return {
        "annotation": place.annotation,
        "author": authors[place.author],
        "pair": place.number,
    }


def _claim(
    row: Row, names: Names, messages: Sequence[Row], rulings: Sequence[Row]
) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "claim",
        **_asked(row[8:]),
        "claim": row[0],
        "task": row[6],
        "assignment": row[5],
        "stage": row[7],
        "person": names[row[4]],
        "outcome": row[1],
        "messages": [
            {
                "by": "staff" if by_staff else "author",
                "person": names[key],
                "text": text,
                "at": at,
            }
            for _, by_staff, key, text, at in messages
        ],
        "rulings": [
            {
                "verdict": verdict,
                "decision": decision,
                "former": former,
                "reason": reason,
                "person": names[key],
                "at": at,
                "undone_at": undone_at,
                "undone_by": names[undone_by] if undone_by else None,
            }
            for _, verdict, decision, former, reason, key, at, undone_at, undone_by in rulings
        ],
        "times": {"opened": row[3], "closed": row[2]},
    }


def _by(rows: Iterable[Row]) -> dict[int, list[Row]]:
    return {key: list(group) for key, group in groupby(rows, itemgetter(0))}


VALIDATIONS = Format(
    key="validations",
    label="Validations",
    hint="Every decision with verdicts, the source of each text, exclusions and claims",
    content_type=JSON_LINES,
    records=export_records,
    count=count_records,
)
