"""Cut one JSON object with a part for each split into its records, without reading it whole.

The layout is {split: {id: record}}. A record is given as the object that holds it alone, under
its id: {id: record}.
"""

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import orjson

from annotation.imports.arrays import NOTHING, Cutter, read_pieces
from annotation.imports.records import SPLITS, TOO_LONG, BadLine, Piece, describe_value

_KEY = re.compile(rb'\s*("(?:[^"\\]|\\.)*+")\s*:', re.DOTALL)
_LIST = BadLine(
    "A part for a split should be an object with a record for each id, and this one is a list. "
    "It was not read."
)
_JOINED = BadLine("There is no comma between this part and the one before.")
_NO_PART = BadLine("A part for a split should be an object with a record for each id.")


def split_parts(file: BinaryIO) -> Iterator[Piece]:
    """Give every record of the object with its split and the line it begins on.

    What does not fit is named and passed over as in an array; a part under another name than a
    split's is named once, and its records are not read.
    """
    return read_pieces(file, _Parts())


def key_of(raw: bytes) -> str:
    """Return the key that the bytes begin with, "" where they do not begin with one."""
    match = _KEY.match(raw)
    try:
        return str(orjson.loads(match[1])) if match else ""
    except orjson.JSONDecodeError:
        return ""


class _Parts(Cutter):
    whole, bracket = "object", "}"

    def __init__(self) -> None:
        super().__init__()
        self.split: str | None = None  # of the part being read; None: no split's
        self.closer = b"}"  # of the part being read
        self.after_comma = self.after_part = False  # between parts

    def take_token(self, token: bytes) -> Sequence[Piece]:
        """Cut at the commas of each part."""
        if token in b"{[":
            self.depth += 1
            if self.depth == 1:
                self.drop_bytes(self.at)
            elif self.depth == 2:
                return self._open(token)
        elif self.depth == 1:
            return self._between(token)
        elif token in b"]}" and self.depth > 2:
            self.depth -= 1
        elif token == self.closer and self.depth == 2:
            self.depth = 1
            self.after_part = True
            return self._record(self.comma)
        elif token == b"," and self.depth == 2:
            self.comma = True
            return self._record(True)
        return ()

    def make_piece(self, raw: bytes | BadLine, line: int) -> Sequence[Piece]:
        """Give what stands in a split's part, and what is wrong between the parts."""
        if self.depth == 2 and self.split is None:
            return ()
        if isinstance(raw, bytes):
            return (Piece(line, b"{" + raw + b"}", self.split),)
        return (Piece(line, raw, self.split, key_of(self.head or self.buffer)),)

    def _record(self, expected: bool) -> Sequence[Piece]:
        pieces = self.cut_element(expected) if self.split is not None else ()
        if self.split is None:
            self.too_long_since, self.head = None, b""
            self.drop_bytes(self.at)
        if self.depth == 1:
            self.split = None
        return pieces

    def _open(self, token: bytes) -> Sequence[Piece]:
        """Begin a part."""
        head = self.buffer[: self.at - 1]
        line, name = self.first_line(head), key_of(head)
        self.closer = b"}" if token == b"{" else b"]"
        self.comma = self.after_comma = False
        self.split = name if name in SPLITS and token == b"{" else None
        joined, self.after_part = self.after_part, False
        too_long, self.too_long_since = self.too_long_since is not None, None
        self.head = b""
        self.drop_bytes(self.at)
        if too_long:
            self.split = None
            return (Piece(line, TOO_LONG),)
        if name not in SPLITS:
            what = describe_value(name) if name else "What comes before this part"
            reason = f"{what} is not a split. An ASQA file has the parts train, dev and test; "
            return (Piece(line, BadLine(f"{reason}the records of this one were not read.")),)
        if not self.split:
            return (Piece(line, _LIST),)
        return (Piece(line, _JOINED),) if joined else ()

    def _between(self, token: bytes) -> Sequence[Piece]:
        """Take a comma between parts, or the bracket that closes the object."""
        if token == b"]":
            return ()  # it closes nothing here, and is named with what it stands in
        rest = self.buffer[: self.at - 1]
        line = self.too_long_since or self.first_line(rest)
        missing = not self.after_part and (token == b"," or self.after_comma)
        self.after_comma, self.after_part = token == b",", False
        self.closed = token == b"}"
        too_long, self.too_long_since = self.too_long_since is not None, None
        self.head = b""
        self.drop_bytes(self.at)
        if too_long:
            return (Piece(line, TOO_LONG),)
        if rest.strip():
            return (Piece(line, _NO_PART),)
        return (Piece(line, NOTHING),) if missing else ()
