"""manage.py backup FILE"""

import json
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from annotation.management import base
from annotation.uploads.storage import StorageDown
from operations.backup.making import make_backup
from operations.backup.manifest import Manifest
from operations.backup.notes import note_backup
from operations.backup.postgres import ProgramFailed


class Command(base.Command):
    help = (
        "Write everything people made into one file: the database and uploaded files.\n\n"
        "  manage.py backup /var/backups/ambit/ambit-2026-11-22.zip\n\n"
        "People can go on working meanwhile. Not in it: the keys, archives of Wikipedia, search\n"
        "indexes and weights of models. Exit status 2: bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="where to write it; it must not be there yet")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        target: Path = options["file"]
        if not target.parent.is_dir():
            raise CommandError(f"There is no folder {target.parent}.", returncode=2)
        base.clean_up_when_told_to_end()
        now, started = timezone.now(), time.monotonic()
        try:
            manifest = make_backup(target, now=now)
        except FileExistsError:
            raise CommandError(
                f"{target} is there already. Choose another name.", returncode=2
            ) from None
        except ProgramFailed as problem:
            raise CommandError(f"{problem} Nothing was written.") from None
        except StorageDown as problem:
            raise CommandError(
                f"The storage of uploaded files cannot be used ({problem}), and a backup without "
                "them would be none. No part of it was kept."
            ) from None
        except OSError as error:
            raise CommandError(
                f"{target} could not be written: {error.strerror or error}. No part of it was kept."
            ) from None
        note_backup(file=target, manifest=manifest, now=now, seconds=time.monotonic() - started)
        self._report(target, manifest, in_json=options["json"])

    def _report(self, target: Path, manifest: Manifest, *, in_json: bool) -> None:
        size, files = target.stat().st_size, len(manifest.parts) - 1
        if in_json:
            report = {
                "file": str(target),
                "bytes": size,
                "files": files,
                "archives": [archive.snapshot for archive in manifest.archives],
                "indexes": [index.name for index in manifest.indexes],
            }
            self.stdout.write(json.dumps(report))
            return
        uploads = "1 uploaded file" if files == 1 else f"{files:,} uploaded files"
        self.stdout.write(f"Wrote {target}: the database and {uploads}, {size:,} bytes.")
        self.stdout.write("Keep SECRET_KEY and PSEUDONYM_KEY in another place: they are not in it.")
