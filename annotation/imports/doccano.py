"""doccano's export as JSON or JSONL: a text with its labels.

For sequence to sequence each label is an answer to the text, a question. Labels of a classification
look the same. Spans over a text are kept with it where it is a question; else there is none.
"""

from collections.abc import Mapping
from typing import Any

from annotation.imports.not_taken import COMMENTS, SPANS
from annotation.imports.peer_answers import (
    SPANS_KEY,
    WrittenAnswer,
    build_annotation,
    id_in,
    split_in,
    strip_texts,
    texts_in,
)
from annotation.imports.records import (
    QuestionRecord,
    context_of,
    load_object,
    objects_of,
    question_of,
)

_LABELS = ("label", "labels")
_ENTITIES = "entities"


def is_like(record: Mapping[str, object]) -> bool:
    """Return whether a record has a text with a list of labels, or of entities."""
    listed = any(isinstance(record.get(key), list) for key in (*_LABELS, _ENTITIES))
    return isinstance(record.get("text"), str) and listed and "question" not in record


def parse_record(raw: bytes) -> QuestionRecord:
    """Read one record. Raises ValueError with the sentence to show."""
    data = load_object(raw)
    text = question_of(data, "text")
    key = next((key for key in _LABELS if key in data), "")
    if not key and _ENTITIES not in data:
        raise ValueError("“label” is missing, the list of what was written for the text.")
    rows = data.get(key, [])
    found = rows if isinstance(rows, list) else [rows]
    spans = [row for row in found if _is_span(row)] + objects_of(data, _ENTITIES)
    if spans and not text.rstrip().endswith(("?", "？", "؟")):
        raise ValueError(
            "The text has spans and is no question: it does not end with a question mark. A "
            "passage with spans has no question to import."
        )
    answers = strip_texts(texts_in([row for row in found if not _is_span(row)], key))
    comments = data.get("Comments")
    external_id = id_in(data, "question_id", "id")
    if not external_id:
        raise ValueError("“id” is missing.")
    split = split_in(data)
    known = ["text", "id", "question_id", "annotations", key, _ENTITIES]
    kept: dict[str, Any] = context_of(data, *known, *(["split"] if split else []))
    if spans:
        kept[SPANS_KEY] = spans
    if answers:
        kept["annotations"] = [build_annotation([WrittenAnswer([answer]) for answer in answers])]
    return QuestionRecord(
        external_id=external_id,
        text=text,
        split=split,
        known_answers=tuple(answers),
        context=context_of(kept),
        not_taken=(SPANS,) * len(spans)
        + (COMMENTS,) * (len(comments) if isinstance(comments, list) else 0),
    )


def _is_span(row: object) -> bool:
    """Return whether this is a place in the text: where it begins and ends, and its label."""
    return (
        isinstance(row, list) and len(row) == 3 and all(isinstance(each, int) for each in row[:2])
    )
