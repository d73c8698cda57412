"""NQ-open JSONL: {"question": text, "answer": [texts]} on each line (A69).

The official file has no ids. Its external ids are made from the question text, so that the same
file gives the same ids everywhere; a line that does carry an "id" keeps it.
"""

import hashlib
from collections.abc import Mapping

from annotation.imports.records import (
    QuestionRecord,
    context_of,
    id_of,
    load_object,
    question_of,
    texts_of,
)


def made_id(text: str) -> str:
    """Return "nq-open-" and the first 16 hex digits of the SHA-256 of the question text."""
    return f"nq-open-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def is_like(record: Mapping[str, object]) -> bool:
    """Return whether a record has a question and a list of texts as its answer."""
    answer = record.get("answer")
    texts = isinstance(answer, list) and all(isinstance(each, str) for each in answer)
    return texts and "question" in record and not {"split", "annotations"} & record.keys()


def parse_record(raw: bytes) -> QuestionRecord:
    """Read one line."""
    data = load_object(raw)
    text = question_of(data)
    if "answer" not in data:
        other = " This looks like plain JSONL." if "answers" in data else ""
        raise ValueError(f"“answer” is missing.{other}")
    return QuestionRecord(
        external_id=id_of(data) if "id" in data else made_id(text),
        text=text,
        known_answers=texts_of(data, "answer"),
        context=context_of(data, "id", "question", "answer"),
    )
