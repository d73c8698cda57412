"""The header of a ZIM file, read without the library: which archive it is.

Source: https://wiki.openzim.org/wiki/ZIM_file_format
"""

from __future__ import annotations

import struct
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_HEADER: Final = struct.Struct("<IHH16sII4QIIQ")
_MAGIC: Final = 72173914
_MD5_BYTES: Final = 16


class NotAnArchive(Exception):
    """The file has no header of a ZIM archive, or ends before its checksum."""


@dataclass(frozen=True)
class Header:
    """`checksum` is the MD5 of all before it, in hex, which the archive's maker wrote into it."""

    bytes: int
    uuid: str
    checksum: str


def header_of(path: Path) -> Header:
    """Return the facts by which an archive is known. Nothing is computed: it takes no time.

    Raises NotAnArchive and OSError.
    """
    with path.open("rb") as file:
        head = file.read(_HEADER.size)
        if len(head) < _HEADER.size:
            raise NotAnArchive(path)
        magic, _, _, identity, *_, checksum_at = _HEADER.unpack(head)
        if magic != _MAGIC:
            raise NotAnArchive(path)
        size = file.seek(0, 2)
        if not _HEADER.size <= checksum_at <= size - _MD5_BYTES:
            raise NotAnArchive(path)
        file.seek(checksum_at)
        return Header(size, str(uuid.UUID(bytes=identity)), file.read(_MD5_BYTES).hex())
