"""Cut a JSON array, or one object, into its elements without reading it whole."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import BinaryIO, ClassVar

from annotation.imports.lines import BOM
from annotation.imports.records import MAX_RECORD, TOO_LONG, BadLine, Piece

CHUNK = 1 << 16
HEAD = 1_000
BLANK = b" \t\r\n"

# Outside strings: a whole string at once, a bracket or a comma. A lone quotation mark opens a
# string that does not end in this chunk.
_OUTSIDE = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\],]', re.DOTALL)
_INSIDE = re.compile(rb'\\.|"', re.DOTALL)

_CUT = BadLine(
    "The file ends in the middle of this record, so it is incomplete: download it again."
)
NOTHING = BadLine("There is no record between two commas, or after the last one.")


def split_array(file: BinaryIO) -> Iterator[Piece]:
    """Yield every element of the array with the line it begins on.

    Only the element being read is held in memory. An element over MAX_RECORD bytes is not: it is
    yielded as TOO_LONG, and reading continues after it. A file that is cut off yields its whole
    elements, then a BadLine.
    """
    return read_pieces(file, _Array())


def split_object(file: BinaryIO) -> Iterator[Piece]:
    """Yield every entry of one JSON object, as `"key": value`, in the same way."""
    return read_pieces(file, _JsonObject())


def split_array_within(file: BinaryIO, opening: bytes) -> Iterator[Piece]:
    """Yield every element of the array that is the only entry of an object, in the same way.

    opening: what is in the file before the array.
    """
    file.seek(len(opening))
    return read_pieces(file, _OnlyEntry(1 + opening.count(b"\n")))


def read_pieces(file: BinaryIO, cutter: "Cutter") -> Iterator[Piece]:
    """Yield the pieces that the cutter finds in the file."""
    while chunk := file.read(CHUNK):
        yield from cutter.feed(chunk)
    yield from cutter.check_end()


class Cutter(ABC):
    """The state between two chunks; `take` says what each bracket and comma means."""

    whole: ClassVar[str]  # what the last bracket closes, in words
    bracket: ClassVar[str]

    def __init__(self) -> None:
        self.buffer = b""  # bytes from the start of the element being read
        self.at = 0  # how far the buffer has been scanned
        self.depth = 0
        self.in_string = False
        self.line = 1  # of the start of the buffer
        self.too_long_since: int | None = None
        self.head = b""  # of the element that is too long
        self.begun = self.closed = self.comma = False

    @abstractmethod
    def take_token(self, token: bytes) -> Sequence[Piece]:
        """Take a bracket or a comma outside strings; return the pieces that end with it."""

    def make_piece(self, raw: bytes | BadLine, line: int) -> Sequence[Piece]:
        """Make a piece of an element, or of the problem in its place."""
        return (Piece(line, raw),)

    def feed(self, chunk: bytes) -> Iterator[Piece]:
        """Take the next bytes of the file; yield the elements that end in them."""
        if not self.begun:
            self.begun = True
            chunk = chunk.removeprefix(BOM)
        self.buffer += chunk
        while not self.closed and (token := self._next_token()):
            yield from self.take_token(token)
        if len(self.buffer) > MAX_RECORD and not self.closed:
            if self.too_long_since is None:
                self.too_long_since = self.first_line(self.buffer)
                self.head = self.buffer[:HEAD]
            self.drop_bytes(self.at)

    def check_end(self) -> Iterator[Piece]:
        """Yield what is wrong with the end of the file, if anything."""
        rest = self.buffer.strip(BLANK)
        if self.closed:
            if rest:
                more = f"There is more after the closing bracket “{self.bracket}” of the "
                more += f"{self.whole}. It was not read."
                yield Piece(self.first_line(self.buffer), BadLine(more))
            return
        pieces: Sequence[Piece] = ()
        if rest or self.too_long_since:
            pieces = self.make_piece(_CUT, self.too_long_since or self.first_line(self.buffer))
        if not pieces:
            ends = f"The file ends before its closing bracket “{self.bracket}”. "
            ends += "It is incomplete: download it again."
            pieces = (Piece(self.line + self.buffer.count(b"\n"), BadLine(ends)),)
        yield from pieces

    def _next_token(self) -> bytes:
        """Return the next byte that matters, b"" when more of the file is needed."""
        while True:
            match = (_INSIDE if self.in_string else _OUTSIDE).search(self.buffer, self.at)
            if match is None:
                # A backslash at the very end belongs to the next byte.
                escape = self.in_string and self.buffer.endswith(b"\\")
                self.at = max(self.at, len(self.buffer) - escape)
                return b""
            self.at = match.end()
            token = match.group()
            if token == b'"':
                self.in_string = not self.in_string
            elif len(token) == 1:
                return token

    def cut_element(self, expected: bool) -> Sequence[Piece]:
        """Return the element that ends before the token just read, and forget it."""
        raw = self.buffer[: self.at - 1]
        line = self.too_long_since or self.first_line(raw)
        pieces: Sequence[Piece] = ()
        if self.too_long_since is not None or len(raw) > MAX_RECORD:
            pieces = self.make_piece(TOO_LONG, line)
        elif element := raw.strip(BLANK):
            pieces = self.make_piece(element, line)
        elif expected:
            pieces = self.make_piece(NOTHING, line)
        self.too_long_since, self.head = None, b""
        self.drop_bytes(self.at)
        return pieces

    def first_line(self, raw: bytes) -> int:
        """Return the line of the first visible byte of `raw`, the start of the buffer."""
        blank = len(raw) - len(raw.lstrip(BLANK))
        return self.line + raw.count(b"\n", 0, blank)

    def drop_bytes(self, length: int) -> None:
        """Drop this many bytes from the start of the buffer."""
        self.line += self.buffer.count(b"\n", 0, length)
        self.buffer = self.buffer[length:]
        self.at -= length


class _Array(Cutter):
    whole, bracket = "array", "]"

    def take_token(self, token: bytes) -> Sequence[Piece]:
        """Cut at the commas of the outermost brackets."""
        if token in b"{[":
            self.depth += 1
            if self.depth == 1:
                self.drop_bytes(self.at)
        elif token == self.bracket.encode() and self.depth == 1:
            self.closed = True
            return self.cut_element(self.comma)
        elif token in b"]}" and self.depth > 1:
            self.depth -= 1
        elif token == b"," and self.depth == 1:
            self.comma = True
            return self.cut_element(True)
        return ()


class _OnlyEntry(_Array):
    def __init__(self, line: int) -> None:
        super().__init__()
        self.line, self.begun = line, True

    def check_end(self) -> Iterator[Piece]:
        """Expect the closing bracket of the object around it."""
        if not (self.closed and self.buffer.strip(BLANK) == b"}"):
            self.closed = self.closed and bool(self.buffer.strip(BLANK))
            yield from super().check_end()


class _JsonObject(_Array):
    whole, bracket = "object", "}"
