"""Packed files as pieces of text: also what comes before the place where a file was cut short."""

from __future__ import annotations

import bz2
from collections.abc import Callable, Iterator
from typing import IO, Final, Protocol, cast

from isal import igzip_lib

CHUNK_BYTES: Final = 1 << 20
# gzip that was changed on its way; bz2 raises an OSError without a number.
Damaged = cast(type[Exception], igzip_lib.IsalError)


class _Unpacker(Protocol):
    """What bz2 and igzip_lib have in common."""

    eof: bool
    needs_input: bool
    unused_data: bytes

    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


def unpack_file(raw: IO[bytes]) -> Iterator[bytes]:
    """Give the text of a file in pieces. Raises EOFError if it is packed and cut short."""
    head = raw.read(3)
    raw.seek(0)
    if head == b"BZh":
        yield from _unpack(raw, lambda: cast(_Unpacker, bz2.BZ2Decompressor()))
    elif head[:2] == b"\x1f\x8b":
        yield from _unpack(raw, lambda: igzip_lib.IgzipDecompressor(igzip_lib.DECOMP_GZIP))
    else:
        while data := raw.read(CHUNK_BYTES):
            yield data


def _unpack(raw: IO[bytes], begin: Callable[[], _Unpacker]) -> Iterator[bytes]:
    """Unpack streams one after the other; a piece is at most as large as a chunk."""
    packed = raw.read(CHUNK_BYTES)
    while packed:
        unpacker = begin()
        while not unpacker.eof:
            if unpacker.needs_input and not packed:
                packed = raw.read(CHUNK_BYTES)
                if not packed:
                    raise EOFError
            data = unpacker.decompress(packed, CHUNK_BYTES)
            packed = b""
            if data:
                yield data
        packed = (unpacker.unused_data or raw.read(CHUNK_BYTES)).lstrip(b"\0")
