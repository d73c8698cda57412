"""Recognise a file that is plainly of another format, before any record is read."""

import re
from typing import BinaryIO, Literal

from annotation.imports.lines import BOM
from annotation.imports.records import WrongFormat

HEAD = 4096
_PACKED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_ASQA = re.compile(rb'\{\s*"(?:train|dev|test)"\s*:')
# An object that is empty, or whose first value is an object, is not a record on a line.
_PARTS = re.compile(rb'\{\s*(?:\}|"(?:[^"\\]|\\.)*+"\s*:\s*\{)', re.DOTALL)

Layout = Literal["lines", "array", "parts", "table"]


def layout_of(file: BinaryIO, layouts: tuple[Layout, ...]) -> Layout:
    """Return how the file is laid out, one of `layouts`.

    Raises WrongFormat when it is empty, or plainly none of these; leaves it at its start.
    """
    file.seek(0)
    head = file.read(HEAD)
    file.seek(0)
    if not head:
        raise WrongFormat("The file is empty.")
    for magic, name in _PACKED.items():
        if head.startswith(magic):
            raise WrongFormat(f"The file is packed ({name}). Unpack it first.")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or head[:4].count(0) >= 2:
        raise WrongFormat("The file is written in UTF-16 or UTF-32. Save it as UTF-8.")
    whole = len(head) < HEAD
    head = head.removeprefix(BOM).lstrip()
    if not head:
        if whole:
            raise WrongFormat("The file holds only blank lines.")
        return layouts[0]
    if head.startswith(b"<"):
        raise WrongFormat("This looks like a web page or XML, not JSON. Download the file itself.")
    if "table" in layouts:
        if head.startswith((b"{", b"[")):
            found = ("array",) if head.startswith(b"[") else ("lines", "parts")
            raise WrongFormat("This looks like JSON, not a table.", found)
        return "table"
    if "parts" in layouts:
        return _asqa(head, whole)
    if "array" in layouts and head.startswith(b"["):
        return "array"
    if _ASQA.match(head):
        raise WrongFormat("This looks like one JSON object with a part for each split.", ("parts",))
    (_check_array if layouts == ("array",) else _check_lines)(head, whole)
    return layouts[0]


def _asqa(head: bytes, whole: bool) -> Layout:
    """Tell the object of the released file from JSONL."""
    if _ASQA.match(head) or _PARTS.match(head):
        return "parts"
    _check_lines(head, whole)
    return "lines"


def _check_array(head: bytes, whole: bool) -> None:
    if head.startswith(b"{"):
        raise WrongFormat("This looks like JSONL, one object per line.", ("lines",))
    if not head.startswith(b"["):
        raise WrongFormat(f"A JSON array begins with “[”. This file begins {_start(head)}.")


def _check_lines(head: bytes, whole: bool) -> None:
    if head.startswith(b"["):
        raise WrongFormat("This looks like one JSON array.", ("array",))
    lines = head.split(b"\n")
    # A damaged first line is reported like any other; a table or prose has no object at all.
    if not any(line.lstrip().startswith(b"{") for line in lines) and (whole or len(lines) > 1):
        raise WrongFormat(
            f"JSONL has one object per line, each beginning with “{{”. "
            f"This file begins {_start(head)}."
        )


def _start(head: bytes) -> str:
    text = head[:120].decode("utf-8", "replace").split("\n")[0].strip()
    # PostgreSQL cannot store NUL, and the other control characters are not readable.
    text = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return f"“{text[:40]}…”" if len(text) > 40 else f"“{text}”"
