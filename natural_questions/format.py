"""Files of Natural Questions as they are imported: what goes into a question, what beside it."""

import hashlib
import zlib
from collections.abc import Mapping

import orjson

from annotation.imports.adapters import ANNOTATIONS
from annotation.imports.formats import Format, QuestionRecord
from annotation.imports.records import context_of
from natural_questions import records
from natural_questions.annotation import to_json

KEY = "natural-questions"

EXAMPLE = (
    '{"document_text": "<P> Pump Lane has seven lamps . </P>", "long_answer_candidates": '
    '[{"start_token": 0, "top_level": true, "end_token": 8}], "question_text": '
    '"how many lamps has pump lane", "annotations": [{"yes_no_answer": "NONE", "long_answer": '
    '{"start_token": 0, "candidate_index": 0, "end_token": 8}, "short_answers": '
    '[{"start_token": 4, "end_token": 5}], "annotation_id": 7001}], "document_url": '
    '"https://example.org/pump", "example_id": 41}\n'
)


def is_like(record: Mapping[str, object]) -> bool:
    """Return whether a record has a question and a page."""
    return "question_text" in record and bool(record.keys() & {"document_text", "document_html"})


def parse_record(raw: bytes) -> QuestionRecord:
    """Read one line. The record goes beside the question, compressed, without its annotations."""
    record = records.parse_line(raw)
    stored = orjson.dumps(record.data)
    context: dict[str, object] = {
        "form": record.form,
        "title": record.title,
        "url": record.url,
        "kinds": records.kinds_of(record.data),
        "page": hashlib.sha256(stored).hexdigest()[:32],
    }
    if record.annotations:
        context[ANNOTATIONS] = [to_json(annotation) for annotation in record.annotations]
    return QuestionRecord(
        external_id=record.external_id,
        text=record.question,
        context=context_of(context),
        beside=zlib.compress(stored),
    )


FORMAT = Format(
    key=KEY,
    label="Natural Questions",
    hint="One JSON object per line with “example_id”, “question_text”, the page and its "
    "“long_answer_candidates”, in the simplified or the original form; also packed (.jsonl.gz).",
    layouts=("lines",),
    parse=parse_record,
    example=EXAMPLE,
    suffix="jsonl",
    annotated=True,
    most=records.MOST_BYTES,
    packed=True,
    is_like=is_like,
)
