"""ASQA: {split: {id: record}} as it was released, or JSONL with "sample_id" in each line.

A record has "ambiguous_question", "qa_pairs", "wikipages" and, where they are written,
"annotations". All but the question is kept in the question's context exactly as it is.
"""

from collections.abc import Callable, Mapping

from annotation.imports.records import (
    SPLITS,
    QuestionRecord,
    context_of,
    describe_value,
    id_of,
    load_object,
    objects_of,
    question_of,
    text_of,
    text_or_null_of,
    texts_of,
)

_QUESTION = "ambiguous_question"


def is_like(record: Mapping[str, object]) -> bool:
    """Return whether a line of the JSONL layout is one; the other layout is told otherwise."""
    return not record or {"sample_id", _QUESTION} <= record.keys()


def parse_line(raw: bytes) -> QuestionRecord:
    """Read one line of the JSONL layout."""
    data = load_object(raw)
    if "sample_id" not in data:
        looks = " This looks like plain JSONL." if "id" in data and "question" in data else ""
        raise ValueError(f"“sample_id” is missing.{looks}")
    split = text_or_null_of(data, "split")
    if split is not None and split not in SPLITS:
        raise ValueError(f"“split” is {describe_value(split)}. It should be train, dev or test.")
    return _record(data, "sample_id", id_of(data, "sample_id"), split)


def parse_entry(raw: bytes, split: str) -> QuestionRecord:
    """Read {id: record}: one record of a split's part, alone in its object."""
    entry = load_object(raw)
    [(key, data)] = entry.items() if len(entry) == 1 else [("", None)]
    if not isinstance(data, dict):
        raise ValueError(f"The record should be an object, and is {describe_value(data)}.")
    external_id = id_of({"id": key})
    return _record(data, "", external_id, split)


def check_pairs(data: Mapping[str, object]) -> None:
    """Check "qa_pairs". Raises ValueError with the sentence to show."""
    if "qa_pairs" not in data:
        raise ValueError("“qa_pairs” is missing.")
    pairs = objects_of(data, "qa_pairs")
    if not pairs:
        raise ValueError("“qa_pairs” is empty. A question needs at least one pair.")
    for number, pair in enumerate(pairs, start=1):
        _named(f"Pair {number}", _check_pair, pair)


def check_pages(data: Mapping[str, object]) -> None:
    """Check "wikipages", which may be missing. Raises ValueError with the sentence to show."""
    for number, page in enumerate(objects_of(data, "wikipages"), start=1):
        _named(f"Page {number}", _check_page, page)


def _record(
    data: dict[str, object], id_key: str, external_id: str, split: str | None
) -> QuestionRecord:
    text = question_of(data, _QUESTION)
    check_pairs(data)
    check_pages(data)
    for number, annotation in enumerate(objects_of(data, "annotations"), start=1):
        _named(f"Annotation {number}", _check_annotation, annotation)
    columns = [_QUESTION, *([id_key, "split"] if id_key else [])]
    return QuestionRecord(
        external_id=external_id, text=text, split=split, context=context_of(data, *columns)
    )


def _named(
    what: str, check: Callable[[Mapping[str, object]], None], value: Mapping[str, object]
) -> None:
    try:
        check(value)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def _check_pair(pair: Mapping[str, object]) -> None:
    text_of(pair, "question")
    if not texts_of(pair, "short_answers"):
        raise ValueError("“short_answers” should hold at least one text.")
    text_or_null_of(pair, "context")
    text_or_null_of(pair, "wikipage")


def _check_page(page: Mapping[str, object]) -> None:
    text_of(page, "title")
    text_or_null_of(page, "url")


def _check_annotation(annotation: Mapping[str, object]) -> None:
    text_of(annotation, "long_answer")
    for number, piece in enumerate(objects_of(annotation, "knowledge"), start=1):
        _named(f"knowledge {number}", _check_piece, piece)


def _check_piece(piece: Mapping[str, object]) -> None:
    text_or_null_of(piece, "content")
    text_or_null_of(piece, "wikipage")
