"""Cut a file into lines, holding at most one of them in memory."""

from collections.abc import Iterator
from typing import BinaryIO

from annotation.imports.records import MAX_RECORD, Piece, too_long

BOM = b"\xef\xbb\xbf"


def split_lines(file: BinaryIO, most: int = MAX_RECORD) -> Iterator[Piece]:
    """Yield every line that is not blank, with its number.

    Only a line feed ends a line (U+2028 inside a text does not); a carriage return before it and
    a byte order mark at the start are dropped. A line over `most` bytes is passed over in
    pieces and yielded as too long.
    """
    number = 0
    while raw := file.readline(most + 2):
        number += 1
        if number == 1:
            raw = raw.removeprefix(BOM)
        complete = raw.endswith(b"\n")
        if len(raw.rstrip(b"\r\n")) > most:
            while not complete and (rest := file.readline(most)):
                complete = rest.endswith(b"\n")
            yield Piece(number, too_long(most))
        elif line := raw.strip(b" \t\r\n"):
            yield Piece(number, line)
