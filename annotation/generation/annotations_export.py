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

from annotation.exports.format import make_light_raw_format, make_raw_format
from annotation.exports.rows import Row, fetch_rows
from annotation.generation.statements import EXPORTED_ANNOTATIONS, EXPORTED_ANSWERS, KEPT_WARNINGS
from annotation.generation.submission_records import SubmissionRelations, export_submissions


class AnnotationRelations(SubmissionRelations):
    """The rows related to the annotations of one chunk: two queries, and those of every stage."""

    statement = EXPORTED_ANNOTATIONS
    at_once = 2_000

    def __init__(self, rows: Sequence[Row], *, events: bool) -> None:
        annotations = [row[1] for row in rows]
        answers = fetch_rows(EXPORTED_ANSWERS, [annotations])
        self.pairs = {
            annotation: [list(forms) for _, forms in groupby(pairs, itemgetter(1))]
            for annotation, pairs in groupby(answers, itemgetter(0))
        }
        self.kept = {
            annotation: [row[1] for row in rows]
            for annotation, rows in groupby(fetch_rows(KEPT_WARNINGS, [annotations]), itemgetter(0))
        }
        super().__init__(rows, events=events)

    def iterate_citations(self, row: Row) -> Iterator[tuple[int, dict[str, int]]]:
        """Yield the quotes of each form, with its pair and its place in that, from 1."""
        for pair, forms in enumerate(self.pairs.get(row[1], []), start=1):
            for form, answer in enumerate(forms, start=1):
                for quote in (answer[4], *answer[5]):
                    if quote is not None:
                        yield quote, {"pair": pair, "form": form}

    def describe_response(self, row: Row) -> dict[str, Any]:
        """Return the answer with the keys of AmbigNQ, plus the reason for "not found"."""
        return _response(row, self.pairs.get(row[1], []))

    def describe_doubts(self, row: Row) -> dict[str, Any]:
        """Return that they said to have no conflict of interest, where the project asked (A15)."""
        return {"no_conflict": True} if row[13] else {}

    def list_kept_warnings(self, row: Row) -> list[Any]:
        """Return the warnings kept."""
        return self.kept.get(row[1], [])


def _response(row: Row, pairs: Sequence[Sequence[Row]]) -> dict[str, Any]:
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


_export = partial(export_submissions, relations=AnnotationRelations)
RAW = make_raw_format(_export)
RAW_LIGHT = make_light_raw_format(partial(_export, events=False))
