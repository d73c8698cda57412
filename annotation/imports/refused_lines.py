"""The refused records of a file in its own layout, to be corrected and imported again; pure.

Where a record has no bytes of its own, as in a nested file, only the reasons can be given.
"""

import csv
import io
from collections.abc import Collection, Iterator
from typing import BinaryIO, NamedTuple

from annotation.imports.arrays import split_array
from annotation.imports.detection import FileReading
from annotation.imports.encoded_file import decode_file
from annotation.imports.gzip_files import unpack_file
from annotation.imports.lines import BOM, split_lines
from annotation.imports.records import MAX_RECORD
from annotation.imports.releases import get_release
from annotation.imports.table import SEPARATORS, read_rows
from annotation.text.spreadsheets import defuse_formula

MOST_BYTES = 20_000_000
SUFFIXES = {"lines": "jsonl", "text": "txt", "array": "json", "table": "csv"}


class RefusedFile(NamedTuple):
    """A file of refused records, and the ending of its name."""

    content: bytes
    suffix: str


def find_layout(reading: FileReading) -> str:
    """Return how refused records of the file are given, a key of SUFFIXES; "" if they cannot be."""
    if reading.shape is None:
        layouts = reading.as_format().layouts
        return layouts[0] if len(layouts) == 1 and layouts[0] in SUFFIXES else ""
    release = get_release(reading.shape.release)
    whole = release is None or release.flatten is None
    return reading.shape.container if whole and reading.shape.container in SUFFIXES else ""


def copy_refused(file: BinaryIO, reading: FileReading, lines: Collection[int]) -> RefusedFile:
    """Return the records that begin on these lines, in UTF-8. Cells of a table are defused.

    Raises ValueError, with a sentence, where the layout cannot tell them apart, or they are too
    large together.
    """
    layout = find_layout(reading)
    plain = decode_file(unpack_file(file), reading.encoding)
    if layout == "table":
        return _copy_rows(plain, reading, lines)
    most = reading.as_format().most if reading.shape is None else MAX_RECORD
    pieces = split_array(plain) if layout == "array" else split_lines(plain, most)
    found: dict[int, list[bytes]] = {}
    for piece in pieces:
        if piece.line > max(lines, default=0):
            break
        if piece.line in lines and isinstance(piece.found, bytes):
            found.setdefault(piece.line, []).append(piece.found)
            _check_size(sum(len(raw) for records in found.values() for raw in records))
    if any(len(records) > 1 for records in found.values()) or not layout:
        raise ValueError("Several records are on one line of the file, so they cannot be told.")
    records = [record for line in found.values() for record in line]
    if layout == "array":
        return RefusedFile(b"[\n" + b",\n".join(records) + b"\n]\n", SUFFIXES[layout])
    return RefusedFile(b"".join(record + b"\n" for record in records), SUFFIXES[layout])


def _copy_rows(file: BinaryIO, reading: FileReading, lines: Collection[int]) -> RefusedFile:
    skip, separator, header = 0, "", True
    if reading.shape is not None:
        shape = reading.shape
        skip, separator, header = shape.skip, shape.separator, shape.header
    for _ in range(skip):
        file.readline(MAX_RECORD)
    head = file.readline(MAX_RECORD) if header else b""
    names = head.removeprefix(BOM).decode("utf-8", "replace")
    separator = separator or max(SEPARATORS, key=names.count)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    if header:
        writer.writerow(map(defuse_formula, next(csv.reader([names], delimiter=separator), [])))
    for cells in _wanted(file, separator, skip + header, lines):
        writer.writerow([defuse_formula(cell.removeprefix("\ufeff")) for cell in cells])
        _check_size(out.tell())
    # A spreadsheet that wrote a mark needs one to read the letters.
    mark = BOM if head.startswith(BOM) or reading.encoding != "utf-8" else b""
    content = mark + out.getvalue().encode("utf-8", "replace")
    return RefusedFile(content, "tsv" if separator == "\t" else "csv")


def _wanted(
    file: BinaryIO, separator: str, before: int, lines: Collection[int]
) -> Iterator[Collection[str]]:
    for row in read_rows(file, separator, line=before):
        if row.line > max(lines, default=0):
            return
        if row.line in lines:
            yield row.cells


def _check_size(size: int) -> None:
    if size > MOST_BYTES:
        raise ValueError("The refused records are larger than 20 MB together.")
