"""Recognise what a file of questions is, from its head; pure.

Only the first bytes are read, however large the file is: its format, or its columns with what they
probably become, and the first records as they would be imported.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, BinaryIO

import orjson

from annotation.imports import shapes
from annotation.imports.columns import (
    KEEP,
    MOST_COLUMNS,
    ColumnMapping,
    mapping_from_json,
    propose_mapping,
    read_mapped,
)
from annotation.imports.encoded_file import decode_file, find_encoding
from annotation.imports.formats import Format, ReadRecord, all_formats, read_records
from annotation.imports.gzip_files import unpack_file
from annotation.imports.lines import BOM
from annotation.imports.records import BadLine, QuestionRecord, WrongFormat, load_object
from annotation.imports.releases import find_release
from annotation.imports.shapes import FileShape, Unreadable
from annotation.imports.sniff import layout_of

MAPPED = "mapped"
"""The format of files whose columns are mapped; no key of FORMATS."""
HEAD = 1 << 18
LARGE_HEAD = 1 << 23  # of files whose first record is longer than HEAD
SAMPLE = 200
PREVIEWED = 5
_PARQUET = (
    "a Parquet file",
    "Save it as JSONL first: "
    "python -c \"import pandas; pandas.read_parquet('FILE').to_json('FILE.jsonl', "
    "orient='records', lines=True)\"",
)
_ARCHIVE = ("a ZIP archive", "Unpack it, and import the file with the questions.")
_EXCEL = (
    "an Excel workbook",
    "In Excel choose Save as, then “CSV UTF-8”, and import that file. If the workbook has several "
    "sheets, save the one with the questions.",
)
_MAGIC = (
    (b"PAR1", *_PARQUET),
    (b"%PDF", "a PDF", "Copy the questions out of it, and paste them as lines."),
    (b"\xd0\xcf\x11\xe0", *_EXCEL),
    (b"BZh", "packed (bzip2)", "Unpack it first."),
    (b"\xfd7zXZ", "packed (xz)", "Unpack it first."),
    (b"\x28\xb5\x2f\xfd", "packed (zstd)", "Unpack it first."),
    (b"SQLite format 3", "an SQLite database", "Export its table as CSV, and import that."),
    (b"{\\rtf", "a document in RTF", "Save it as plain text in UTF-8."),
)
_SHEET = (
    "an OpenDocument file",
    "In LibreOffice choose Save as, then “Text CSV” in UTF-8, and import that file.",
)


@dataclass(frozen=True)
class FileReading:
    """How one file is read: by a format, or by its shape and what its columns become."""

    format: str
    label: str
    encoding: str = "utf-8"
    shape: FileShape | None = None
    mapping: ColumnMapping | None = None

    def as_format(self) -> Format:
        """Return the format that reads the file; it may be packed with gzip."""
        if self.shape is None or self.mapping is None:
            return replace(all_formats()[self.format], packed=True, encoding=self.encoding)
        shape, mapping = self.shape, self.mapping
        return Format(
            key=MAPPED,
            label=self.label,
            hint="",
            layouts=("lines",),
            parse=lambda raw: read_mapped(raw, mapping),
            example="",
            suffix="",
            names_split=True,
            packed=True,
            encoding=self.encoding,
            cut=lambda file: shapes.cut_file(file, shape),
            units=shape.unit,
            once_a_text=True,
        )

    def as_json(self) -> dict[str, Any]:
        """Return what `reading_from_json` reads."""
        return {
            "format": self.format,
            "label": self.label,
            "encoding": self.encoding,
            "shape": self.shape.as_json() if self.shape else None,
            "mapping": self.mapping.as_json() if self.mapping else None,
        }


def reading_from_json(data: Mapping[str, Any]) -> FileReading:
    """Return the reading that `as_json` gave."""
    shape, mapping = data.get("shape"), data.get("mapping")
    return FileReading(
        format=data["format"],
        label=data["label"],
        encoding=data["encoding"],
        shape=shapes.shape_from_json(shape) if shape else None,
        mapping=mapping_from_json(mapping) if mapping else None,
    )


@dataclass(frozen=True)
class Detection:
    """What a file is. `known`: by its format, where it has one of `all_formats`; `mapped`: by its
    columns, where they can be read. At least one of the two is there.

    `names` and `sample`: its columns, and the first records as they are in the file.
    """

    head: bytes
    whole: bool
    known: FileReading | None
    mapped: FileReading | None
    names: tuple[str, ...]
    sample: tuple[Mapping[str, object], ...]

    def preview_records(self, reading: FileReading) -> list[ReadRecord]:
        """Return the first five records as this reading has them; none where it does not fit."""
        kind = replace(reading.as_format(), packed=False, encoding="utf-8")
        file = io.BytesIO(self.head)
        try:
            found = list(islice(read_records(file, kind), PREVIEWED + 1))
        except WrongFormat:
            return []
        if not self.whole and len(found) <= PREVIEWED and found:
            found.pop()  # it was cut off with the head
        return found[:PREVIEWED]


def detect_file(file: BinaryIO) -> Detection:
    """Recognise a seekable binary file, which is left at its start.

    Raises Unreadable where it is plainly something else, WrongFormat where nothing is in it.
    """
    encoding, head, whole = read_head(file, HEAD)
    shape = None if _is_asqa(head) else shapes.find_shape(head, whole=whole)
    sample = _sample(head, shape, whole)
    if shape is not None and not sample and not whole:
        encoding, head, whole = read_head(file, LARGE_HEAD)
        sample = _sample(head, shape, whole)
    known = _find_known(head, shape, sample, encoding)
    if shape is None:
        return Detection(head, whole, known, None, (), ())
    release = find_release(sample)
    flat = sample
    if release is not None:
        shape = replace(shape, release=release.key)
        flat = _sample(head, shape, whole)
    names = tuple(dict.fromkeys(name for record in flat for name in record))[:MOST_COLUMNS]
    if whole and not names and shape.container == "table":
        raise WrongFormat("The file has a row with the names of its columns, and no other.")
    separator = (release.separator if release else "") or "|"
    in_cells = shape.container == "table"
    mapping = propose_mapping(names, flat, separator if in_cells else "")
    label = release.label if release else known.label if known else shape.label
    mapped = FileReading(MAPPED, label, encoding, shape, mapping) if names else None
    if known is None and mapped is None:
        raise _unreadable(head, shape)
    return Detection(head, whole, known, mapped, names, tuple(flat))


def _unreadable(head: bytes, shape: FileShape) -> WrongFormat:
    """Return why none of the records in the head can be read."""
    found = next((piece.found for piece in shapes.cut_file(io.BytesIO(head), shape)), None)
    if found is None:
        return WrongFormat("The file holds no records.")
    reason = "The first record has no fields."
    if isinstance(found, BadLine):
        reason = found.reason
    else:
        try:
            load_object(found)
        except ValueError as error:
            reason = str(error)
    return Unreadable(f"{shape.label} without a record that can be read", reason)


def read_head(file: BinaryIO, most: int) -> tuple[str, bytes, bool]:
    """Return the encoding of a file, its first bytes as UTF-8, and whether they are all of it.

    A head ends with a whole line where it has one. Raises Unreadable.
    """
    file.seek(0)
    first = file.read(4096)
    _refuse_magic(first)
    plain = unpack_file(file)
    encoding = find_encoding(plain.read(4))
    if encoding == "utf-32":
        raise Unreadable("written in UTF-32", "Save it as UTF-8.")
    plain.seek(0)
    head = decode_file(plain, encoding).read(most + 1)
    file.seek(0)
    _refuse_magic(head[:4096])
    _refuse_binary(head[: 1 << 16])
    whole = len(head) <= most
    return encoding, head[:most], whole


def _refuse_magic(head: bytes) -> None:
    for magic, what, advice in _MAGIC:
        if head.startswith(magic):
            raise Unreadable(what, advice)
    if head.startswith(b"PK\x03\x04"):
        if b"[Content_Types].xml" in head or b"xl/" in head:
            raise Unreadable(*_EXCEL)
        if b"opendocument" in head:
            raise Unreadable(*_SHEET)
        raise Unreadable(*_ARCHIVE)


def _refuse_binary(head: bytes) -> None:
    if not head:
        return
    if head[:4].count(0) >= 2:
        raise Unreadable(
            "written in UTF-16 without a byte order mark, or binary", "Save it as UTF-8."
        )
    control = sum(head.count(byte) for byte in b"\x00\x01\x02\x03\x04\x05\x06\x07\x0e\x0f\x10")
    if 50 * control > len(head):
        raise Unreadable(
            "not a text file", "Choose a file with questions: JSON, JSONL, CSV, TSV or plain text."
        )
    lines = head.removeprefix(BOM).split(b"\n")[:-1] or [head]
    bad = [number for number, line in enumerate(lines) if not _is_utf8(line)]
    if head[:1] not in (b"{", b"[") and (10 * len(bad) > len(lines) or 0 in bad) and len(lines) > 1:
        raise Unreadable(
            "not written in UTF-8",
            f"Line {bad[0] + 1:,} holds other bytes. Save it as UTF-8: in Excel choose Save as, "
            "then “CSV UTF-8”.",
        )


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_asqa(head: bytes) -> bool:
    """Return whether this is an object with a part for each split, as ASQA was released."""
    try:
        asqa = layout_of(io.BytesIO(head), ("parts", "lines")) == "parts"
    except WrongFormat:
        return False
    keys = shapes.find_keys(head)
    return asqa and bool(keys) and keys <= {"train", "dev", "test"}


def _sample(head: bytes, shape: FileShape | None, whole: bool) -> list[Mapping[str, object]]:
    """Return the first records that can be read, at most 200."""
    if shape is None:
        return []
    pieces = list(islice(shapes.cut_file(io.BytesIO(head), shape), SAMPLE + 1))
    if not whole and len(pieces) <= SAMPLE:
        pieces = pieces[:-1]
    records: list[Mapping[str, object]] = []
    for piece in pieces[:SAMPLE]:
        if isinstance(piece.found, BadLine):
            continue
        try:
            record = orjson.loads(piece.found)
        except orjson.JSONDecodeError:
            continue
        if isinstance(record, str):
            record = {"question": record}
        if isinstance(record, dict):
            records.append(record)
    return records


def _find_known(
    head: bytes,
    shape: FileShape | None,
    sample: Sequence[Mapping[str, object]],
    encoding: str,
) -> FileReading | None:
    """Return the format whose records these are, None where they are of none."""
    layout = "parts" if shape is None else shape.container
    # The first record of all may be longer than the head; its keys can still be told.
    keys = shapes.find_keys(head.lstrip(BOM + b"[ \r\n\t"))
    first = {} if shape is None else dict.fromkeys(keys)
    records = sample or [first]
    for kind in all_formats().values():
        if layout in kind.layouts and kind.is_like is not None:
            alike = sum(map(kind.is_like, records))
            if 5 * alike >= 4 * len(records):  # the others are named when they are read
                return FileReading(kind.key, kind.label, encoding)
    return None


def trace_fields(record: Mapping[str, object], read: QuestionRecord) -> list[tuple[str, str]]:
    """Return each field of a record by its name, with its use, a key of USES."""
    return [(name, _use_of(name, value, read)) for name, value in record.items()]


def _use_of(name: str, value: object, read: QuestionRecord) -> str:
    if name in read.context:
        return KEEP
    if value == read.text:
        return "question"
    if str(value) == read.external_id:
        return "id"
    if value == read.split:
        return "split"
    return "answers" if value not in (None, "", []) else KEEP
