"""manage.py restore FILE"""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.management import base
from annotation.uploads.storage import StorageDown
from operations.backup.manifest import BadBackup
from operations.backup.postgres import ProgramFailed
from operations.backup.restoring import RestoreRefused, restore_backup


class Command(base.Command):
    help = (
        "Put back what `manage.py backup` wrote, into an empty database.\n\n"
        "  manage.py restore /var/backups/ambit/ambit-2026-11-22.zip\n\n"
        "Stop web servers and workers first. The file is checked before anything is changed, and\n"
        "a backup of an older version is brought up to this one. Exit status 2: bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the backup")
        parser.add_argument(
            "--replace", action="store_true", help="replace everything that is in the database"
        )
        parser.add_argument(
            "--other-keys",
            action="store_true",
            help="accept that everyone has another pseudonym in exports from now on",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        source: Path = options["file"]
        base.clean_up_when_told_to_end()
        try:
            restored = restore_backup(
                source,
                replace=options["replace"],
                other_keys=options["other_keys"],
                say=self.stderr.write,
            )
        except BadBackup as problem:
            raise CommandError(f"{source} was not restored. {problem}", returncode=2) from None
        except RestoreRefused as problem:
            raise CommandError(f"{source} was not restored. {problem}", returncode=2) from None
        except ProgramFailed as problem:
            raise CommandError(
                f"{source} was not restored. {problem} The database is as it was before."
            ) from None
        except StorageDown as problem:
            raise CommandError(
                "The database is restored, and not all uploaded files are: their storage cannot "
                f"be used ({problem}). Restore again, with --replace, once it can."
            ) from None
        except OSError as error:
            what = "cannot be read" if not source.is_file() else "was not restored"
            raise CommandError(
                f"{source} {what}: {error.strerror or error}. Nothing was changed.",
                returncode=2 if not source.is_file() else 1,
            ) from None
        if options["json"]:
            report = {
                "made_at": restored.manifest.made_at,
                "files": restored.files,
                "to_do": restored.to_do,
            }
            self.stdout.write(json.dumps(report, ensure_ascii=False))
            return
        for sentence in restored.to_do:
            self.stdout.write(f"To do: {sentence}")
        self.stdout.write(f"Restored the backup of {restored.manifest.made_at}.")
