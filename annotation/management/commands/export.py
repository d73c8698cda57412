"""manage.py export PROJECT --format FORMAT --output FILE|-"""

import os
import signal
import sys
import threading
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.models import Project, Split
from annotation.policies import Conflict
from annotation.services.exports import FORMATS, start_export


class Command(BaseCommand):
    help = (
        "Export everything that was submitted.\n\n"
        "  manage.py export crossings --format ambignq-light --split dev --output dev.json\n\n"
        "ambignq-light and ambignq (of AmbigQA projects) are JSON arrays with a record per\n"
        "question; annotations is one JSON object per line per submission, annotations-light the\n"
        "same without events; pages-read is CSV with a line per submission. The file appears\n"
        "whole or not at all."
    )

    def create_parser(self, *args: Any, **kwargs: Any) -> Any:
        return super().create_parser(*args, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="short name of the project")
        parser.add_argument("--format", required=True, choices=list(FORMATS))
        parser.add_argument("--split", choices=Split.values, help="default: all splits")
        parser.add_argument("--output", required=True, metavar="FILE", help="- writes to stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.select_related("snapshot").filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=2)
        target = None if options["output"] == "-" else Path(options["output"])
        if target and (target.is_dir() or not target.parent.is_dir()):
            raise CommandError(
                f"{target} is a folder, or its folder does not exist. Name a file.", returncode=2
            )
        try:
            export = start_export(
                project=project,
                format=options["format"],
                split=options["split"],
                by=None,
                now=timezone.now(),
            )
        except Conflict as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        try:
            if target is None:
                self._pour(export.blocks)
            else:
                size = _write_whole(export.blocks, target)
                self.stderr.write(f"Wrote {target}: {size:,} bytes.")
        except OSError as error:
            raise CommandError(
                f"{options['output']} could not be written: {error.strerror}. "
                "Nothing is left of it."
            ) from None

    def _pour(self, blocks: Iterator[bytes]) -> None:
        out = getattr(self.stdout._out, "buffer", None)
        for block in blocks:
            if out is None:  # a caller's own text stream
                self.stdout.write(block.decode(), ending="")
            else:
                out.write(block)
        self.stdout.flush()


def _write_whole(blocks: Iterator[bytes], target: Path) -> int:
    """Write beside the target and rename at the end, so that no half file is ever seen."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _leave)  # so that being stopped cleans up too
    size = 0
    try:
        with part.open("xb") as file:
            for block in blocks:
                size += file.write(block)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return size


def _leave(number: int, frame: object) -> NoReturn:
    sys.exit(128 + number)
