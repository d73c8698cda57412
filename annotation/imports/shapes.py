"""How a file is laid out, as its first bytes show, and how it is cut into records.

Pure: bytes in, a FileShape out. What cannot be a file of questions is named in words that say how
to mend it.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, BinaryIO, Literal

import orjson

from annotation.imports.arrays import split_array
from annotation.imports.columns import is_known_name
from annotation.imports.lines import BOM, split_lines
from annotation.imports.nested import split_nested
from annotation.imports.parts import key_of
from annotation.imports.records import MAX_RECORD, TOO_LONG, BadLine, Piece, WrongFormat
from annotation.imports.releases import get_release
from annotation.imports.table import SEPARATORS, split_rows

Container = Literal["lines", "array", "nested", "object", "table", "text"]
MOST_CELLS = 200
LONGEST_NAME = 60
NO_SEPARATOR = "\x1f"  # of a table with one column, whose cells may hold commas
_SEPARATOR_LINE = re.compile(rb'"?sep=([,;\t])"?\r?\n')
_MARKUP = re.compile(rb"<(?:!doctype|\?xml|html|head|body|div|rss|svg)\b", re.IGNORECASE)
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Unreadable(WrongFormat):
    """The file is of a kind that Ambit does not read: what it is, and what to do."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(f"It is {what}. {advice}")
        self.what = what
        self.advice = advice


@dataclass(frozen=True)
class FileShape:
    """How a file is cut: into lines, the elements of a list, the rows of a table.

    `key`: under which the list is, where it is `nested`. `separator`, `header`: of a table, whether
    the first row names the columns, and `skip` lines are before it. `release`: key of the Release
    that makes the records flat.
    """

    container: Container
    key: str = ""
    separator: str = ","
    header: bool = True
    skip: int = 0
    columns: int = 0
    release: str = ""

    @property
    def unit(self) -> str:
        """The word for its records, for people."""
        return {"lines": "lines", "text": "lines", "table": "rows"}.get(self.container, "records")

    @property
    def label(self) -> str:
        """The name of the layout, for people."""
        table = {"\t": "TSV", ";": "CSV with semicolons"}.get(self.separator, "CSV")
        names = {"lines": "Plain JSONL", "text": "Plain lines", "table": table}
        return names.get(self.container, "JSON")

    def as_json(self) -> dict[str, Any]:
        """Return what `shape_from_json` reads."""
        return asdict(self)


def shape_from_json(data: Mapping[str, Any]) -> FileShape:
    """Return the shape that `as_json` gave."""
    return FileShape(**data)


# --- cutting --------------------------------------------------------------------------------------


def cut_file(file: BinaryIO, shape: FileShape, most: int = MAX_RECORD) -> Iterator[Piece]:
    """Yield the records as JSON objects, flat, with the line they begin on."""
    cutters: Mapping[str, Callable[[BinaryIO], Iterator[Piece]]] = {
        "lines": partial(split_lines, most=most),
        "array": split_array,
        "nested": partial(split_nested, key=shape.key),
        "object": _read_object,
        "table": partial(_cut_table, shape=shape),
        "text": _cut_text,
    }
    release = get_release(shape.release)
    pieces = cutters[shape.container](file)
    if release is None or release.flatten is None:
        yield from pieces
        return
    for piece in pieces:
        yield from _flatten(piece, release.flatten)


def _flatten(piece: Piece, flatten: Callable[..., Iterator[Mapping[str, object]]]) -> Iterator[Any]:
    if isinstance(piece.found, BadLine):
        yield piece
        return
    try:
        record = orjson.loads(piece.found)
        if not isinstance(record, dict):
            raise ValueError("It should be an object.")
        for each in flatten(record):
            yield piece._replace(found=orjson.dumps(each))
    except ValueError as error:
        yield piece._replace(found=BadLine(f"It cannot be read: {error}"))


def _read_object(file: BinaryIO) -> Iterator[Piece]:
    raw = file.read(MAX_RECORD + 1).removeprefix(BOM)
    yield Piece(1, raw.strip() if len(raw) <= MAX_RECORD else TOO_LONG)


def _cut_text(file: BinaryIO) -> Iterator[Piece]:
    for piece in split_lines(file):
        if isinstance(piece.found, bytes):
            try:
                text = piece.found.decode()
            except UnicodeDecodeError:
                yield Piece(piece.line, BadLine("The line is not UTF-8. Save the file as UTF-8."))
                continue
            piece = Piece(piece.line, orjson.dumps({"question": text}))
        yield piece


