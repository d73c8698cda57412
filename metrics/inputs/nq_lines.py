"""Read two fields of Natural Questions' very long lines without parsing the page.

A line of the original form has a whole page twice, as HTML and as tokens: half a megabyte, of which
the annotations are two thousandths, and stand first; the id stands behind the page. In the
simplified form both stand behind it, and a file made elsewhere may have the id first. So only
the two ends of a long line are parsed. Everything else takes the slow road: other orders of the
fields, ids that are strings, lines that look damaged.
"""

import gzip
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from isal import igzip, isal_zlib

from metrics.inputs import files
from metrics.score import BadInput

T = TypeVar("T")

_LONG_LINE = 1 << 12
_SMALL = 1 << 23
_WINDOW = 1 << 13
_CHUNK = 1 << 18  # four times as much takes a fifth longer: it leaves the processor's cache
_FIRST_KEY = re.compile(rb'\{\s*"annotations"\s*:\s*')
_FIRST_ID = re.compile(rb'\{\s*"example_id"\s*:\s*(-?(?:0|[1-9][0-9]{0,20}))\s*,')
_ID = b'"example_id"'
_LIST = b'"annotations"'
_decoder = json.JSONDecoder()


def read_all(
    parts: Sequence[Path], convert: Callable[[Any], T]
) -> Iterator[tuple[Path, dict[str, T]]]:
    """Yield (file, what ``convert`` makes of the annotations of each example) in the files' order.

    Where ``convert`` raises ``BadInput`` the file and the example are put before its words. Files
    are unpacked side by side, as many as there are processors.

    Raises ``BadInput``.
    """
    if len(parts) == 1 or sum(part.stat().st_size for part in parts if part.is_file()) < _SMALL:
        yield from ((part, _read(part, convert)) for part in parts)
        return
    from concurrent.futures import ThreadPoolExecutor  # costs a tenth of a small run

    with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1)) as pool:
        yield from zip(parts, pool.map(lambda part: _read(part, convert), parts), strict=True)


def example_id(record: dict[str, Any], where: str) -> str:
    """Return the id of an example as text; it may be written as a number or as a string."""
    name = files.parse_id(record.get("example_id"))
    if name is None:
        raise BadInput(f"{where}: example_id must be a whole number or a string.")
    return name


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (line number, line) of a file, gzip or not, one at a time; blank lines are left out.

    A line keeps its newline: to copy a page without it takes a tenth of the time of reading it.

    Raises ``BadInput`` where the file cannot be read or is cut short.
    """
    with files.translate_read_errors(path), path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        file = io.BufferedReader(_unpacked(raw), _CHUNK) if packed else raw
        try:
            for number, line in enumerate(file, 1):
                if not line.isspace():
                    yield number, line
        except isal_zlib.error as error:  # type: ignore[misc]  # a class, and typed as an instance
            raise gzip.BadGzipFile(error) from None


def _unpacked(raw: BinaryIO) -> igzip.IGzipFile:
    return igzip.IGzipFile(fileobj=raw)  # type: ignore[no-untyped-call]


def _read(path: Path, convert: Callable[[Any], T]) -> dict[str, T]:
    found: dict[str, T] = {}
    for number, line in read_lines(path):
        name, annotations = _quick(line) or _whole(line, path, number)
        if name in found:
            raise BadInput(f"{path}, line {number}: example {name} appears twice. Keep one.")
        try:
            found[name] = convert(annotations)
        except BadInput as error:
            raise BadInput(f"{path}, example {name}: {error}") from None
    return found


def _whole(line: bytes, path: Path, number: int) -> tuple[str, Any]:
    record = files.parse_json(line.strip(), str(path), number)
    where = f"{path}, line {number}"
    if not isinstance(record, dict):
        raise BadInput(f"{where}: must be one JSON object.")
    if "annotations" not in record:
        raise BadInput(f"{where}: has no annotations. Score on annotated data (the dev set).")
    return example_id(record, where), record["annotations"]


def _quick(line: bytes) -> tuple[str, Any] | None:
    """Return the id and the annotations of a line; None if it has to be parsed in full."""
    if len(line) < _LONG_LINE:
        try:
            record = _by_orjson(line)
        except (ValueError, RecursionError):
            return None
        if line.count(_ID) > 1 or line.count(_LIST) > 1 or not isinstance(record, dict):
            return None
        name, annotations = record.get("example_id"), record.get("annotations")
        return (str(name), annotations) if type(name) is int and annotations else None
    if first := _FIRST_KEY.match(line):
        annotations, tail = _value(line, first.end()), _tail(line, _ID, parse=json.loads)
    elif first := _FIRST_ID.match(line):
        tail = {"example_id": int(first[1])} | _tail(line, _LIST)
        annotations = tail.get("annotations")
    else:
        tail = _tail(line, _ID, _LIST)
        annotations = tail.get("annotations")
    name = tail.get("example_id")
    return (str(name), annotations) if type(name) is int and annotations else None


def _by_orjson(data: bytes) -> Any:
    import orjson  # takes as long as twenty pages, whose ends are parsed without it

    return orjson.loads(data)


def _tail(line: bytes, *keys: bytes, parse: Callable[[bytes], Any] = _by_orjson) -> dict[str, Any]:
    """Return the last fields of an object, from the first of ``keys``; {} where that fails.

    That the rest of the line is an object once it has a brace in front proves that the keys are
    the line's own, and not of an object inside it.
    """
    start = min(map(line.rfind, keys, repeat(len(line) // 2)))
    if start < 1 or line[start - 1 : start] == b"\\":
        return {}
    try:
        tail = parse(b"{" + line[start:])
    except (ValueError, RecursionError):
        return {}
    return tail if isinstance(tail, dict) else {}


def _value(line: bytes, start: int) -> Any:
    """Return the JSON list that begins at ``start``, or None where none does."""
    if line[start : start + 1] != b"[":
        return None
    size = _WINDOW
    while True:
        window = line[start : start + size].decode("utf-8", "replace")
        try:
            return _decoder.raw_decode(window)[0]
        except (ValueError, RecursionError):
            if start + size >= len(line):
                return None
            size *= 8
