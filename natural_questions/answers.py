"""The annotations of questions: imported as finished work, and submitted here. No page is read."""

import datetime as dt
import hashlib
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from annotation.exports.rows import Row, fetch_chunks, fetch_rows
from annotation.models import Project, Question
from natural_questions.annotation import PageAnnotation, from_json
from natural_questions.stage import NaturalQuestions, annotation_in
from natural_questions.statements import QUESTIONS_WITH_PAGES, SUBMITTED_ANSWERS

STAGE = NaturalQuestions.key
LEFT_OUT = ("excluded", "concern_open", "skipped", "unfinished", "no_page")
_STATE = Question.State
_REASONS: Mapping[str, str] = {
    _STATE.ACCEPTED: "",
    _STATE.EXCLUDED: "excluded",
    _STATE.FLAGGED: "concern_open",
    _STATE.SKIPPED: "skipped",
}


@dataclass(frozen=True, slots=True)
class ReleasedQuestion:
    """A question with its annotations, those imported first.

    left_out: why it is not released, one of LEFT_OUT, "" where it is. imported: how many of the
    annotations came in a file. seconds: the active time of each of the others. kinds: the kind of
    each candidate of the page, one letter each (natural_questions.figures.KINDS).
    """

    pk: int
    external_id: str
    text: str
    split: str
    left_out: str
    annotations: tuple[PageAnnotation, ...]
    imported: int
    seconds: tuple[int, ...]
    newest: dt.datetime
    guidelines: frozenset[int]
    kinds: str = ""


def read_question_chunks(
    project: Project, split: str | None, *, size: int = 500
) -> Generator[list[ReleasedQuestion]]:
    """Give every question of the split (None: all), in chunks. Only within `snapshot`.

    Two statements for each chunk.
    """
    for rows in fetch_chunks(QUESTIONS_WITH_PAGES, [project.pk, split, split], size):
        found = fetch_rows(SUBMITTED_ANSWERS, [[row[0] for row in rows], STAGE])
        submitted = {pk: list(group) for pk, group in groupby(found, itemgetter(0))}
        yield [_answered(row, submitted.get(row[0], [])) for row in rows]


def _answered(row: Row, submitted: Sequence[Row]) -> ReleasedQuestion:
    pk, external_id, text, split, state, stored, created, has_page, kinds = row
    imported = [from_json(each) for each in _json(stored) or []]
    made = [_annotation(external_id, each) for each in submitted]
    left_out = _REASONS.get(state, "unfinished")
    if not left_out and not has_page:
        left_out = "no_page"
    elif not left_out and not imported and not made:
        left_out = "unfinished"
    return ReleasedQuestion(
        pk=pk,
        external_id=external_id,
        text=text,
        split=split,
        left_out=left_out,
        annotations=(*imported, *made),
        imported=len(imported),
        seconds=tuple(each[5] for each in submitted),
        newest=max((each[3] for each in submitted), default=created),
        guidelines=frozenset(each[4] for each in submitted) - {None, 0},
        kinds=kinds or "",
    )


def _annotation(external_id: str, row: Row) -> PageAnnotation:
    """Return what was submitted. Its id is a number that does not tell whose it is."""
    digest = hashlib.blake2b(f"{external_id}/{row[2]}".encode(), digest_size=8).digest()
    return replace(annotation_in(_json(row[1])), annotation_id=str(int.from_bytes(digest)))


def _json(stored: Any) -> Any:
    """Return a JSON column of a plain cursor, which Django's connection leaves as text."""
    return orjson.loads(stored) if isinstance(stored, str | bytes) else stored
