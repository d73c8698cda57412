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

from annotation.exports.format import make_light_raw_format, make_raw_format
from annotation.exports.rows import Row, fetch_rows
from annotation.generation.submission_records import SubmissionRelations, export_submissions
from annotation.long_answers.statements import (
    EXPORTED_CONCERNS,
    EXPORTED_KNOWLEDGE,
    EXPORTED_LONG_ANSWERS,
    EXPORTED_OVERRIDES,
)


class LongAnswerRelations(SubmissionRelations):
    """The rows related to the answers of one chunk: three queries, and those of every stage."""

    statement = EXPORTED_LONG_ANSWERS
    at_once = 1_000

    def __init__(self, rows: Sequence[Row], *, events: bool) -> None:
        assignments, answers = [row[0] for row in rows], [row[1] for row in rows]
        self.knowledge = _by_first(fetch_rows(EXPORTED_KNOWLEDGE, [answers]))
        self.overrides = _by_first(fetch_rows(EXPORTED_OVERRIDES, [answers]))
        self.concerns = _by_first(fetch_rows(EXPORTED_CONCERNS, [assignments]))
        super().__init__(rows, events=events)

    def iterate_citations(self, row: Row) -> Iterator[tuple[int, dict[str, int]]]:
        """Yield the quotes of each piece of knowledge, with its number from 1."""
        for number, piece in enumerate(self.knowledge.get(row[1], []), start=1):
            for quote in (piece[3], *piece[4]):
                if quote is not None:
                    yield quote, {"piece": number}

    def describe_inputs(self, row: Row) -> dict[str, Any]:
        """Return what the writer was given."""
        return {"inputs": row[13]}

    def describe_response(self, row: Row) -> dict[str, Any]:
        """Return the long answer with its knowledge and what it says in other words."""
        return {
            "long_answer": row[11],
            "knowledge": [
                {
                    "content": content,
                    "wikipage": page,
                    "quote": quote,
                    "quotes": [] if quote is None else [quote, *more],
                }
                for _, content, page, quote, more in self.knowledge.get(row[1], [])
            ],
            "overrides": [
                {"disambiguation": place, "words": words, "start": start, "end": end}
                for _, place, words, start, end in self.overrides.get(row[1], [])
            ],
        }

    def list_kept_warnings(self, row: Row) -> list[Any]:
        """Return the warnings kept."""
        kept: list[Any] = orjson.loads(row[12])
        return kept

    def describe_doubts(self, row: Row) -> dict[str, Any]:
        """Return the writer's concerns about the question."""
        return {"concerns": [_concern(concern) for concern in self.concerns.get(row[0], [])]}


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


_export = partial(export_submissions, relations=LongAnswerRelations)
RAW = make_raw_format(_export)
RAW_LIGHT = make_light_raw_format(partial(_export, events=False))
