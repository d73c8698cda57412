"""manage.py export PROJECT --format FORMAT --output FILE|-"""

import signal
import sys
import threading
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.forms.data import ExportForm
from annotation.models import Project, Question, Split
from annotation.policies import Conflict
from annotation.services.exports import Export, every, start_export
from annotation.services.exports.files import write_files


class Command(BaseCommand):
    help = (
        "Export what was submitted, or the part of it that you choose.\n\n"
        "  manage.py export crossings --format annotations --split dev --output dev.jsonl\n\n"
        "ambignq-light and ambignq (of AmbigQA projects) are JSON arrays with a record per\n"
        "question; pages-read is CSV with a line per submission; all others are one JSON object\n"
        "per line. FILE.manifest.json is written next to FILE: both appear or neither does. "
        "With -\n"
        "the data alone is written to standard output. Exit status 2: bad input."
    )

    def create_parser(self, *args: Any, **kwargs: Any) -> Any:
        return super().create_parser(*args, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="short name of the project")
        parser.add_argument("--format", required=True, choices=list(every()))
        parser.add_argument("--split", choices=Split.values, help="default: all splits")
        parser.add_argument("--state", choices=Question.State.values, help="of the question")
        parser.add_argument("--person", help="a pseudonym, as exports have it")
        parser.add_argument("--since", metavar="DAY", help="first day of submission, in UTC")
        parser.add_argument("--until", metavar="DAY", help="last day of submission, in UTC")
        parser.add_argument("--output", required=True, metavar="FILE", help="- writes to stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.select_related("snapshot").filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=2)
        target = None if options["output"] == "-" else Path(options["output"])
        if target and (not target.name or target.is_dir() or not target.parent.is_dir()):
            raise CommandError(
                f"{target} is a folder, or its folder does not exist. Name a file.", returncode=2
            )
        export = _start(project, options)
        try:
            if target is None:
                self._pour(export.blocks())
            else:
                size = _write(export, target)
                self.stderr.write(f"Wrote {target}: {export.records:,} records, {size:,} bytes.")
        except OSError as error:
            raise CommandError(
                f"{options['output']} could not be written: {error.strerror}. "
                "No part of it was kept."
            ) from None

    def _pour(self, blocks: Iterator[bytes]) -> None:
        out = getattr(self.stdout._out, "buffer", None)
        for block in blocks:
            if out is None:  # a caller's own text stream
                self.stdout.write(block.decode(), ending="")
            else:
                out.write(block)
        self.stdout.flush()


def _start(project: Project, options: dict[str, Any]) -> Export:
    form = ExportForm(options, project=project)
    if not form.is_valid():
        sentences = [
            f"--{name}: {sentence}" for name, found in form.errors.items() for sentence in found
        ]
        raise CommandError("\n".join(sentences), returncode=2)
    try:
        return start_export(
            project=project,
            format=options["format"],
            chosen=form.selection,
            by=None,
            now=timezone.now(),
        )
    except Conflict as refusal:
        raise CommandError(str(refusal), returncode=2) from None


def _write(export: Export, target: Path) -> int:
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _leave)  # so that being stopped cleans up too
    return write_files(export, target)


def _leave(number: int, frame: object) -> NoReturn:
    sys.exit(128 + number)
