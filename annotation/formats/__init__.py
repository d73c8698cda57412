"""Files of questions: one module per format, pure, streaming, in bounded memory.

`read` gives every record of a file with its place; what cannot be read is a BadLine with the
reason, and reading goes on after it. A file that is of another format altogether, or empty,
raises WrongFormat before anything is given.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from annotation.formats import ambignq, jsonl, nq_open
from annotation.formats.arrays import split_array
from annotation.formats.lines import split_lines
from annotation.formats.records import BadLine, Piece, QuestionRecord, Read, WrongFormat
from annotation.formats.sniff import check_start

__all__ = [
    "FORMATS",
    "BadLine",
    "Format",
    "QuestionRecord",
    "Read",
    "WrongFormat",
    "count",
    "read",
]


@dataclass(frozen=True)
class Format:
    """One file format: how it is cut into records and how one record is read.

    `annotated`: its records may hold annotations, so that they can come in as finished work.
    """

    key: str
    label: str
    hint: str
    array: bool
    parse: Callable[[bytes], QuestionRecord]
    annotated: bool = False

    @property
    def unit(self) -> str:
        """What the file is made of, for people."""
        return "records" if self.array else "lines"


FORMATS: dict[str, Format] = {
    format.key: format
    for format in (
        Format(
            key="nq-open",
            label="NQ-open JSONL",
            hint='One object per line: {"question": …, "answer": […]}',
            array=False,
            parse=nq_open.parse,
        ),
        Format(
            key="ambignq",
            label="AmbigNQ, light or full",
            hint='A JSON array of {"id": …, "question": …, "annotations": […]}',
            array=True,
            parse=ambignq.parse,
            annotated=True,
        ),
        Format(
            key="jsonl",
            label="Plain JSONL",
            hint='One object per line: {"id": …, "question": …}, "split" and "answers" if known',
            array=False,
            parse=jsonl.parse,
        ),
    )
}


def read(file: BinaryIO, format: str) -> Iterator[Read]:
    """Read every record of a binary file, in order.

    Raises WrongFormat when the file is empty or plainly something else. `Read.number` counts
    records (blank lines are none), `Read.line` is the line of the file where the record begins.
    """
    kind = FORMATS[format]
    number = 0
    for number, piece in enumerate(_pieces(file, kind), start=1):
        found = _found(piece.found, kind)
        if kind.array and isinstance(found, BadLine):
            found = BadLine(f"Record {number}: {found.reason}")
        yield Read(number, piece.line, found)
    if not number:
        raise WrongFormat("The file holds no records.")


def _found(found: bytes | BadLine, kind: Format) -> QuestionRecord | BadLine:
    if isinstance(found, BadLine):
        return found
    try:
        return kind.parse(found)
    except ValueError as error:
        return BadLine(str(error))


def count(file: BinaryIO, format: str) -> int:
    """Count the records of a file without reading them; leaves the file at its start."""
    total = sum(1 for _ in _pieces(file, FORMATS[format]))
    file.seek(0)
    return total


def _pieces(file: BinaryIO, format: Format) -> Iterator[Piece]:
    check_start(file, array=format.array)
    return split_array(file) if format.array else split_lines(file)
