"""Files that a spreadsheet saved as UTF-16, read as if they were UTF-8."""

import codecs
from typing import BinaryIO, cast

MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_CHUNK = 1 << 16


def find_encoding(head: bytes) -> str:
    """Return the name of the encoding that a byte order mark announces, "utf-8" without one."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    return next((name for mark, name in MARKS.items() if head.startswith(mark)), "utf-8")


def decode_file(file: BinaryIO, encoding: str) -> BinaryIO:
    """Return the file, at its start, as UTF-8. What cannot be decoded becomes U+FFFD."""
    if encoding == "utf-8":
        return file
    return cast(BinaryIO, _DecodedFile(file, encoding))


class _DecodedFile:
    """The reading half of a binary file in another encoding; `seek` knows only the start."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._file = file
        self._encoding = encoding
        self.seek(0)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to the start."""
        if offset or whence:
            raise ValueError("only the start can be found")
        self._file.seek(0)
        self._decoder = codecs.getincrementaldecoder(self._encoding)("replace")
        self._ready = b""
        self._over = False
        return 0

    def _fill(self) -> None:
        raw = self._file.read(_CHUNK)
        self._over = not raw
        self._ready += self._decoder.decode(raw, final=self._over).encode()

    def read(self, size: int = -1) -> bytes:
        """Read at most `size` bytes of UTF-8; all that is left where it is negative."""
        while not self._over and (size < 0 or len(self._ready) < size):
            self._fill()
        return self._take(len(self._ready) if size < 0 else size)

    def readline(self, size: int = -1) -> bytes:
        """Read a line, or at most `size` bytes of it."""
        searched = 0
        while (end := self._ready.find(b"\n", searched)) < 0:
            searched = len(self._ready)
            if self._over or 0 <= size <= searched:
                break
            self._fill()
        length = end + 1 if end >= 0 else len(self._ready)
        return self._take(length if size < 0 else min(length, size))

    def _take(self, length: int) -> bytes:
        taken, self._ready = self._ready[:length], self._ready[length:]
        return taken
