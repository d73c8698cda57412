"""Plain JSONL: {"id", "question"} and, where known, "split", "answers", "context".

Any other field is kept in the question's context.
"""

from annotation.imports.records import (
    SPLITS,
    QuestionRecord,
    context_of,
    describe_value,
    id_of,
    load_object,
    question_of,
    text_of,
    texts_of,
)


def parse_record(raw: bytes) -> QuestionRecord:
    """Read one line."""
    data = load_object(raw)
    if "id" not in data and "question" in data and "answer" in data:
        raise ValueError("“id” is missing. This looks like NQ-open JSONL.")
    if "id" not in data and "sample_id" in data and "ambiguous_question" in data:
        raise ValueError("“id” is missing. This looks like ASQA JSONL.")
    external_id, text = id_of(data), question_of(data)
    split = text_of(data, "split") if data.get("split") is not None else None
    if split is not None and split not in SPLITS:
        raise ValueError(f"“split” is {describe_value(split)}. It should be train, dev or test.")
    context = data.get("context") or {}
    if not isinstance(context, dict):
        raise ValueError(f"“context” should be an object, and is {describe_value(context)}.")
    rest = context_of(data, "id", "question", "split", "answers", "context")
    return QuestionRecord(
        external_id=external_id,
        text=text,
        split=split,
        known_answers=texts_of(data, "answers"),
        context={**rest, **context_of(context)},
    )
