"""manage.py import_questions PROJECT FILE --format nq-open|ambignq|asqa|jsonl --split dev"""

import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, BinaryIO

import orjson
from django.core.management.base import CommandError
from django.utils import timezone

from annotation.contexts.searches import count_unsearched
from annotation.core.models.projects import Project
from annotation.core.models.questions import Split
from annotation.core.refusals import Conflict
from annotation.imports import formats
from annotation.imports.adapters import adapter_of, check_format, left_out_in_words, sources_of
from annotation.imports.formats import WrongFormat
from annotation.imports.services import BrokenFile, import_questions, record_import
from annotation.imports.sorting import ImportCounts
from annotation.management.base import ProjectCommand
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from wikipedia.management.progress import ProgressBar

SHOWN = 20


def _check(project: Project, options: dict[str, Any]) -> None:
    """Refuse a format that does not fit the project before the file is opened."""
    try:
        check_format(project, options["format"], finished=options["finished"])
    except Conflict as refusal:
        raise CommandError(str(refusal), returncode=2) from None


class Command(ProjectCommand):
    help = (
        "Import a file of questions. Importing it again changes nothing.\n\n"
        "  manage.py import_questions crossings NQ-open.dev.jsonl --format nq-open --split dev\n\n"
        "With --finished the annotations of an AmbigNQ or ASQA file are imported as accepted "
        "work:\n"
        "no one is asked to answer its questions, and `release` gives the file back.\n\n"
        "An AmbigNQ file in an ASQA project brings the questions that an annotator called "
        "ambiguous,\n"
        "with at most six disambiguations; `left_out` counts the others, by reason. Straight from\n"
        "an AmbigQA project of this installation:\n\n"
        "  manage.py import_questions long --from-project crossings --split dev\n\n"
        "Lines that cannot be taken are named with their number and the reason; all others are\n"
        "imported, or none with --strict. --json prints created, updated, unchanged, rejected and\n"
        "errors (the first 1,000; line 0 is the file as a whole). Exit status 2: bad input,\n"
        "nothing was imported."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", nargs="?", help="path of the file")
        parser.add_argument("--format", choices=list(formats.FORMATS))
        parser.add_argument(
            "--from-project",
            metavar="SLUG",
            help="instead of a file: what is accepted in an AmbigQA project, in split --split",
        )
        parser.add_argument(
            "--split",
            choices=Split.values,
            help="for records that name none; asqa and jsonl records can name one, and keep it",
        )
        parser.add_argument(
            "--strict", action="store_true", help="import nothing if any line is rejected"
        )
        parser.add_argument(
            "--finished",
            action="store_true",
            help="import the file's annotations as accepted work (ambignq, asqa)",
        )
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        if options["from_project"]:
            self._take_over(project, options)
        else:
            self._take_file(project, options)

    def _take_file(self, project: Project, options: dict[str, Any]) -> None:
        """Import a file given by its path."""
        if not options["file"] or not options["format"]:
            raise CommandError("Name a file and its --format, or --from-project.", returncode=2)
        if not options["split"] and not formats.FORMATS[options["format"]].names_split:
            raise CommandError(
                f"A file in format {options['format']} names no split: give one with --split.",
                returncode=2,
            )
        _check(project, options)
        path = Path(options["file"])
        try:
            file = path.open("rb")
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.", returncode=2) from None
        with file:
            if not file.seekable():  # it is read twice: counted, then imported
                raise CommandError(
                    f"{path} is a pipe. Write it to a file, then import that.", returncode=2
                )
            self._take(project, file, path, options)

    def _take_over(self, project: Project, options: dict[str, Any]) -> None:
        """Import the accepted answers of another project, by way of a temporary file."""
        slug, split = options["from_project"], options["split"]
        if options["file"] or options["format"] or options["finished"]:
            raise CommandError(
                "--from-project cannot be combined with a file, --format or --finished.",
                returncode=2,
            )
        if not split:
            raise CommandError("Name the split to copy with --split.", returncode=2)
        other = Project.objects.filter(slug=slug).first()
        if other is None or other.protocol not in sources_of(project):
            raise CommandError(
                f"{slug!r} is not a project whose questions {project.slug!r} can take.",
                returncode=2,
            )
        source = adapter_of(other)
        options |= {"format": source.gives}
        with tempfile.TemporaryFile() as file:
            for block in source.give_accepted(other, split, by=None, now=timezone.now()):
                file.write(block)
            self._take(project, file, Path(slug), options)

    def _take(self, project: Project, file: BinaryIO, path: Path, options: dict[str, Any]) -> None:
        try:
            tally = self._import(project, file, options)
        except WrongFormat as error:
            reason = formats.explain_refusal(error, adapter_of(project).formats)
            self._print_json(options, ImportCounts(errors=[{"line": 0, "reason": reason}]))
            raise CommandError(f"{path}: {reason} Nothing was imported.", returncode=2) from None
        except BrokenFile as error:
            self._print_json(options, error.tally)
            self._print_errors(error.tally)
            raise CommandError(f"{path}: {error}", returncode=2) from None
        record_import(project=project, tally=tally, by=None, now=timezone.now())
        if options["json"]:
            self._print_json(options, tally)
        else:
            self._print_errors(tally)
            self.stdout.write(
                f"{path.name}: {tally.created:,} created, {tally.updated:,} updated, "
                f"{tally.unchanged:,} unchanged, {tally.rejected:,} rejected."
            )
            if words := left_out_in_words(tally.left_out):
                self.stdout.write(f"Left out: {words}.")
            if protocols.protocol_of(project).has_feature(Feature.CONTEXTS) and (
                count := count_unsearched(project)
            ):
                self.stdout.write(
                    f"{count:,} questions have no context paragraphs yet. Look for them before "
                    f"anyone writes: manage.py compute_contexts {project.slug}"
                )

    def _import(self, project: Project, file: BinaryIO, options: dict[str, Any]) -> ImportCounts:
        format = options["format"]
        total, unit = formats.count_records(file, format), formats.FORMATS[format].unit
        with ProgressBar(sys.stderr, "Importing", unit) as progress:
            return import_questions(
                project=project,
                file=file,
                format=format,
                split=options["split"],
                strict=options["strict"],
                finished=options["finished"],
                by=None,
                now=timezone.now(),
                on_save=lambda number, tally: progress(number, total),
            )

    def _print_json(self, options: dict[str, Any], tally: ImportCounts) -> None:
        if options["json"]:
            self.stdout.write(orjson.dumps(tally.as_json()).decode())

    def _print_errors(self, tally: ImportCounts) -> None:
        for error in tally.errors[:SHOWN]:
            self.stderr.write(f"Line {error['line']}: {error['reason']}")
        if tally.rejected > SHOWN:
            self.stderr.write(f"And {tally.rejected - SHOWN:,} more.")
