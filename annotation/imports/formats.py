"""Files of questions: one module per format, pure, streaming, in bounded memory.

`read_records` yields every record of a file with its place; a record that cannot be read is a
BadLine with the reason, and reading continues after it. An empty file, or one of another format
altogether, raises WrongFormat before the first record.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, cast

from annotation import registration
from annotation.imports import (
    ambignq,
    asqa,
    doccano,
    examples,
    jsonl,
    label_studio,
    nq_open,
    table,
)
from annotation.imports.arrays import split_array
from annotation.imports.encoded_file import decode_file
from annotation.imports.gzip_files import unpack_file
from annotation.imports.lines import split_lines
from annotation.imports.parts import key_of, split_parts
from annotation.imports.peer_answers import DOCCANO, LABEL_STUDIO
from annotation.imports.records import (
    MAX_RECORD,
    BadLine,
    LeftOut,
    Piece,
    QuestionRecord,
    ReadRecord,
    WrongFormat,
)
from annotation.imports.sniff import Layout, layout_of
from annotation.imports.watched_file import WatchedFile

__all__ = [
    "BadLine",
    "Format",
    "LeftOut",
    "QuestionRecord",
    "ReadRecord",
    "WrongFormat",
    "all_formats",
    "count_records",
    "explain_refusal",
    "get_format",
    "read_records",
    "register_format",
]

EXCERPT = 300  # bytes of a record that cannot be read, to show it


@dataclass(frozen=True)
class Format:
    """One file format: how it is cut into records and how one record is read.

    `example` is a small file of the format that can be imported, `suffix` the ending of its name.
    `annotated`: its records may hold annotations, and `holds_context`: more than question and
    answers.
    `most`: the bytes of the longest line that is read. `packed`: files may be gzip.
    `names_split`: a record can name its split. `parse_entry` reads a record of a part for a split.
    `is_like` tells a record of the format in a file whose format nobody named.

    A format made for one file (`annotation.imports.detection`) is cut by `cut`, and `units` is the
    word for its records. `once_a_text`: its ids are made from texts, so that an equal text is the
    same question.
    """

    key: str
    label: str
    hint: str
    layouts: tuple[Layout, ...]
    parse: Callable[[bytes], QuestionRecord]
    example: str
    suffix: str
    parse_entry: Callable[[bytes, str], QuestionRecord] | None = None
    annotated: bool = False
    holds_context: bool = True
    names_split: bool = False
    most: int = MAX_RECORD
    packed: bool = False
    encoding: str = "utf-8"
    is_like: Callable[[Mapping[str, object]], bool] | None = None
    cut: Callable[[BinaryIO], Iterator[Piece]] | None = None
    units: str = ""
    once_a_text: bool = False

    @property
    def unit(self) -> str:
        """The word for the file's records, for people."""
        if self.units:
            return self.units
        return "lines" if self.layouts == ("lines",) else "records"


_formats: dict[str, Format] = {
    format.key: format
    for format in (
        Format(
            key="nq-open",
            label="NQ-open JSONL",
            hint="One JSON object per line with “question” and “answer”, a list of the known "
            "answers. The question is its own id.",
            layouts=("lines",),
            parse=nq_open.parse_record,
            example=examples.NQ_OPEN,
            holds_context=False,
            suffix="jsonl",
            is_like=nq_open.is_like,
        ),
        Format(
            key="ambignq",
            label="AmbigNQ, light or full",
            hint="One JSON array of records with “id”, “question” and, where there are some, "
            "“annotations”, as AmbigNQ was released.",
            layouts=("array",),
            parse=ambignq.parse_record,
            example=examples.AMBIGNQ,
            suffix="json",
            annotated=True,
            is_like=ambignq.is_like,
        ),
        Format(
            key="asqa",
            label="ASQA",
            hint="One JSON object with a part for each split, in which each id has its "
            "“ambiguous_question” and “qa_pairs”, as ASQA was released; or JSONL with “sample_id”.",
            layouts=("parts", "lines"),
            parse=asqa.parse_line,
            example=examples.ASQA,
            suffix="json",
            parse_entry=asqa.parse_entry,
            annotated=True,
            is_like=asqa.is_like,
            names_split=True,
        ),
        Format(
            key=LABEL_STUDIO,
            label="Label Studio export",
            hint="One JSON array of tasks with “data” and “annotations”, as Label Studio exports "
            "them. Text areas named “answer” are answers, spans over text are their quotes.",
            layouts=("array",),
            parse=label_studio.parse_record,
            example=examples.LABEL_STUDIO,
            suffix="json",
            annotated=True,
            is_like=label_studio.is_like,
            names_split=True,
        ),
        Format(
            key=DOCCANO,
            label="doccano export",
            hint="JSONL or a JSON array of records with “text”, the question, and “label”, a list "
            "of its answers, as doccano exports them.",
            layouts=("lines", "array"),
            parse=doccano.parse_record,
            example=examples.DOCCANO,
            suffix="jsonl",
            annotated=True,
            holds_context=False,
            is_like=doccano.is_like,
            names_split=True,
        ),
        Format(
            key="jsonl",
            label="Plain JSONL",
            hint="One JSON object per line with “id” and “question”. Optional: “split” (train, dev "
            "or test), “answers” (a list) and “context” (an object).",
            layouts=("lines",),
            parse=jsonl.parse_record,
            example=examples.JSONL,
            suffix="jsonl",
            names_split=True,
        ),
        Format(
            key="table",
            label="CSV or TSV table",
            hint="The first row names the columns: “id” and “question”. Optional: “split” (train, "
            "dev or test) and “answers”, with | between them. Commas, semicolons or tabs separate "
            "the columns; any other column is kept with its question.",
            layouts=("table",),
            parse=table.parse_record,
            example=examples.TABLE,
            suffix="csv",
            names_split=True,
        ),
    )
}


