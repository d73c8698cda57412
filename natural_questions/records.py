"""Records of Natural Questions: one JSON object per line, in the original or the simplified form.

The original form has the page's HTML and its tokens with bytes, the simplified one the tokens as
one text. All of a record is kept as it is; its annotations are read apart, and put back by
`build_record`.
"""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import orjson

from annotation.imports.records import (
    MAX_ID,
    describe_value,
    load_object,
    objects_of,
    question_of,
    text_of,
    text_or_null_of,
)
from natural_questions.annotation import NOWHERE, YES_NO, PageAnnotation, PageSpan, problem_of
from natural_questions.boxes import list_box_elements, span_of
from natural_questions.figures import kind_of
from natural_questions.tokens import tokens_of

Form = Literal["original", "simplified"]
# An original record of a long page has about 5 MB.
MOST_BYTES = 20_000_000
_BYTES = ("start_byte", "end_byte")
_TOKENS = ("start_token", "end_token")


@dataclass(frozen=True)
class Record:
    """One line of a file. `data` is all of it, with an empty list in place of its annotations."""

    form: Form
    external_id: str
    question: str
    title: str
    url: str
    data: Mapping[str, Any]
    annotations: tuple[PageAnnotation, ...]


def parse_line(raw: bytes) -> Record:
    """Read one line. Raises ValueError with the sentence to show."""
    data = load_object(raw)
    form = form_of(data)
    external_id = example_id_of(data)
    question = question_of(data, "question_text")
    tokens, size = _check_page(data, form)
    candidates = objects_of(data, "long_answer_candidates")
    if "long_answer_candidates" not in data:
        raise ValueError("“long_answer_candidates” is missing.")
    for number, candidate in enumerate(candidates):
        span = _named(f"Candidate {number}", _span, candidate, tokens, size)
        if not span or span.start_token < 0:
            raise ValueError(f"Candidate {number} is nowhere on the page.")
    found = tuple(
        _named(f"Annotation {number}", _annotation, each, candidates, tokens, size)
        for number, each in enumerate(objects_of(data, "annotations"), start=1)
    )
    return Record(
        form=form,
        external_id=external_id,
        question=question,
        title=text_or_null_of(data, "document_title") or "",
        url=text_or_null_of(data, "document_url") or "",
        data={**data, "annotations": []},
        annotations=found,
    )


def form_of(data: Mapping[str, Any]) -> Form:
    """Return the form of a record. Raises ValueError with the sentence to show."""
    if "document_text" in data:
        return "simplified"
    if "document_html" in data and "document_tokens" in data:
        return "original"
    looks = " This looks like NQ-open." if {"question", "answer"} <= data.keys() else ""
    raise ValueError(
        "The record has no page. The simplified form has “document_text”, the original one "
        f"“document_html” and “document_tokens”.{looks}"
    )


def build_record(
    data: Mapping[str, Any], annotations: Iterable[PageAnnotation], form: Form
) -> dict[str, Any]:
    """Return a record with these annotations, in the form that is asked for.

    Bytes are -1 where the record does not have them, as in all that was simplified.
    """
    record = dict(data)
    if form_of(data) != form:
        record = simplify_record(data) if form == "simplified" else _as_original(data)
    number = isinstance(data.get("example_id"), int)
    made = _simplified_annotation if form == "simplified" else _original_annotation
    record["annotations"] = [made(annotation, number) for annotation in annotations]
    return record


def encode_record(record: Mapping[str, Any]) -> bytes:
    """Return a record as in the released files: UTF-8, as Python's json writes it."""
    return json.dumps(record, ensure_ascii=False).encode()


