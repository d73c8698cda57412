"""Cut a JSON array into its elements without reading it whole."""

import re
from collections.abc import Iterator
from typing import BinaryIO

from annotation.formats.lines import BOM
from annotation.formats.records import MAX_RECORD, TOO_LONG, BadLine, Piece

CHUNK = 1 << 16
BLANK = b" \t\r\n"

# Outside strings: a whole string at once, or what opens, closes or separates. A lone quotation
# mark opens a string that does not end in this chunk.
_OUTSIDE = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\],]', re.DOTALL)
_INSIDE = re.compile(rb'\\.|"', re.DOTALL)

_CUT = BadLine("The file ends in the middle of this record. It was cut off: get it again.")
_OPEN = BadLine("The file ends before its closing bracket “]”. It was cut off: get it again.")
_NOTHING = BadLine("There is no record between two commas, or after the last one.")
_MORE = BadLine("There is more after the closing bracket “]” of the array. It was not read.")


def split_array(file: BinaryIO) -> Iterator[Piece]:
    """Give every element of the array with the line it begins on.

    Nothing is held but the element being read, and of an element over MAX_RECORD bytes not even
    that: it is given as TOO_LONG, and reading goes on after it. A file that is cut off gives its
    whole elements, then a BadLine.
    """
    cutter = _Cutter()
    while chunk := file.read(CHUNK):
        yield from cutter.feed(chunk)
    yield from cutter.end()


class _Cutter:
    """The state between two chunks."""

    def __init__(self) -> None:
        self.buffer = b""  # from the start of the element being read
        self.at = 0  # how far the buffer was looked at
        self.depth = 0
        self.in_string = False
        self.line = 1  # of the start of the buffer
        self.too_long_since: int | None = None
        self.begun = self.closed = self.comma = False

    def feed(self, chunk: bytes) -> Iterator[Piece]:
        """Take the next bytes of the file; give the elements that end in them."""
        if not self.begun:
            self.begun = True
            chunk = chunk.removeprefix(BOM)
        self.buffer += chunk
        while not self.closed and (token := self._next_token()):
            if token in b"{[":
                self.depth += 1
                if self.depth == 1:
                    self._drop(self.at)
            elif token == b"]" and self.depth == 1:
                self.closed = True
                yield from self._element(self.comma)
            elif token in b"]}" and self.depth > 1:
                self.depth -= 1
            elif token == b"," and self.depth == 1:
                self.comma = True
                yield from self._element(True)
        if len(self.buffer) > MAX_RECORD and not self.closed:
            if self.too_long_since is None:
                self.too_long_since = self._first_line(self.buffer)
            self._drop(self.at)

    def end(self) -> Iterator[Piece]:
        """Say what is wrong with the way the file ends, if anything is."""
        rest = self.buffer.strip(BLANK)
        if self.closed:
            if rest:
                yield Piece(self._first_line(self.buffer), _MORE)
        elif rest or self.too_long_since:
            yield Piece(self.too_long_since or self._first_line(self.buffer), _CUT)
        else:
            yield Piece(self.line + self.buffer.count(b"\n"), _OPEN)

    def _next_token(self) -> bytes:
        """Return the next byte that matters, b"" when more of the file is needed."""
        while True:
            match = (_INSIDE if self.in_string else _OUTSIDE).search(self.buffer, self.at)
            if match is None:
                # A backslash at the very end belongs to what comes after it.
                escape = self.in_string and self.buffer.endswith(b"\\")
                self.at = max(self.at, len(self.buffer) - escape)
                return b""
            self.at = match.end()
            token = match.group()
            if token == b'"':
                self.in_string = not self.in_string
            elif len(token) == 1:
                return token

    def _element(self, expected: bool) -> Iterator[Piece]:
        """Give the element that ends before the token just read, and forget it."""
        raw = self.buffer[: self.at - 1]
        if self.too_long_since is not None or len(raw) > MAX_RECORD:
            yield Piece(self.too_long_since or self._first_line(raw), TOO_LONG)
        elif element := raw.strip(BLANK):
            yield Piece(self._first_line(raw), element)
        elif expected:
            yield Piece(self._first_line(raw), _NOTHING)
        self.too_long_since = None
        self._drop(self.at)

    def _first_line(self, raw: bytes) -> int:
        blank = len(raw) - len(raw.lstrip(BLANK))
        return self.line + raw.count(b"\n", 0, blank)

    def _drop(self, length: int) -> None:
        self.line += self.buffer.count(b"\n", 0, length)
        self.buffer = self.buffer[length:]
        self.at -= length
