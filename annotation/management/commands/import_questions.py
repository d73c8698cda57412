"""manage.py import_questions PROJECT FILE [--dry-run] [--map question=COLUMN] [--split dev]"""

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
from annotation.imports.adapters import (
    adapter_of,
    check_closed,
    check_format,
    left_out_in_words,
    sources_of,
)
from annotation.imports.formats import Format, WrongFormat
from annotation.imports.import_rules import parse_rules
from annotation.imports.not_taken import describe_not_taken
from annotation.imports.query_filters import FILTERS
from annotation.imports.recognition import DEFAULT_SPLIT, recognise_file, remember_columns
from annotation.imports.services import (
    TRY_LATER,
    BrokenFile,
    check_file,
    import_questions,
    record_import,
)
from annotation.imports.sorting import ImportCounts
from annotation.imports.summary import describe_file, mapping_changes
from annotation.management.base import ProjectCommand
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from wikipedia.management.progress import ProgressBar
from wikipedia.providers.base import ProviderUnavailable

SHOWN = 20
REFUSED = 1  # exit status of a dry run that found lines which cannot be taken


def _check(project: Project, options: dict[str, Any]) -> None:
    """Refuse a format that does not fit the project before the file is opened."""
    try:
        check_format(project, options["format"], finished=options["finished"])
    except Conflict as refusal:
        raise CommandError(str(refusal), returncode=2) from None


