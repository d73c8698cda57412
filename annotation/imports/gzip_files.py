"""Files of records that are packed with gzip, as large data sets are released."""

import gzip
import os
import zlib
from typing import Any, BinaryIO, cast

from annotation.imports.records import WrongFormat

_MAGIC = b"\x1f\x8b"
# Records shrink to a tenth, and never to a hundredth; made-up ones, up to a thousandth.
MOST_TIMES = 100
ALWAYS_READ = 50_000_000  # bytes, however small they were packed


def unpack_file(file: BinaryIO) -> BinaryIO:
    """Return the file, or what is in it if it is packed; both are at their start.

    Reading what is in it raises WrongFormat where it is damaged or cut off, and where it grows to
    more than a hundred times its size and 50 MB.
    """
    file.seek(0)
    packed = file.read(len(_MAGIC)) == _MAGIC
    file.seek(0)
    return cast(BinaryIO, _UnpackedFile(file)) if packed else file


class _UnpackedFile(gzip.GzipFile):
    def __init__(self, file: BinaryIO) -> None:
        super().__init__(fileobj=file, mode="rb")
        self.most = max(ALWAYS_READ, MOST_TIMES * file.seek(0, os.SEEK_END))
        file.seek(0)

    def read(self, size: int | None = -1) -> bytes:
        return self._bounded(_sound(super().read, size))

    def readline(self, size: int | None = -1) -> bytes:
        return self._bounded(_sound(super().readline, -1 if size is None else size))

    def _bounded(self, data: Any) -> bytes:
        if self.tell() > self.most:
            raise WrongFormat(
                f"The gzip file grows to more than {MOST_TIMES} times its size, as no file of "
                "records does. Unpack it and look what is in it."
            )
        return bytes(data)


def _sound(read: Any, size: int | None) -> Any:
    try:
        return read(size)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise WrongFormat(
            f"The gzip file is damaged or cut off ({error}). Download it again."
        ) from None
