"""The records of a file of questions, and how their fields are read."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from unicodedata import category

import orjson

MAX_RECORD = 1_000_000  # bytes; the longest official record has about 100,000
MAX_ID = 200
MAX_QUESTION = 2_000
MAX_DEPTH = 40
SPLITS = ("train", "dev", "test")


class WrongFormat(Exception):
    """The file does not have the chosen format; the text says what it looks like.

    `layouts`: how it may be laid out, where that can be told.
    """

    def __init__(self, sentence: str, layouts: tuple[str, ...] = ()) -> None:
        super().__init__(sentence)
        self.layouts = layouts


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """One question as it is in a file; `context` holds the fields without a column of their own.

    `beside` is what a protocol keeps in rows of its own, too large for the context
    (`ImportAdapter.keep`). The context has a digest of it, by which a change is seen. `not_taken`
    has a key of `not_taken.PARTS` for each part of the record that is not taken.
    """

    external_id: str
    text: str
    split: str | None = None
    known_answers: tuple[str, ...] = ()
    context: dict[str, object] = field(default_factory=dict)
    beside: bytes = b""
    not_taken: tuple[str, ...] = ()

    def fingerprint(self) -> bytes:
        """Return 16 bytes that are equal exactly for records with the same content."""
        content = [self.external_id, self.text, self.split, self.known_answers, self.context]
        return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).digest()[:16]


@dataclass(frozen=True, slots=True)
class BadLine:
    """Why a line or record cannot be read; `text` is its beginning, to show it."""

    reason: str
    text: str = field(default="", compare=False)


class Piece(NamedTuple):
    """One record's bytes before they are read, the line they begin on, and their part's split.

    `key` names a record whose bytes are not given.
    """

    line: int
    found: bytes | BadLine
    split: str | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A readable record that is not imported; `reason` is the name it is counted under."""

    reason: str


class ReadRecord(NamedTuple):
    """One record: its number in the file, the line it begins on, and its content."""

    number: int
    line: int
    found: QuestionRecord | BadLine | LeftOut


def too_long(most: int) -> BadLine:
    """Return why a record over `most` bytes is not read."""
    return BadLine(
        f"It is longer than {most // 1_000_000} MB, more than any record of questions. "
        "Check that the file has one record per line."
    )


TOO_LONG = too_long(MAX_RECORD)


def load_object(raw: bytes) -> dict[str, object]:
    """Read the bytes as one JSON object. Raises ValueError with the sentence to show."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"Byte {error.start + 1} (0x{raw[error.start]:02x}) is not UTF-8. "
            "Save the file as UTF-8."
        ) from None
    if b"\0" in raw:
        raise ValueError("It holds a NUL character. Remove it.")
    try:
        data = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"It is not JSON: {error.msg} at character {error.pos + 1}.") from None
    if not isinstance(data, dict):
        raise ValueError(f"It should be an object, and is {describe_value(data)}.")
    return data


def question_of(data: Mapping[str, object], key: str = "question") -> str:
    """Return the question text exactly as it is in the file."""
    text = text_of(data, key)
    if not any(category(character)[0] not in "CZ" for character in text):
        raise ValueError("The question is empty.")
    if len(text) > MAX_QUESTION:
        raise ValueError(
            f"The question has {len(text):,} characters. The maximum is {MAX_QUESTION:,}."
        )
    return text


def id_of(data: Mapping[str, object], key: str = "id") -> str:
    """Return the id exactly as it is in the file."""
    text = text_of(data, key)
    if not text.strip():
        raise ValueError(f"“{key}” is empty.")
    if len(text) > MAX_ID:
        raise ValueError(f"“{key}” has {len(text):,} characters. The maximum is {MAX_ID}.")
    if not text.isprintable():
        raise ValueError(f"“{key}” holds an invisible character: {describe_value(text)}.")
    return text


def text_of(data: Mapping[str, object], key: str) -> str:
    """Return a field that must be there and be text."""
    if key not in data:
        raise ValueError(f"“{key}” is missing.")
    value = data[key]
    if not isinstance(value, str):
        raise ValueError(f"“{key}” should be text in quotes, and is {describe_value(value)}.")
    if "\0" in value:
        raise ValueError(f"“{key}” holds a NUL character. Remove it.")
    return value


def texts_of(data: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Return a field that must be a list of texts; a missing one is empty."""
    value = data.get(key, [])
    if not isinstance(value, list):
        raise ValueError(f"“{key}” should be a list, and is {describe_value(value)}.")
    return tuple(text_of({key: item}, key) for item in value)


def objects_of(data: Mapping[str, object], key: str) -> list[dict[str, object]]:
    """Return a field that must be a list of objects; a missing one is empty."""
    value = data.get(key, [])
    if not isinstance(value, list):
        raise ValueError(f"“{key}” should be a list, and is {describe_value(value)}.")
    for item in value:
        if not isinstance(item, dict):
            raise ValueError(f"“{key}” should hold objects, and holds {describe_value(item)}.")
    return value


def text_or_null_of(data: Mapping[str, object], key: str) -> str | None:
    """Return a field that may be text, null, or missing."""
    return None if data.get(key) is None else text_of(data, key)


def context_of(data: Mapping[str, object], *known: str) -> dict[str, object]:
    """Return every field that is not `known`, checked to be storable."""
    rest = {key: value for key, value in data.items() if key not in known}
    _check_storable(rest, "The record", 0)
    return rest


def _check_storable(value: object, where: str, depth: int) -> None:
    """Refuse what a JSON column cannot hold."""
    if depth > MAX_DEPTH:
        raise ValueError(f"{where} is nested more than {MAX_DEPTH} levels deep.")
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError(f"{where} holds a NUL character. Remove it.")
    elif isinstance(value, dict):
        for key, inner in value.items():
            _check_storable(key, "A key", depth + 1)
            _check_storable(inner, f"“{key}”", depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check_storable(inner, where, depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where} holds a number too large to store.")


def describe_value(value: object) -> str:
    """Describe a value briefly, for use in a sentence."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        text = value if len(value) <= 40 else f"{value[:37]}…"
        return f"“{text}”" if text.isprintable() else ascii(text)
    return "a list" if isinstance(value, list) else "an object"
