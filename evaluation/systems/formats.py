"""Files of what systems answered: {id: text}, or records with “id” and “answer”. Pure, streaming.

Records are a JSON array or one per line. A protocol can have a file of its own (`output_files`),
and a further kind of file, ASQA's own, holds what people wrote:
its annotations.
"""

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple
from unicodedata import category

from annotation.imports import asqa
from annotation.imports.arrays import split_array, split_object
from annotation.imports.lines import BOM, split_lines
from annotation.imports.parts import split_parts
from annotation.imports.records import (
    MAX_RECORD,
    BadLine,
    LeftOut,
    Piece,
    WrongFormat,
    id_of,
    load_object,
    objects_of,
    text_of,
)
from annotation.imports.sniff import HEAD, layout_of
from evaluation.systems.output_files import GivenContent, OutputFile

MAX_ANSWER = 50_000  # characters; the longest official long answer has about 3,000
EMPTY = LeftOut("empty")
_RECORD = re.compile(rb'\{\s*"(?:id|answer|question)"\s*:')
_SPLITS = re.compile(rb'\{\s*"(?:train|dev|test)"\s*:\s*\{')


class OutputRecord(NamedTuple):
    """One record: the line it begins on, the id of its question ("" if unknown), and its answer."""

    line: int
    id: str
    found: str | GivenContent | BadLine | LeftOut


def read_records(file: BinaryIO, own: OutputFile | None = None) -> Iterator[OutputRecord]:
    """Yield what a system answered. Raises WrongFormat if the file holds something else.

    own: the file of the project's protocol, if it has one.
    """
    cut, parse = _layout(file, own)
    return _records(cut(file), parse)


def count_records(file: BinaryIO, annotation: int = 0, own: OutputFile | None = None) -> int:
    """Return how many records a file has, as `read` or `read_annotations` yields them."""
    cut = _cut_annotations(file) if annotation else _layout(file, own)[0]
    return sum(1 for _ in cut(file))


def check_format(beginning: BinaryIO, annotation: int = 0, own: OutputFile | None = None) -> None:
    """Raise WrongFormat where the beginning of a file shows that it holds something else."""
    if annotation:
        _cut_annotations(beginning)
    else:
        _layout(beginning, own)


def read_annotations(file: BinaryIO, number: int) -> Iterator[OutputRecord]:
    """Yield the long answer of one annotation of each record of an ASQA file, counted from 1."""

    def parse(piece: Piece) -> tuple[str, object]:
        raw = piece.found
        assert isinstance(raw, bytes)
        record = asqa.parse_entry(raw, piece.split) if piece.split else asqa.parse_line(raw)
        annotations = objects_of(record.context, "annotations")
        return record.external_id, (
            annotations[number - 1]["long_answer"] if len(annotations) >= number else ""
        )

    return _records(_cut_annotations(file)(file), parse)


def _cut_annotations(file: BinaryIO) -> Callable[[BinaryIO], Iterator[Piece]]:
    return split_parts if layout_of(file, ("parts", "lines")) == "parts" else split_lines


def _records(
    pieces: Iterator[Piece], parse: Callable[[Piece], tuple[str, object]]
) -> Iterator[OutputRecord]:
    for piece in pieces:
        if isinstance(piece.found, BadLine):
            yield OutputRecord(piece.line, piece.key, piece.found)
            continue
        try:
            key, text = parse(piece)
        except ValueError as error:
            yield OutputRecord(piece.line, "", BadLine(str(error)))
            continue
        try:
            yield OutputRecord(piece.line, key, _answer(text))
        except ValueError as error:
            yield OutputRecord(piece.line, key, BadLine(str(error)))


def _answer(value: object) -> str | GivenContent | LeftOut:
    """Return a text exactly as it is in the file, EMPTY where nothing of it can be seen."""
    if isinstance(value, GivenContent):
        return value
    text = text_of({"answer": value}, "answer")
    if len(text) > MAX_ANSWER:
        raise ValueError(f"The answer has {len(text):,} characters. The maximum is {MAX_ANSWER:,}.")
    return text if is_visible(text) else EMPTY


def is_visible(text: str) -> bool:
    """Whether anything of a text can be seen."""
    return any(category(character)[0] not in "CZ" for character in text)


def _layout(
    file: BinaryIO, own: OutputFile | None
) -> tuple[Callable[[BinaryIO], Iterator[Piece]], Callable[[Piece], tuple[str, object]]]:
    if own is not None and own.is_like(_start(file)):
        return own.cut, own.parse
    cut = choose_cutter(file)
    return cut, parse_entry if cut is split_object else parse_record


def choose_cutter(file: BinaryIO) -> Callable[[BinaryIO], Iterator[Piece]]:
    """Return what cuts a file into records, or into entries by id. Raises WrongFormat."""
    if _start(file).startswith(b"["):
        layout_of(file, ("array",))
        return split_array
    if layout_of(file, ("parts", "lines")) == "parts" and is_own_of_asqa(_start(file)):
        raise WrongFormat(
            "This looks like ASQA’s own file. To import what people wrote in it, say which of its "
            "annotations."
        )
    line = file.readline(MAX_RECORD + 2).removeprefix(BOM)
    following = next(filter(None, map(bytes.strip, iter(lambda: file.readline(HEAD), b""))), b"")
    file.seek(0)
    if _RECORD.match(line.lstrip()) or (_whole(line) and following.startswith(b"{")):
        return split_lines
    return split_object


def is_own_of_asqa(beginning: bytes) -> bool:
    """Whether the beginning of a file is that of ASQA's own, which has what people wrote."""
    return bool(_SPLITS.match(beginning))


def _start(file: BinaryIO) -> bytes:
    file.seek(0)
    start = file.read(HEAD).removeprefix(BOM).lstrip()
    file.seek(0)
    return start


def _whole(line: bytes) -> bool:
    try:
        load_object(line)
    except ValueError:
        return False
    return True


def parse_record(piece: Piece) -> tuple[str, object]:
    """Read a record with “id” and “answer”. Raises ValueError with the sentence to show."""
    assert isinstance(piece.found, bytes)
    data = load_object(piece.found)
    key = id_of(data)
    if "answer" not in data:
        raise ValueError("“answer” is missing.")
    return key, data["answer"]


def parse_entry(piece: Piece) -> tuple[str, object]:
    """Read an id with what was answered. Raises ValueError with the sentence to show."""
    assert isinstance(piece.found, bytes)
    ((key, value),) = load_object(b"{" + piece.found + b"}").items()
    return id_of({"id": key}), value
