"""Measures what lies on the disk. Files are counted up to a limit, and not again for minutes."""

import datetime as dt
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from django.core.files.storage import FileSystemStorage, storages
from django.db import connection

from operations.administration.storage.queries import backup_folder
from operations.administration.storage.statements import LARGEST_TABLES, SIZE_OF_DATABASE
from wikipedia.models import Snapshot

MOST_FILES = 200_000  # a second or two
KEPT_SECONDS = 300
TABLES_SHOWN = 12
_KEY = "administration-storage"


@dataclass(frozen=True)
class StorageKind:
    """What one kind of data takes. bytes: None where it is not on this host's disk.

    whole: False if there are more files than were counted, so that it is at least so much.
    """

    label: str
    about: str
    bytes: int | None
    whole: bool = True


@dataclass(frozen=True)
class TableSize:
    """A table of the database. rows: as the planner estimates them."""

    name: str
    bytes: int
    indexes: int
    rows: int


@dataclass(frozen=True)
class StorageReport:
    """What this host's disk holds, measured at a moment. total and free: of the disk, in bytes."""

    at: dt.datetime
    kinds: Sequence[StorageKind]
    tables: Sequence[TableSize]
    total: int
    free: int

    @property
    def bytes(self) -> int:
        """What all kinds take together."""
        return sum(kind.bytes or 0 for kind in self.kinds)


def measure_folder(folder: Path) -> tuple[int, bool]:
    """Return the bytes of the files below a folder, and whether all of them were counted.

    A link counts for nothing: what it leads to lies elsewhere. What goes away meanwhile, too.
    """
    size = count = 0
    for file in _walk_files(folder):
        count += 1
        if count > MOST_FILES:
            return size, False
        try:
            size += file.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return size, True


def _walk_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    waiting = [str(folder)]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:  # not there, not ours to read, or gone
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry


def measure_storage(now: dt.datetime, *, again: bool = False) -> StorageReport:
    """Return what uses the disk, as it was measured within the last minutes, or anew."""
    known: StorageReport | None = None if again else cache.get(_KEY)
    if known is not None:
        return known
    with connection.cursor() as cursor:
        cursor.execute(SIZE_OF_DATABASE)
        [database] = cursor.fetchone()
        cursor.execute(LARGEST_TABLES, [TABLES_SHOWN])
        tables = [TableSize(*row) for row in cursor.fetchall()]
    disk = shutil.disk_usage(settings.AMBIT_DATA)
    kinds = [StorageKind("Database", "Everything that people write.", database), *_measure_files()]
    report = StorageReport(now, kinds, tables, disk.total, disk.free)
    cache.set(_KEY, report, KEPT_SECONDS)
    return report


def _measure_files() -> Iterator[StorageKind]:
    data = Path(settings.AMBIT_DATA)
    yield StorageKind(
        "Archives of Wikipedia", "Articles as files of snapshots.", _measure_archives()
    )
    index, whole = measure_folder(data / "index")
    yield StorageKind(
        "Search indexes and vectors", "Built from archives; can be built again.", index, whole
    )
    graphs, whole = measure_folder(data / "wikidata")
    if graphs:
        about = "Made from dumps; can be made again."
        yield StorageKind("Graphs of Wikidata", about, graphs, whole)
    storage = storages["default"]
    if isinstance(storage, FileSystemStorage):
        files, whole = measure_folder(Path(storage.location))
        yield StorageKind("Uploads", "Files that wait for their job, for a day.", files, whole)
    else:
        yield StorageKind("Uploads", "In a bucket, which is not measured here.", None)
    models, whole = measure_folder(data / "models")
    yield StorageKind(
        "Converted models", "Weights for the fast engine; can be converted again.", models, whole
    )
    backups, whole = measure_folder(backup_folder())
    if backups:
        about = "Made by the administration; delete those that lie elsewhere, too."
        yield StorageKind("Backups", about, backups, whole)
    mail, whole = measure_folder(data / "mail")
    if mail:
        yield StorageKind("E-mails", "Kept here because no mail server is set.", mail, whole)


def _measure_archives() -> int:
    size = 0
    for archive in set(Snapshot.objects.exclude(archive="").values_list("archive", flat=True)):
        try:
            size += Path(archive).stat().st_size
        except OSError:
            continue  # the section on Wikipedia says that it is not there
    return size
