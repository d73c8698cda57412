"""Tables: a row with the names of the columns, then a row per question."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple

import orjson

from annotation.imports import jsonl
from annotation.imports.lines import BOM
from annotation.imports.records import MAX_RECORD, BadLine, Piece, QuestionRecord, WrongFormat

SEPARATORS = ",;\t"
NEEDED = ("id", "question")
# The limit of csv itself is 131,072 characters a cell.
csv.field_size_limit(MAX_RECORD)

Cells = Mapping[str, str]


def split_table(file: BinaryIO, needed: Sequence[str] = NEEDED) -> Iterator[Piece]:
    """Yield every row but the header, as a JSON object of its filled cells.

    Raises WrongFormat where the header lacks a needed column. One row is held at a time; a cell may
    span lines.
    """
    head = file.readline(MAX_RECORD).removeprefix(BOM).decode("utf-8", "replace")
    separator = max(SEPARATORS, key=head.count)
    names = [name.strip().lower() for name in next(csv.reader([head], delimiter=separator), [])]
    if missing := [name for name in needed if name not in names]:
        columns = " and ".join(f"“{name}”" for name in needed)
        raise WrongFormat(
            f"The first row should name the columns {columns}; “{missing[0]}” is missing."
        )
    if len(set(names)) < len(names):
        raise WrongFormat("Two columns in the first row have the same name.")
    yield from split_rows(file, names, separator, line=1, fields_of=_filled)


def split_rows(
    file: BinaryIO,
    names: Sequence[str],
    separator: str,
    *,
    line: int,
    fields_of: Callable[[Cells], Mapping[str, object]] = lambda cells: cells,
) -> Iterator[Piece]:
    """Yield every row that is left in the file, as a JSON object of what `fields_of` its cells.

    `line`: how many lines were read before.
    """
    for row in read_rows(file, separator, line=line):
        if row.problem:
            yield Piece(row.line, BadLine(f"The row cannot be read: {row.problem}."))
        elif any(cell.strip() for cell in row.cells):
            yield Piece(row.line, _row(names, row.cells, fields_of))


class TableRow(NamedTuple):
    """A row with the line it begins on; where it cannot be read, `problem` says why, and its cells
    are what separators alone would make of its text.
    """

    line: int
    cells: Sequence[str]
    problem: str = ""


def read_rows(file: BinaryIO, separator: str, *, line: int) -> Iterator[TableRow]:
    """Yield every row that is left in the file, also empty ones; bytes that are not UTF-8 become
    lone surrogates. `line`: how many lines were read before.
    """
    lines = _Lines(file, line)
    rows = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        begins = lines.begin_row()
        try:
            cells = next(rows, None)
        except csv.Error as error:
            text = "".join(lines.text).rstrip("\r\n")
            yield TableRow(begins, text.split(separator), str(error))
            continue
        if cells is None:
            return
        yield TableRow(begins, cells)


class _Lines:
    """The lines of a table; `text` has those of the row in hand, `size` counts their bytes."""

    def __init__(self, file: BinaryIO, number: int) -> None:
        self.file = file
        self.number = number
        self.begin_row()

    def begin_row(self) -> int:
        """Forget the row before; return the line that the next one begins on."""
        self.text: list[str] = []
        self.size = 0
        return self.number + 1

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        raw = self.file.readline(MAX_RECORD + 1)
        if not raw:
            raise StopIteration
        self.number += 1
        self.size += len(raw)
        if self.size > MAX_RECORD:
            while not raw.endswith(b"\n") and (raw := self.file.readline(MAX_RECORD)):
                pass
            raise csv.Error("it is longer than 1 MB")
        self.text.append(raw.decode("utf-8", "surrogateescape"))
        return self.text[-1]


def _row(
    names: Sequence[str],
    cells: Sequence[str],
    fields_of: Callable[[Cells], Mapping[str, object]],
) -> bytes | BadLine:
    if len(cells) > len(names):
        return BadLine(f"The row has {len(cells)} cells and the header {len(names)}.")
    fields = fields_of({name: cell for name, cell in zip(names, cells, strict=False) if name})
    try:
        return orjson.dumps(fields)
    except TypeError:  # bytes that are not UTF-8 were decoded as lone surrogates
        return BadLine("The row is not UTF-8. Save the file as UTF-8.")


def _filled(cells: Cells) -> Mapping[str, object]:
    """Return the cells that are not empty; “answers” as a list."""
    filled: dict[str, object] = {name: cell for name, cell in cells.items() if cell}
    if answers := cells.get("answers"):
        filled["answers"] = [answer.strip() for answer in answers.split("|") if answer.strip()]
    return filled


def parse_record(raw: bytes) -> QuestionRecord:
    """Read one row."""
    return jsonl.parse_record(raw)
