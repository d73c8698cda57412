"""Notes on backups that were made on this host, which the administration shows.

They are a file in AMBIT_DATA rather than rows: a backup that is restored must bring back what was
there, and no row more.
"""

import datetime as dt
import json
import logging
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from config import embedded
from operations.backup.manifest import MANIFEST, MOST_BYTES, BadBackup, Manifest, parse_manifest

logger = logging.getLogger(__name__)

KEPT = 14


@dataclass(frozen=True)
class BackupNote:
    """A backup that was made. manifest: None where its file is gone or cannot be read.

    problem: why it is not there or cannot be used; "" if it looks complete.
    """

    at: dt.datetime
    file: str
    bytes: int
    files: int
    seconds: float
    manifest: Manifest | None
    problem: str


def _notes() -> Path:
    return Path(settings.AMBIT_DATA) / "backups.json"


def note_backup(*, file: Path, manifest: Manifest, now: dt.datetime, seconds: float) -> None:
    """Write down that a backup was made. That it cannot be written down undoes nothing."""
    note = {
        "at": now.isoformat(timespec="seconds"),
        "file": str(file.resolve()),
        "bytes": file.stat().st_size,
        "files": len(manifest.parts) - 1,
        "seconds": round(seconds, 1),
    }
    unfinished = _notes().with_suffix(".part")
    try:
        with embedded.writing_privately():
            unfinished.write_text(json.dumps([note, *_read_notes()][:KEPT], indent=1))
        unfinished.replace(_notes())
    except OSError as error:
        logger.warning("The backup is made, and no note of it could be written: %s", error)


def _read_notes() -> list[dict[str, Any]]:
    try:
        notes = json.loads(_notes().read_text())
    except (OSError, ValueError):
        return []
    return notes if isinstance(notes, list) else []


def list_backups() -> list[BackupNote]:
    """Return the newest backups, the last one first, as their files are now."""
    backups = []
    for note in _read_notes():
        try:
            at = dt.datetime.fromisoformat(note["at"])
            file, size = str(note["file"]), int(note["bytes"])
            counts = (int(note["files"]), float(note["seconds"]))
        except (KeyError, TypeError, ValueError):
            continue  # somebody has edited it
        manifest, problem = _read_manifest(Path(file), size)
        backups.append(BackupNote(at, file, size, *counts, manifest, problem))
    return backups


def _read_manifest(file: Path, size: int) -> tuple[Manifest | None, str]:
    """Return the manifest of a backup's file, or why there is none. Its parts are not compared."""
    try:
        if file.stat().st_size != size:
            return None, "the file has another size than when it was made"
        with zipfile.ZipFile(file) as bundle, bundle.open(MANIFEST) as part:
            return parse_manifest(part.read(MOST_BYTES + 1)), ""
    except FileNotFoundError:
        return None, "the file is not here any more"
    except PermissionError:
        return None, "the web server may not read the file"
    except (OSError, KeyError, zipfile.BadZipFile, BadBackup, RuntimeError, NotImplementedError):
        return None, "the file cannot be read as a backup"