class Command(ProjectCommand):
    help = (
        "Import a file of questions. Importing it again changes nothing.\n\n"
        "  manage.py import_questions crossings questions.csv\n\n"
        "The format is recognised: JSON, JSONL, CSV, TSV, plain lines and the released files of\n"
        "data sets, also packed with gzip. What was recognised is printed with the first five\n"
        "questions; --dry-run reads the whole file and changes nothing. Columns under other names\n"
        "are mapped; the choice is remembered for the next file with the same ones:\n\n"
        "  manage.py import_questions crossings export.csv --map question=Frage --map id=Nr\n"
        "  manage.py import_questions crossings export.csv --map answers=gold --map leave=checked\n"
        "  manage.py import_questions crossings export.csv --map-split eval=dev\n\n"
        "Questions that name no split go into dev, or into --split. --format imports the file as\n"
        "one of the formats, without looking what it is:\n\n"
        "  manage.py import_questions crossings NQ-open.dev.jsonl --format nq-open --split dev\n\n"
        "With --finished the annotations of an AmbigNQ or ASQA file are imported as accepted "
        "work:\n"
        "no one is asked to answer its questions, and `release` gives the file back.\n\n"
        "With --closed no one is given the new questions until `open_questions` opens them.\n\n"
        "--filter leaves out queries that do not fit, by the heuristics with which Natural\n"
        "Questions were chosen; of do, be and who, one is enough. --draw-split draws the split of\n"
        "records that name none, by their words and --seed, so that equal ones come together:\n\n"
        "  manage.py import_questions lamps log.txt --filter words --filter do --filter who\n"
        "  manage.py import_questions lamps log.txt --draw-split 'train=80 dev=10 test=10'\n\n"
        "An AmbigNQ file in an ASQA project brings the questions that an annotator called "
        "ambiguous,\n"
        "with at most six disambiguations; `left_out` counts the others, by reason. Straight from\n"
        "an AmbigQA project of this installation:\n\n"
        "  manage.py import_questions long --from-project crossings --split dev\n\n"
        "Lines that cannot be taken are named with their number and the reason; all others are\n"
        "imported, or none with --strict. --json prints created, updated, unchanged, rejected and\n"
        "errors (the first 1,000; line 0 is the file as a whole). Exit status 2: bad input,\n"
        "nothing was imported; 1: a dry run found lines that cannot be taken."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", nargs="?", help="path of the file")
        parser.add_argument(
            "--format", choices=list(formats.all_formats()), help="default: what the file shows"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="read the whole file, and change nothing"
        )
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="USE=COLUMN",
            help="a column as question, id, answers, split, page, keep or leave; can be repeated",
        )
        parser.add_argument(
            "--map-split",
            action="append",
            default=[],
            metavar="VALUE=SPLIT",
            help="the split for a value of the column of splits; can be repeated",
        )
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
        parser.add_argument(
            "--closed",
            action="store_true",
            help="give the new questions to no one until they are opened (open_questions)",
        )
        parser.add_argument(
            "--filter",
            action="append",
            default=[],
            choices=list(FILTERS),
            help="leave out queries that do not fit; can be repeated",
        )
        parser.add_argument(
            "--draw-split",
            default="",
            metavar="SHARES",
            help="draw the split of records that name none, such as 'train=80 dev=10 test=10'",
        )
        parser.add_argument("--seed", type=int, default=0, help="of the draw (default: 0)")
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        try:
            check_closed(project, closed=options["closed"], finished=options["finished"])
            rules = parse_rules(options["filter"], options["draw_split"], options["seed"])
        except (Conflict, ValueError) as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        options["rules"] = rules
        if options["from_project"]:
            self._take_over(project, options)
        else:
            self._take_file(project, options)

    def _take_file(self, project: Project, options: dict[str, Any]) -> None:
        """Import a file given by its path."""
        format = options["format"]
        if not options["file"]:
            raise CommandError("Name a file, or --from-project.", returncode=2)
        named = formats.all_formats()[format].names_split if format else True
        if not (named or options["split"] or options["rules"].draw):
            raise CommandError(
                f"A file in format {format} names no split: give one with --split.", returncode=2
            )
        if format and (options["map"] or options["map_split"]):
            raise CommandError(
                "--map and --map-split cannot be combined with --format.", returncode=2
            )
        if format:
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
            if not format:
                options |= self._recognise(project, file, path, options)
            self._take(project, file, path, options)

    def _recognise(
        self, project: Project, file: BinaryIO, path: Path, options: dict[str, Any]
    ) -> dict[str, Any]:
        """Recognise the file, say what it is, and return the options that follow from it."""
        try:
            changes = mapping_changes(options["map"], options["map_split"])
            found = recognise_file(project, file, changes=changes)
            if changes and not found.is_mapped:
                found = recognise_file(project, file, format="mapped", changes=changes)
            kind = found.reading.as_format()
            check_format(project, kind, finished=options["finished"])
        except (Conflict, ValueError, WrongFormat) as refusal:
            self._print_json(options, ImportCounts(errors=[{"line": 0, "reason": str(refusal)}]))
            raise CommandError(f"{path}: {refusal} Nothing was imported.", returncode=2) from None
        split = options["split"] or DEFAULT_SPLIT
        drawn = "the split that is drawn" if options["rules"].draw else split
        if not options["json"]:
            for line in describe_file(found, drawn):
                self.stdout.write(line)
        mapping = found.reading.mapping
        if changes and mapping and not options["dry_run"]:
            remember_columns(project, found.detection.names, mapping, now=timezone.now())
        return {"format": kind, "split": split}

    def _take_over(self, project: Project, options: dict[str, Any]) -> None:
        """Import the accepted answers of another project, by way of a temporary file."""
        slug, split = options["from_project"], options["split"]
        if options["file"] or options["format"] or options["finished"] or options["dry_run"]:
            raise CommandError(
                "--from-project cannot be combined with a file, --format, --dry-run or --finished.",
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
            reason = formats.explain_refusal(error, adapter_of(project).formats_for(project))
            self._print_json(options, ImportCounts(errors=[{"line": 0, "reason": reason}]))
            raise CommandError(f"{path}: {reason} Nothing was imported.", returncode=2) from None
        except ProviderUnavailable as error:
            raise CommandError(f"{error} {TRY_LATER}") from None
        except BrokenFile as error:
            self._print_json(options, error.tally)
            self._print_errors(error.tally)
            raise CommandError(f"{path}: {error}", returncode=2) from None
        if options["dry_run"]:
            self._report_dry_run(path, options, tally)
            return
        record_import(project=project, tally=tally, by=None, now=timezone.now())
        if options["json"]:
            self._print_json(options, tally)
        else:
            self._print_errors(tally)
            self._print_counts(f"{path.name}:", tally)
            if protocols.protocol_of(project).has_feature(Feature.CONTEXTS) and (
                count := count_unsearched(project)
            ):
                self.stdout.write(
                    f"{count:,} questions have no context paragraphs yet. Look for them before "
                    f"anyone writes: manage.py compute_contexts {project.slug}"
                )

    def _import(self, project: Project, file: BinaryIO, options: dict[str, Any]) -> ImportCounts:
        format: str | Format = options["format"]
        shared = {
            "project": project,
            "file": file,
            "format": format,
            "split": options["split"],
            "finished": options["finished"],
            "rules": options["rules"],
        }
        if options["dry_run"]:
            return check_file(**shared).tally
        total, unit = formats.count_records(file, format), formats.get_format(format).unit
        with ProgressBar(sys.stderr, "Importing", unit) as progress:
            return import_questions(
                **shared,
                strict=options["strict"],
                closed=options["closed"],
                by=None,
                now=timezone.now(),
                on_save=lambda number, tally: progress(number, total),
            )

    def _report_dry_run(self, path: Path, options: dict[str, Any], tally: ImportCounts) -> None:
        """Say what the import would do; exits with status 1 where lines cannot be taken."""
        self._print_json(options, tally)
        if not options["json"]:
            self._print_errors(tally)
            self._print_counts(f"{path.name}, nothing was changed:", tally)
        if tally.rejected:
            sys.exit(REFUSED)

    def _print_counts(self, name: str, tally: ImportCounts) -> None:
        repeated = f", {tally.repeated:,} repeated" if tally.repeated else ""
        repeated += f", {tally.equal:,} equal to others" if tally.equal else ""
        self.stdout.write(
            f"{name} {tally.created:,} created, {tally.updated:,} updated, "
            f"{tally.unchanged:,} unchanged, {tally.rejected:,} rejected{repeated}."
        )
        for each in tally.repeats[:SHOWN]:
            self.stdout.write(
                f"Line {each['line']}: the same question as on line {each['first']}, kept once."
            )
        for other in tally.equals[:SHOWN]:
            self.stdout.write(f"Line {other['line']}: the same words as “{other['id']}”, kept too.")
        for key, number in tally.fits.items():
            self.stdout.write(f"Filter {key}: {number:,} fit.")
        if words := left_out_in_words(tally.left_out):
            self.stdout.write(f"Left out: {words}.")
        if words := describe_not_taken(tally.not_taken):
            self.stdout.write(f"Not taken: {words}.")
        for part in tally.parts[:SHOWN]:
            self.stdout.write(f"Line {part['line']}: {part['reason']}")

    def _print_json(self, options: dict[str, Any], tally: ImportCounts) -> None:
        if options["json"]:
            self.stdout.write(orjson.dumps(tally.as_json()).decode())

    def _print_errors(self, tally: ImportCounts) -> None:
        for error in tally.errors[:SHOWN]:
            self.stderr.write(f"Line {error['line']}: {error['reason']}")
        if tally.rejected > SHOWN:
            self.stderr.write(f"And {tally.rejected - SHOWN:,} more.")