def _cut_table(file: BinaryIO, shape: FileShape) -> Iterator[Piece]:
    names = [_LETTERS[number % 26] * (1 + number // 26) for number in range(shape.columns)]
    for _ in range(shape.skip):
        file.readline(MAX_RECORD)
    if shape.header:
        head = file.readline(MAX_RECORD).removeprefix(BOM).decode("utf-8", "replace")
        names = read_names(head, shape.separator)
    line = shape.skip + shape.header
    source = file if line else _WithoutMark(file)
    yield from split_rows(source, names, shape.separator, line=line)  # type: ignore[arg-type]


class _WithoutMark:
    """A table without a header: what is read is its first row, less a byte order mark."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._begun = False

    def readline(self, size: int) -> bytes:
        """Read a line, or at most `size` bytes of it."""
        raw = self._file.readline(size)
        begun, self._begun = self._begun, True
        return raw if begun else raw.removeprefix(BOM)


def read_names(head: str, separator: str) -> list[str]:
    """Return the names of the columns, each once; a column without a name gets "column N"."""
    names: list[str] = []
    try:
        cells = next(csv.reader([head], delimiter=separator), [])
    except csv.Error:
        cells = []
    for number, cell in enumerate(cells, start=1):
        name = cell.strip().strip("\ufeff")[:LONGEST_NAME] or f"column {number}"
        names.append(f"{name} ({number})" if name in names else name)
    return names


# --- telling --------------------------------------------------------------------------------------


def find_shape(head: bytes, *, whole: bool) -> FileShape:
    """Return how the file is laid out, by its first bytes in UTF-8; `whole`: they are all of it.

    Raises Unreadable, or WrongFormat where nothing is in it.
    """
    text = head.removeprefix(BOM).lstrip()
    if not text:
        raise WrongFormat("The file is empty." if not head else "The file holds only blank lines.")
    if _MARKUP.match(text):
        raise Unreadable("a web page or XML", "Download the file itself.")
    if text.startswith(b"["):
        return _find_array(text, whole)
    if text.startswith(b"{"):
        return _find_objects(text, whole)
    if text.startswith(b'"') and all(_is_json(line, str) for line in _whole_lines(text, whole)):
        return FileShape("lines")
    return _find_table(head.removeprefix(BOM), whole) or FileShape("text")


def _find_array(text: bytes, whole: bool) -> FileShape:
    lines = _whole_lines(text, whole)
    if re.match(rb"\[\s*(?:[\[{\"\]]|$)", text):
        return FileShape("array")
    if lines and _is_json(lines[0], list):
        return FileShape("array")
    return _find_table(text, whole) or FileShape("text")


def _find_objects(text: bytes, whole: bool) -> FileShape:
    lines = _whole_lines(text, whole)
    parsed = [_is_json(line, dict) for line in lines[:50]]
    several = sum(parsed) > 1
    if several and parsed[0]:
        return FileShape("lines")
    if key := find_list(text):
        return FileShape("nested", key=key)
    pretty = whole and len(lines) > 1 and not any(parsed) and _is_json(text, dict)
    return FileShape("object" if pretty else "lines")


_LIST = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\]:,]', re.DOTALL)
_ASKED = re.compile(
    rb'"(?:question|question_text|ambiguous_question|document_text|text|prompt)"$', re.IGNORECASE
)


def find_list(text: bytes) -> str:
    """Return the key of the first list of records in an object, "" if it is a record itself."""
    depth, key, found = 0, b"", ""
    previous = b""
    for match in _LIST.finditer(text):
        token = match.group()
        if token == b":" and depth == 1:
            key = previous
            if _ASKED.match(key):
                return ""
        elif token in (b"{", b"["):
            depth += 1
            after = text[match.end() : match.end() + 100].lstrip()[:1]
            if token == b"[" and depth == 2 and not found and after in (b"{", b'"', b""):
                found = key_of(key + b":")
        elif token in (b"}", b"]"):
            depth -= 1
        previous = token
    return found


def find_keys(text: bytes) -> set[str]:
    """Return the keys of an object as far as its bytes go; it may be cut off."""
    depth, previous, keys = 0, b"", set()
    for match in _LIST.finditer(text):
        token = match.group()
        if token == b":" and depth == 1:
            keys.add(key_of(previous + b":"))
        elif token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            if not depth:
                break
        previous = token
    return keys


def _whole_lines(text: bytes, whole: bool) -> list[bytes]:
    lines = text.split(b"\n")
    kept = lines if whole or len(lines) == 1 else lines[:-1]
    return [line.strip() for line in kept if line.strip()]


def _is_json(raw: bytes, kind: type) -> bool:
    try:
        return isinstance(orjson.loads(raw), kind)
    except orjson.JSONDecodeError:
        return False


def _find_table(head: bytes, whole: bool) -> FileShape | None:
    """Return the shape of a table, None where the lines have no columns in common."""
    skip, said = 0, b""
    if match := _SEPARATOR_LINE.match(head):
        skip, said = 1, match[1]
        head = head[match.end() :]
    text = head.decode("utf-8", "replace")
    if not whole:
        text = text[: text.rfind("\n") + 1] or text
    first = text.split("\n", 1)[0]
    for separator in sorted(said.decode() or SEPARATORS, key=first.count, reverse=True):
        names = read_names(first, separator)
        if not 2 <= len(names) <= MOST_CELLS:
            continue
        rows = _read_rows(text, separator)
        [(cells, times)] = Counter(map(len, rows)).most_common(1) or [(0, 0)]
        header = is_header(names)
        named = header and any(map(is_known_name, names))
        alike = cells == len(names) and 5 * times >= 4 * len(rows)
        if named or (alike and (header or separator == "\t")):
            return FileShape(
                "table", separator=separator, header=header, skip=skip, columns=len(names)
            )
    if is_known_name(first.strip().strip('"')):  # one column, under its name
        return FileShape("table", separator=NO_SEPARATOR, skip=skip, columns=1)
    return None


def _read_rows(text: str, separator: str) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline="\n"), delimiter=separator):
            if any(row):
                rows.append(row)
    except csv.Error:
        pass
    return rows[:500]


def is_header(names: list[str]) -> bool:
    """Return whether these cells name columns: short, and none of them is a question."""
    return not any(name.endswith("?") or len(name.split()) > 6 for name in names)
