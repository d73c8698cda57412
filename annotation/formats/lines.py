"""Cut a file into lines, holding at most one of them in memory."""

from collections.abc import Iterator
from typing import BinaryIO

from annotation.formats.records import MAX_RECORD, TOO_LONG, Piece

BOM = b"\xef\xbb\xbf"


def split_lines(file: BinaryIO) -> Iterator[Piece]:
    """Yield every line that is not blank, with its number.

    Only a line feed ends a line (U+2028 inside a text does not); a carriage return before it and
    a byte order mark at the start are dropped. A line over MAX_RECORD bytes is passed over in
    pieces and yielded as TOO_LONG.
    """
    number = 0
    while raw := file.readline(MAX_RECORD + 2):
        number += 1
        if number == 1:
            raw = raw.removeprefix(BOM)
        complete = raw.endswith(b"\n")
        if len(raw.rstrip(b"\r\n")) > MAX_RECORD:
            while not complete and (rest := file.readline(MAX_RECORD)):
                complete = rest.endswith(b"\n")
            yield Piece(number, TOO_LONG)
        elif line := raw.strip(b" \t\r\n"):
            yield Piece(number, line)