def simplify_record(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an original record in the simplified form, as the released files were made."""
    return {
        "document_text": " ".join(token_texts(data)),
        "long_answer_candidates": [
            {name: value for name, value in candidate.items() if name not in _BYTES}
            for candidate in data["long_answer_candidates"]
        ],
        "question_text": data["question_text"],
        "annotations": [],
        "document_url": data.get("document_url", ""),
        "example_id": data["example_id"],
    }


def complete_record(data: Mapping[str, Any], external_id: str, question: str) -> Mapping[str, Any]:
    """Return a page that was not imported as a record, such as HTML alone, as an original one."""
    if "document_text" in data or data.get("document_tokens"):
        return data
    tokens = tokens_of(data)
    ends: list[int] = []
    candidates = []
    for start, end, _ in list_box_elements(tokens):
        ends = [last for last in ends if last > start]
        candidates.append({**_four(span_of(tokens, start, end)), "top_level": not ends})
        ends.append(end)
    return {
        "annotations": [],
        "document_html": "",
        "document_title": "",
        "document_tokens": [
            {
                "end_byte": token.end_byte,
                "html_token": token.tag,
                "start_byte": token.start_byte,
                "token": token.text,
            }
            for token in tokens
        ],
        "document_url": "",
        "example_id": external_id,
        "long_answer_candidates": candidates,
        "question_text": question,
        "question_tokens": question.split(),
        **data,
    }


def unpack_record(packed: bytes | memoryview) -> Mapping[str, Any]:
    """Return a record that was stored as JSON, compressed with zlib."""
    data: Mapping[str, Any] = orjson.loads(zlib.decompressobj().decompress(packed, MOST_BYTES))
    return data


def kinds_of(data: Mapping[str, Any]) -> str:
    """Return the kind of each candidate, a letter each, so that figures need no page."""
    whole = complete_record(data, "", "")
    tokens = token_texts(whole)
    candidates = whole["long_answer_candidates"]
    return "".join(kind_of(tokens[candidate["start_token"]]) for candidate in candidates)


def token_texts(data: Mapping[str, Any]) -> list[str]:
    """Return the tokens of the page; within one of them, blanks are underscores."""
    if "document_text" in data:
        return str(data["document_text"]).split(" ")
    return [token["token"].replace(" ", "_") for token in data["document_tokens"]]


def is_html(token: str) -> bool:
    """Whether a token is a tag."""
    return len(token) > 2 and token[0] == "<" and token[-1] == ">"


def text_at(tokens: Sequence[str], span: PageSpan) -> str:
    """Return the words of a span, without tags; "" where it has no tokens."""
    if span.start_token < 0:
        return ""
    return " ".join(t for t in tokens[span.start_token : span.end_token] if not is_html(t))


def _as_original(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a simplified record with the fields of the original form that can be known."""
    nowhere = dict.fromkeys(_BYTES, -1)
    return {
        "annotations": [],
        "document_html": "",
        "document_title": data.get("document_title", ""),
        "document_tokens": [
            {"token": token, "html_token": is_html(token), **nowhere} for token in token_texts(data)
        ],
        "document_url": data.get("document_url", ""),
        "example_id": data["example_id"],
        "long_answer_candidates": [
            {**candidate, **nowhere} for candidate in data["long_answer_candidates"]
        ],
        "question_text": data["question_text"],
        "question_tokens": data["question_text"].split(),
    }


def _simplified_annotation(annotation: PageAnnotation, number: bool) -> dict[str, Any]:
    long = annotation.long
    return {
        "yes_no_answer": annotation.yes_no,
        "long_answer": {
            "start_token": long.start_token,
            "candidate_index": annotation.candidate,
            "end_token": long.end_token,
        },
        "short_answers": [
            {"start_token": span.start_token, "end_token": span.end_token}
            for span in annotation.short
        ],
        "annotation_id": _id(annotation, number),
    }


def _original_annotation(annotation: PageAnnotation, number: bool) -> dict[str, Any]:
    return {
        "annotation_id": _id(annotation, number),
        "long_answer": {"candidate_index": annotation.candidate, **_four(annotation.long)},
        "short_answers": [_four(span) for span in annotation.short],
        "yes_no_answer": annotation.yes_no,
    }


def _id(annotation: PageAnnotation, number: bool) -> int | str:
    """Return the id as a number where the record has numbers as ids."""
    is_number = number and annotation.annotation_id.isdecimal()
    return int(annotation.annotation_id) if is_number else annotation.annotation_id


def _four(span: PageSpan) -> dict[str, int]:
    return {
        "end_byte": span.end_byte,
        "end_token": span.end_token,
        "start_byte": span.start_byte,
        "start_token": span.start_token,
    }


def example_id_of(data: Mapping[str, Any]) -> str:
    """Return the id of a record as text. Raises ValueError with the sentence to show."""
    value = data.get("example_id")
    if isinstance(value, str) and value.strip() and value.isprintable() and len(value) <= MAX_ID:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None:
        raise ValueError("“example_id” is missing.")
    raise ValueError(
        f"“example_id” should be a number or a short text, and is {describe_value(value)}."
    )


def _check_page(data: Mapping[str, Any], form: Form) -> tuple[int, int]:
    """Check the page; return how many tokens and bytes it has (-1: its bytes are not known)."""
    if form == "simplified":
        text = text_of(data, "document_text")
        if not text.strip():
            raise ValueError("“document_text” is empty.")
        return text.count(" ") + 1, -1
    size = len(text_of(data, "document_html").encode())
    size = size or -1  # an original record made from a simplified one
    tokens = objects_of(data, "document_tokens")
    if not tokens:
        raise ValueError("“document_tokens” is empty.")
    for number, token in enumerate(tokens):
        if not isinstance(token.get("token"), str):
            raise ValueError(f"Token {number} has no “token” with its text.")
        _named(f"Token {number}", _two, token, _BYTES, size)
    starts: list[Any] = [token["start_byte"] for token in tokens]
    for number, (one, other) in enumerate(pairwise(starts), start=1):
        if one > other:
            raise ValueError(f"Token {number} begins before the one before it.")
    return len(tokens), size


def _annotation(
    value: Mapping[str, Any], candidates: Sequence[Mapping[str, Any]], tokens: int, size: int
) -> PageAnnotation:
    yes_no = value.get("yes_no_answer", "NONE")
    if yes_no not in YES_NO:
        raise ValueError(
            f"“yes_no_answer” should be YES, NO or NONE, and is {describe_value(yes_no)}."
        )
    given = value.get("long_answer")
    if not isinstance(given, dict):
        raise ValueError(f"“long_answer” should be an object, and is {describe_value(given)}.")
    long = _named("“long_answer”", _span, given, tokens, size)
    short = tuple(
        _named(f"short answer {number}", _span, each, tokens, size)
        for number, each in enumerate(objects_of(value, "short_answers"), start=1)
    )
    name = value.get("annotation_id", "")
    if not isinstance(name, str | int) or isinstance(name, bool) or len(str(name)) > MAX_ID:
        raise ValueError(
            f"“annotation_id” should be a number or text, and is {describe_value(name)}."
        )
    found = PageAnnotation(
        good=True,
        long=long,
        candidate=_candidate(given, long, candidates),
        yes_no=yes_no,
        short=tuple(span for span in short if span),
        annotation_id=str(name),
    )
    if problem := problem_of(found):
        raise ValueError(problem)
    return found


def _candidate(
    given: Mapping[str, Any], long: PageSpan, candidates: Sequence[Mapping[str, Any]]
) -> int:
    """Return the place of the long answer among the candidates, checked to be that one."""
    place = given.get("candidate_index", -1)
    if not isinstance(place, int) or isinstance(place, bool) or place < -1:
        raise ValueError(f"“candidate_index” should be a number, and is {describe_value(place)}.")
    if not long or place == -1:
        return -1 if not long else _found(long, candidates)
    if place >= len(candidates):
        raise ValueError(
            f"“candidate_index” is {place}, and the record has {len(candidates):,} candidates."
        )
    there = tuple(candidates[place][name] for name in _TOKENS)
    if there != long.place:
        raise ValueError(
            f"“long_answer” is at tokens {long.start_token} to {long.end_token}, and candidate "
            f"{place} at {there[0]} to {there[1]}. One of the two is wrong."
        )
    return place


def _found(long: PageSpan, candidates: Sequence[Mapping[str, Any]]) -> int:
    """Return the first candidate at a span; -1 if there is none."""
    places = (
        place
        for place, each in enumerate(candidates)
        if tuple(each[name] for name in _TOKENS) == long.place
    )
    return next(places, -1)


def _span(value: Mapping[str, Any], tokens: int, size: int) -> PageSpan:
    """Return a span; NOWHERE where all of it is -1."""
    span = PageSpan(*_two(value, _TOKENS, tokens), *_two(value, _BYTES, size))
    return span or NOWHERE


def _two(value: Mapping[str, Any], names: tuple[str, str], most: int) -> tuple[int, int]:
    """Return start and end, which are both -1 or both on the page. Bytes may be missing."""
    pair = value.get(names[0], -1), value.get(names[1], -1)
    for name, number in zip(names, pair, strict=True):
        if not isinstance(number, int) or isinstance(number, bool):
            raise ValueError(f"“{name}” should be a whole number, and is {describe_value(number)}.")
    start, end = pair
    if start == end == -1:
        return pair
    if not 0 <= start <= end or start == end:
        raise ValueError(f"“{names[0]}” {start} should come before “{names[1]}” {end}.")
    if most >= 0 and end > most:
        raise ValueError(f"“{names[1]}” is {end:,}, and the page ends at {most:,}.")
    return pair


def _named(what: str, check: Any, *values: Any) -> Any:
    try:
        return check(*values)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None
