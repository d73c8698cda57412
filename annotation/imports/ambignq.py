"""AmbigNQ, light and full: a JSON array of records.

The full files' "nq_answer" becomes the known answers; annotations, viewed pages and queries are
kept in the question's context as they are.
"""

from collections.abc import Mapping

from annotation.imports.records import (
    QuestionRecord,
    context_of,
    describe_value,
    id_of,
    load_object,
    objects_of,
    question_of,
    text_of,
    texts_of,
)

TYPES = ("singleAnswer", "multipleQAs", "noAnswer")


def is_like(record: Mapping[str, object]) -> bool:
    """Return whether a record has annotations of one of the three types."""
    annotations = record.get("annotations")
    return (
        {"id", "question"} <= record.keys()
        and isinstance(annotations, list)
        and all(isinstance(each, dict) and each.get("type") in TYPES for each in annotations)
    )


def parse_record(raw: bytes) -> QuestionRecord:
    """Read one record."""
    data = load_object(raw)
    external_id = id_of(data)
    for annotation in objects_of(data, "annotations"):
        _check_annotation(annotation)
    return QuestionRecord(
        external_id=external_id,
        text=question_of(data),
        known_answers=texts_of(data, "nq_answer"),
        context=context_of(data, "id", "question", "nq_answer"),
    )


def _check_annotation(annotation: dict[str, object]) -> None:
    kind = text_of(annotation, "type")
    if kind == "singleAnswer":
        _check_answer(annotation)
    elif kind == "multipleQAs":
        for pair in objects_of(annotation, "qaPairs"):
            text_of(pair, "question")
            _check_answer(pair)
    elif kind != "noAnswer":
        raise ValueError(
            f"“type” is {describe_value(kind)}. It should be singleAnswer, multipleQAs or noAnswer."
        )


def _check_answer(data: dict[str, object]) -> None:
    if "answer" not in data:
        raise ValueError("“answer” is missing.")
    texts_of(data, "answer")
