"""A file as it is cut into records: whoever waits is told of its progress, and blank lines end it.

A few bytes of gzip can hold millions of blank lines, and none of them is a record after which
somebody would look up.
"""

from collections.abc import Callable
from typing import BinaryIO

from annotation.imports.records import WrongFormat

BLANK_LINES = 100_000  # in a row; no file of records has ten
LINES_A_STEP = 1_000


class WatchedFile:
    """The reading half of a binary file. `on_step` is called every 1,000 lines, and before each
    read of another size; it may raise. Raises WrongFormat at 100,000 blank lines in a row.
    """

    def __init__(self, file: BinaryIO, on_step: Callable[[], None]) -> None:
        self._file = file
        self._on_step = on_step
        self._lines = self._blank = 0

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes."""
        self._on_step()
        return self._file.read(size)

    def readline(self, size: int = -1) -> bytes:
        """Read a line, or at most `size` bytes of it."""
        self._lines += 1
        if self._lines % LINES_A_STEP == 0:
            self._on_step()
        line = self._file.readline(size)
        if not line.isspace():
            self._blank = 0
        elif self._blank == BLANK_LINES:
            raise WrongFormat(
                f"The file has more than {BLANK_LINES:,} blank lines in a row, at line "
                f"{self._lines:,}. Take them out, or export it again."
            )
        else:
            self._blank += 1
        return line