def register_format(format: Format) -> None:
    """Add the format of a protocol that is a package of its own."""
    _formats[format.key] = format


def all_formats() -> Mapping[str, Format]:
    """Return every format by its key, those of protocols last."""
    registration.PROTOCOLS.make()
    return _formats


def get_format(format: str | Format) -> Format:
    """Return a format by its key; one that was made for a file is returned as it is."""
    return all_formats()[format] if isinstance(format, str) else format


def read_records(
    file: BinaryIO, format: str | Format, on_step: Callable[[], None] = lambda: None
) -> Iterator[ReadRecord]:
    """Read every record of a binary file, in order.

    Raises WrongFormat when the file is empty or plainly something else. `on_step` is called while
    the file is read, also where it holds no record, and may raise. `ReadRecord.number` counts
    records (not blank lines); `Read.line` is the line of the file where the record begins.
    """
    kind = get_format(format)
    layout, pieces = _cut_records(file, kind, on_step)
    number = 0
    for number, piece in enumerate(pieces, start=1):
        content = _found(piece, kind)
        if isinstance(content, BadLine):
            which = _which(number, piece, layout)
            content = BadLine(f"{which}{content.reason}", content.text or _excerpt(piece.found))
        yield ReadRecord(number, piece.line, content)
    if not number:
        raise WrongFormat("The file holds no records.")


def explain_refusal(problem: WrongFormat, offered: Iterable[str]) -> str:
    """Return why a file was refused, and which of the offered formats it may have.

    offered: keys of the formats that its project reads, the likeliest first.
    """
    names = {key: all_formats()[key].label.partition(",")[0] for key in offered}
    fits = [names[key] for key in names if {*all_formats()[key].layouts} & {*problem.layouts}]
    if fits:
        return f"{problem} Choose {' or '.join(fits)}."
    if problem.layouts:
        return f"{problem} This project reads {', '.join(names.values())}."
    return str(problem)


def _found(piece: Piece, kind: Format) -> QuestionRecord | BadLine:
    if isinstance(piece.found, BadLine):
        return piece.found
    try:
        if piece.split is not None and kind.parse_entry:
            return kind.parse_entry(piece.found, piece.split)
        return kind.parse(piece.found)
    except ValueError as error:
        return BadLine(str(error))


def _which(number: int, piece: Piece, layout: Layout) -> str:
    """Name a record of a format without a line for each, where line numbers say little."""
    if layout == "array":
        return f"Record {number}: "
    if piece.split is None:
        return ""
    # Name an entry by its id only: the id is at its start.
    key = key_of(piece.found[1:]) if isinstance(piece.found, bytes) else piece.key
    named = f", “{key[:60]}”" if key and key.isprintable() else ""
    return f"Record {number}{named}: "


def count_records(
    file: BinaryIO, format: str | Format, on_step: Callable[[], None] = lambda: None
) -> int:
    """Count the records of a file without reading them; leaves the file at its start.

    Raises WrongFormat, and what `on_step` raises, as `read_records` does.
    """
    total = sum(1 for _ in _cut_records(file, get_format(format), on_step)[1])
    file.seek(0)
    return total


def _cut_records(
    file: BinaryIO, kind: Format, on_step: Callable[[], None]
) -> tuple[Layout, Iterator[Piece]]:
    """Return how the file is laid out, and its records, cut but not read."""
    file = decode_file(unpack_file(file) if kind.packed else file, kind.encoding)
    if kind.cut is not None:
        file.seek(0)
        return kind.layouts[0], kind.cut(cast(BinaryIO, WatchedFile(file, on_step)))
    layout = layout_of(file, kind.layouts)
    return layout, _pieces(file, layout, kind.most, on_step)


def _excerpt(found: bytes | BadLine) -> str:
    """Return the beginning of what cannot be read, to show it."""
    if isinstance(found, BadLine):
        return ""
    text = found[:EXCERPT].decode("utf-8", "replace")
    return "".join(each if each.isprintable() else "\ufffd" for each in text)


def _pieces(
    file: BinaryIO, layout: Layout, most: int, on_step: Callable[[], None]
) -> Iterator[Piece]:
    cut: dict[Layout, Callable[[BinaryIO], Iterator[Piece]]] = {
        "lines": partial(split_lines, most=most),
        "array": split_array,
        "parts": split_parts,
        "table": table.split_table,
    }
    return cut[layout](cast(BinaryIO, WatchedFile(file, on_step)))
