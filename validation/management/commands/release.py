"""manage.py release PROJECT --format FORMAT --output FILE|-"""

import signal
import sys
import threading
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.models import Project, Split
from annotation.policies import Conflict
from annotation.services.exports.files import write_files
from validation.services.release import Release, every, start_release


class Command(BaseCommand):
    help = (
        "Release the accepted answers, in the official layout.\n\n"
        "  manage.py release crossings --format ambignq-light --split dev --output dev.json\n\n"
        "With dev.json come dev.json.manifest.json (counts, what is left out and why, SHA-256)\n"
        "and dev.json.card.md (a dataset card): all three or none. With - the data alone goes to\n"
        "standard output. The same rows give the same bytes. Exit status 2: bad input."
    )

    def create_parser(self, *args: Any, **kwargs: Any) -> Any:
        return super().create_parser(*args, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="short name of the project")
        parser.add_argument("--format", required=True, choices=list(every()))
        parser.add_argument("--split", choices=Split.values, help="default: all splits")
        parser.add_argument("--output", required=True, metavar="FILE", help="- writes to stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=2)
        target = None if options["output"] == "-" else Path(options["output"])
        if target and (not target.name or target.is_dir() or not target.parent.is_dir()):
            raise CommandError(
                f"{target} is a folder, or its folder does not exist. Name a file.", returncode=2
            )
        try:
            release = start_release(
                project=project,
                format=options["format"],
                split=options["split"],
                by=None,
                now=timezone.now(),
            )
        except Conflict as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        try:
            size = self._pour(release) if target is None else _write(release, target)
        except OSError as error:
            raise CommandError(
                f"{options['output']} could not be written: {error.strerror}. "
                "No part of it was kept."
            ) from None
        self._report(release, size, "standard output" if target is None else str(target))

    def _pour(self, release: Release) -> int:
        out = getattr(self.stdout._out, "buffer", None)
        size = 0
        for block in release.blocks():
            size += len(block)
            if out is None:  # a caller's own text stream
                self.stdout.write(block.decode(), ending="")
            else:
                out.write(block)
        self.stdout.flush()
        return size

    def _report(self, release: Release, size: int, where: str) -> None:
        counts = release.counts
        left_out = ", ".join(
            f"{number:,} {reason.replace('_', ' ')}" for reason, number in counts.left_out.items()
        )
        self.stderr.write(
            f"Wrote {where}: {counts.total:,} questions, {size:,} bytes. "
            f"Left out: {left_out or 'none'}."
        )


def _write(release: Release, target: Path) -> int:
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _leave)  # so that being stopped cleans up too
    return write_files(release, target)


def _leave(number: int, frame: object) -> NoReturn:
    sys.exit(128 + number)
