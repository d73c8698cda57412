"""Write a backup: a ZIP file of the database, the uploaded files and a manifest."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import IO, Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from operations.backup import postgres
from operations.backup.manifest import (
    DATABASE,
    FILES,
    MANIFEST,
    TABLES_WITHOUT_ROWS,
    Archive,
    BackupFile,
    Index,
    Manifest,
    key_fingerprints,
)
from wikipedia.archives.zim_header import NotAnArchive, header_of
from wikipedia.models import Snapshot

_BLOCK = 1024 * 1024


class _WatchedFile(io.FileIO):
    """A file of which `told` learns how many bytes have been written to it."""

    def __init__(self, descriptor: int, told: Callable[[int], object]) -> None:
        super().__init__(descriptor, "wb")
        self.told, self.length = told, 0

    def write(self, block: Any, /) -> int:
        count = super().write(block)
        self.length += count
        self.told(self.length)
        return count


@dataclass
class _ChecksummedFile:
    """A file that is written to, with the sum and the length of what was written."""

    file: IO[bytes]
    length: int = 0

    def __post_init__(self) -> None:
        self.sum = hashlib.sha256()

    def write(self, block: bytes) -> int:
        self.sum.update(block)
        self.length += len(block)
        return self.file.write(block)


def make_backup(
    target: Path, *, now: dt.datetime, told: Callable[[int], object] = lambda length: None
) -> Manifest:
    """Write a backup of this installation to `target`, which must not be there yet.

    People can go on working. Either all of the file appears or none of it. `told` learns how many
    bytes are written, and may raise to end it. Raises FileExistsError, OSError and
    `postgres.ProgramFailed`.
    """
    if target.exists():
        raise FileExistsError(target)
    # Under a name of its own, so that no one can have made or linked it before, and so that two
    # backups at once do not write into one file. Its mode is 0600: it holds everything that people
    # wrote, and their addresses.
    descriptor, name = mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    unfinished = Path(name)
    try:
        with io.BufferedWriter(_WatchedFile(descriptor, told)) as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bundle:
                manifest = _fill(bundle, now)
            file.flush()
            os.fsync(file.fileno())
        _give_name(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
    return manifest


def _give_name(unfinished: Path, target: Path) -> None:
    try:
        os.link(unfinished, target)  # unlike a rename, it never replaces a file
    except FileExistsError:
        raise
    except OSError:  # a disk without such links, as many for backups are
        if target.exists():
            raise FileExistsError(target) from None
        unfinished.rename(target)


def _fill(bundle: zipfile.ZipFile, now: dt.datetime) -> Manifest:
    parts: dict[str, BackupFile] = {}
    # A row may name a file that is deleted, or made, while the database is written: files are
    # looked for before and after it. One name always has the same content.
    _add_files(bundle, parts)
    with _part(bundle, parts, DATABASE, zipfile.ZIP_STORED) as target:
        postgres.dump_database(target, without_rows=TABLES_WITHOUT_ROWS)
    _add_files(bundle, parts)
    manifest = Manifest(
        ambit=settings.VERSION,
        made_at=now.isoformat(timespec="seconds"),
        postgresql=str(connection.cursor().connection.server_version),
        migrations=tuple(sorted(f"{app}.{name}" for app, name in list_applied_migrations())),
        keys=key_fingerprints(),
        parts=parts,
        archives=tuple(list_archives()),
        indexes=tuple(list_indexes()),
    )
    bundle.writestr(MANIFEST, manifest.as_json())
    return manifest


def list_applied_migrations() -> list[tuple[str, str]]:
    """Return app and name of the migrations of the database."""
    return list(MigrationRecorder(connection).applied_migrations())


def _add_files(bundle: zipfile.ZipFile, parts: dict[str, BackupFile]) -> None:
    for name in stored_files():
        if FILES + name in parts:
            continue
        try:
            source = default_storage.open(name)
        except FileNotFoundError:
            continue  # its job ended at this moment
        with source, _part(bundle, parts, FILES + name, zipfile.ZIP_DEFLATED) as target:
            while block := source.read(_BLOCK):
                target.write(block)


def stored_files(folder: str = "") -> Iterator[str]:
    """Yield the names of all files in the storage, in order."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for file in sorted(files):
        yield f"{folder}{file}"
    for inner in sorted(folders):
        yield from stored_files(f"{folder}{inner}/")


@contextmanager
def _part(
    bundle: zipfile.ZipFile, parts: dict[str, BackupFile], name: str, method: int
) -> Iterator[Any]:
    entry = zipfile.ZipInfo(name)
    entry.compress_type = method
    entry.external_attr = 0o600 << 16
    with bundle.open(entry, "w", force_zip64=True) as file:
        summed = _ChecksummedFile(file)
        yield summed
    parts[name] = BackupFile(summed.length, summed.sum.hexdigest())


def list_archives() -> Iterator[Archive]:
    """Yield the archives of the snapshots as they are on this host."""
    for snapshot in Snapshot.objects.filter(kind=Snapshot.Kind.ZIM).order_by("name"):
        path = Path(snapshot.archive)
        try:
            header = header_of(path)
        except (OSError, NotAnArchive):
            yield Archive(snapshot.name, snapshot.archive, None, None, None)
        else:
            yield Archive(
                snapshot.name, snapshot.archive, header.bytes, header.uuid, header.checksum
            )


def list_indexes() -> Iterator[Index]:
    """Yield the search indexes on this host that can be used."""
    from wikipedia.search.index import read_info  # loads the search engine

    folder = Path(settings.AMBIT_DATA) / "index"
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if info := read_info(path):
            yield Index(path.name, info.kind, info.fingerprint)
