"""Write data and its companions as files, all of them or none; or as one ZIP."""

import os
import zipfile
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import BinaryIO

from annotation.exports.dataset import BLOCK, Content, Dataset

_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest time in a ZIP: the same rows give the same bytes


def write_files(dataset: Dataset, target: Path) -> int:
    """Write FILE and its companions (FILE.manifest.json); return the bytes of FILE.

    Everything is first written to temporary files next to the target. If anything fails, the
    earlier files are restored and nothing else is left. Raises OSError.
    """
    places = {target: _beside(target, "part")}
    try:
        size = 0
        with places[target].open("xb") as file, closing(dataset.blocks()) as blocks:
            for block in blocks:
                size += file.write(block)
            _sync(file)
        for ending, content in dataset.build_companions(target.name).items():
            path = target.with_name(f"{target.name}{ending}")
            places[path] = _beside(path, "part")
            with places[path].open("xb") as file:
                file.writelines(_blocks_of(content))
                _sync(file)
        _put(places)
    except BaseException:
        for part in places.values():
            part.unlink(missing_ok=True)
        raise
    finally:
        dataset.close()
    return size


def write_zip(dataset: Dataset, target: Path) -> int:
    """Write the data and its companions as one ZIP; return its size in bytes.

    If anything fails, an earlier file stays as it was. Raises OSError.
    """
    part = _beside(target, "part")
    try:
        size = 0
        with part.open("xb") as file, closing(zip_blocks(dataset)) as blocks:
            for block in blocks:
                size += file.write(block)
            _sync(file)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return size


def _blocks_of(content: Content) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    content.seek(0)
    while block := content.read(BLOCK):
        yield block


def _beside(path: Path, kind: str) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.{kind}")


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _put(places: Mapping[Path, Path]) -> None:
    """Move all files into place; if one cannot be moved, restore the earlier files."""
    old: dict[Path, Path] = {}
    done: list[Path] = []
    try:
        for path, part in places.items():
            if path.exists():
                backup = _beside(path, "old")
                path.replace(backup)
                old[path] = backup
            part.replace(path)
            done.append(path)
    except BaseException:
        for path in done:
            path.unlink(missing_ok=True)
        for path, backup in old.items():
            backup.replace(path)
        raise
    for backup in old.values():
        with suppress(OSError):  # the data is written; a leftover backup is not a failure
            backup.unlink()


def zip_blocks(dataset: Dataset) -> Generator[bytes]:
    """Yield the data and its companions as one ZIP, streamed."""
    sink = _Sink()
    name = dataset.file_name
    try:
        with zipfile.ZipFile(sink, "w") as archive:
            with closing(dataset.blocks()) as blocks:
                yield from _packed(archive, sink, name, blocks)
            for ending, content in dataset.build_companions(name).items():
                entry = dataset.zip_name(name, ending)
                yield from _packed(archive, sink, entry, _blocks_of(content))
        yield sink.take()
    finally:
        dataset.close()


def _packed(
    archive: zipfile.ZipFile, sink: "_Sink", name: str, blocks: Iterable[bytes]
) -> Iterator[bytes]:
    with archive.open(_info(name), "w", force_zip64=True) as entry:
        for block in blocks:
            entry.write(block)
            if packed := sink.take():
                yield packed


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=_TIME)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = 0o644 << 16
    return info


class _Sink:
    """A buffer that a ZIP is written into; `take` empties it."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Hold the bytes."""
        self._held.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: everything is in the buffer."""

    def close(self) -> None:
        """Do nothing: the buffer can still be taken."""

    def take(self) -> bytes:
        """Return the bytes written since the last call."""
        taken = b"".join(self._held)
        self._held.clear()
        return taken
