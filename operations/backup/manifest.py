"""What a backup says of itself: versions, fingerprints of keys, its parts, what is not in it."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.conf import settings

FORMAT: Final = 1
MOST_BYTES: Final = 16 * 1024 * 1024  # 100,000 files have one half as long
MANIFEST: Final = "manifest.json"
DATABASE: Final = "database.dump"
FILES: Final = "files/"
# Sessions are left out so that none that was ended comes back to life; the cache can be lost.
TABLES_WITHOUT_ROWS: Final = ("accounts_session", "cache")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class BadBackup(Exception):
    """The file is not a backup that can be restored here. The message is a sentence."""


@dataclass(frozen=True)
class BackupFile:
    """One file in the backup."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Archive:
    """An archive of Wikipedia that is not in the backup.

    `checksum` is the one that its maker wrote into it; None if the file could not be read.
    """

    snapshot: str
    path: str
    bytes: int | None
    uuid: str | None
    checksum: str | None


@dataclass(frozen=True)
class Index:
    """A search index that is not in the backup and can be built again."""

    name: str
    kind: str
    fingerprint: str


@dataclass(frozen=True)
class Manifest:
    """The content of `manifest.json`. `migrations` has “app.name” of each that was applied."""

    ambit: str
    made_at: str
    postgresql: str
    migrations: tuple[str, ...]
    keys: dict[str, str]
    parts: dict[str, BackupFile]
    archives: tuple[Archive, ...]
    indexes: tuple[Index, ...]
    format: int = FORMAT

    def as_json(self) -> str:
        return json.dumps(asdict(self), indent=1, ensure_ascii=False)


def parse_manifest(text: bytes) -> Manifest:
    """Return the manifest. Raises BadBackup for anything that `as_json` did not write."""
    if len(text) > MOST_BYTES:
        raise BadBackup(f"It is damaged: its manifest is longer than {MOST_BYTES:,} bytes.")
    try:
        data = json.loads(text)
        number = data["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadBackup("It is not a backup of Ambit: its manifest cannot be read.") from None
    if number != FORMAT:
        raise BadBackup(
            f"It was made by another version of Ambit (format {number!r}, not {FORMAT}). "
            "Restore it with that version, then upgrade."
        )
    try:
        return _from(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadBackup(f"It is damaged: its manifest lacks something ({error}).") from None


def _from(data: dict[str, Any]) -> Manifest:
    parts = {str(name): BackupFile(**part) for name, part in data["parts"].items()}
    for name, part in parts.items():
        if not _SHA256.fullmatch(part.sha256) or not isinstance(part.bytes, int):
            raise ValueError(f"no checksum of {name}")
    if DATABASE not in parts:
        raise ValueError("no database")
    return Manifest(
        ambit=str(data["ambit"]),
        made_at=str(data["made_at"]),
        postgresql=str(data["postgresql"]),
        migrations=tuple(map(str, data["migrations"])),
        keys={str(name): str(value) for name, value in data["keys"].items()},
        parts=parts,
        archives=tuple(Archive(**archive) for archive in data["archives"]),
        indexes=tuple(Index(**index) for index in data["indexes"]),
    )


def key_fingerprints() -> dict[str, str]:
    """Return a fingerprint of each key, which tells whether a key is the same and not what it is.

    The keys themselves are not in a backup: who has both can make links that Ambit trusts.
    """
    return {
        name: hmac.new(getattr(settings, name).encode(), name.encode(), hashlib.sha256).hexdigest()[
            :16
        ]
        for name in ("SECRET_KEY", "PSEUDONYM_KEY")
    }
