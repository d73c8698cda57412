"""Put a backup back: check all of it first, then the database in one step, then the files."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage, storages
from django.core.management import call_command
from django.db import Error, connection, transaction
from django.utils import timezone

from accounts.models import User
from annotation.uploads.storage import StorageDown
from config.versions import STEPPING_STONE, list_some, missing_migrations, unknown_migrations
from operations.backup import manifest as manifests
from operations.backup import postgres
from operations.backup.after_restore import end_backup_jobs, list_to_do
from operations.backup.manifest import DATABASE, FILES, MANIFEST, BackupFile, BadBackup, Manifest

_BLOCK = 1024 * 1024
# Where the tables that are replaced wait until those of the backup are complete.
ASIDE = "ambit_before_restore"


class RestoreRefused(Exception):
    """The backup is fine and must not be restored here and now. The message is a sentence."""


@dataclass(frozen=True)
class RestoreResult:
    """What a restore did, with a sentence for each thing that is still to be done."""

    manifest: Manifest
    files: int
    to_do: tuple[str, ...]


def read_backup(bundle: zipfile.ZipFile) -> Manifest:
    """Return the manifest, after comparing every part with its checksum. Raises BadBackup."""
    try:
        with bundle.open(MANIFEST) as file:  # which may unpack to any length
            manifest = manifests.parse_manifest(file.read(manifests.MOST_BYTES + 1))
    except KeyError:
        raise BadBackup("It is not a backup of Ambit: it has no manifest.") from None
    names = [name for name in bundle.namelist() if name != MANIFEST]
    if len(names) != len(set(names)) or set(names) != set(manifest.parts):
        raise BadBackup("It is damaged: it has other files than its manifest names.")
    for name, part in manifest.parts.items():
        if name != DATABASE:
            _check_name(name)
        if _summed(bundle, name) != part:
            raise BadBackup(f"It is damaged: {name} is not what its manifest says.")
    return manifest


def _check_name(name: str) -> None:
    path = PurePosixPath(name)
    plain = name.startswith(FILES) and str(path) == name and "\\" not in name and "\0" not in name
    if not plain or ".." in path.parts or len(path.parts) < 2:
        raise BadBackup(f"It is damaged: {name!r} is not the name of a file that Ambit keeps.")


def _summed(bundle: zipfile.ZipFile, name: str) -> BackupFile:
    digest, length = hashlib.sha256(), 0
    try:
        with bundle.open(name) as file:
            while block := file.read(_BLOCK):
                digest.update(block)
                length += len(block)
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise BadBackup(f"It is damaged: {name} cannot be read ({error}).") from None
    return BackupFile(length, digest.hexdigest())


def check_can_restore(manifest: Manifest, *, replace: bool, other_keys: bool) -> None:
    """Raise Refused where restoring would lose something that nobody asked to lose."""
    _check_migrations(manifest)
    ours = manifests.key_fingerprints()
    if manifest.keys.get("PSEUDONYM_KEY") != ours["PSEUDONYM_KEY"] and not other_keys:
        raise RestoreRefused(
            "PSEUDONYM_KEY is not the one of the installation that was backed up, so everyone "
            "would have another pseudonym in exports. Set it to that key (where it was not set, "
            "to its SECRET_KEY), or restore with --other-keys."
        )
    people = _people()
    if people and not replace:
        raise RestoreRefused(
            f"The database {connection.settings_dict['NAME']} is in use: it holds {people:,} "
            f"{'person' if people == 1 else 'people'}. Restore into an empty one, or replace "
            "everything in it with --replace."
        )
    if others := _connections():
        raise RestoreRefused(
            f"{others} other {'connection' if others == 1 else 'connections'} to the database "
            "would go on writing into it. Stop web servers, workers and the pooler first."
        )


def _check_storage() -> None:
    try:
        storages["default"].check_storage()  # type: ignore[attr-defined]
    except StorageDown as problem:
        raise RestoreRefused(
            f"The storage of uploaded files cannot be used ({problem}). Look at STORAGE_URL, or "
            "at the folder. Nothing was changed."
        ) from None


def _check_migrations(manifest: Manifest) -> None:
    if unknown := unknown_migrations(manifest.migrations):
        raise RestoreRefused(
            f"The backup was made by Ambit {manifest.ambit}, and this is {settings.VERSION}, which "
            f"does not know {unknown[0]}. Install that version or a newer one."
        )
    if missing := missing_migrations(manifest.migrations):
        raise RestoreRefused(
            f"The backup is too old for this version of Ambit: it lacks {list_some(missing)}. "
            f"Restore it with commit {STEPPING_STONE} into a database of its own, back that up, "
            "and restore that backup here."
        )


def _people() -> int:
    if User._meta.db_table not in connection.introspection.table_names():
        return 0
    with connection.cursor() as cursor:  # the table may be of another version
        cursor.execute("SELECT count(*) FROM accounts_user")
        return int(cursor.fetchone()[0])


def _connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        return int(cursor.fetchone()[0])


def restore_backup(
    source: Path, *, replace: bool, other_keys: bool, say: Callable[[str], None]
) -> RestoreResult:
    """Restore a backup. Until the database of the backup is complete, the old one stays.

    Raises BadBackup, Refused, `postgres.ProgramFailed`, OSError, and StorageDown where the
    database is restored and not all files are.
    """
    try:
        with zipfile.ZipFile(source) as bundle:
            say("Checking the backup")
            manifest = read_backup(bundle)
            check_can_restore(manifest, replace=replace, other_keys=other_keys)
            if len(manifest.parts) > 1:
                _check_storage()
            say("Restoring the database")
            with _unpacked(bundle, source.parent) as dump_file, _old_tables_aside():
                postgres.load_dump(dump_file)
            call_command("migrate", verbosity=0, interactive=False)
            end_backup_jobs(timezone.now())
            say("Restoring the files")
            files = _restore_files(bundle, manifest)
    except zipfile.BadZipFile:
        raise BadBackup("It is not a backup of Ambit, or it is damaged.") from None
    return RestoreResult(manifest, files, tuple(list_to_do(manifest, now=timezone.now())))


@contextmanager
def _unpacked(bundle: zipfile.ZipFile, folder: Path) -> Iterator[Path]:
    """Give the dump as a file of its own, next to the backup if one may write there."""
    place = folder if os.access(folder, os.W_OK) else None
    with NamedTemporaryFile(dir=place, prefix=".ambit-restore-") as copy:
        with bundle.open(DATABASE) as dump_file:
            while block := dump_file.read(_BLOCK):
                copy.write(block)
        copy.flush()
        yield Path(copy.name)


@contextmanager
def _old_tables_aside() -> Iterator[None]:
    """Keep the tables that are there until those of the backup are complete, and no longer.

    One that was killed in between left them aside: they are put back first.
    """
    try:
        _swap()
    except Error as error:
        raise RestoreRefused(
            f"The tables that are there cannot be put aside: {str(error).strip()}. The person in "
            "DATABASE_URL must own the database."
        ) from None
    try:
        yield
    except BaseException:
        with suppress(Error):  # then the next restore puts them back
            _put_back()
        raise
    with connection.cursor() as cursor:
        cursor.execute(f"DROP SCHEMA {ASIDE} CASCADE")


def _swap() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT to_regnamespace(%s) IS NOT NULL", [ASIDE])
        if cursor.fetchone()[0]:
            _put_back()
        cursor.execute(f"ALTER SCHEMA public RENAME TO {ASIDE}")
        cursor.execute("CREATE SCHEMA public")
        cursor.execute("GRANT USAGE ON SCHEMA public TO PUBLIC")  # as PostgreSQL makes it


def _put_back() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE")
        cursor.execute(f"ALTER SCHEMA {ASIDE} RENAME TO public")


def _restore_files(bundle: zipfile.ZipFile, manifest: Manifest) -> int:
    names = [name for name in manifest.parts if name != DATABASE]
    for part in names:
        name = part.removeprefix(FILES)
        if default_storage.exists(name):
            default_storage.delete(name)
        with bundle.open(part) as file:
            default_storage.save(name, File(file, name=name))
    return len(names)
