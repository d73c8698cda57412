"""manage.py export_outputs PROJECT --system NAME --output FILE|-"""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.management.base import ProjectCommand
from annotation.models import Split
from evaluation.systems import downloads
from evaluation.systems.models import System


class Command(ProjectCommand):
    help = (
        "Write what a system answered to a file, which import_outputs reads again.\n\n"
        "  manage.py export_outputs crossings --system bm25 --split dev --output bm25.json\n\n"
        "The file is an object with a text for each question's id; with --official it is the one\n"
        "that the scorer of the data set takes, where the project has such a file. With - it is\n"
        "written to standard output. Exit status 2: bad input."
    )

    def create_parser(self, *args: Any, **kwargs: Any) -> Any:
        # Every command has a --version, which prints that of Django; here it is the system's.
        return super().create_parser(*args, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--system", required=True, metavar="NAME")
        parser.add_argument("--version", default=None, metavar="V")
        parser.add_argument("--split", choices=Split.values, default="", help="default: all splits")
        parser.add_argument("--official", action="store_true")
        parser.add_argument("--output", required=True, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        system = self._find_system(options)
        form = downloads.OFFICIAL if options["official"] else downloads.TEXTS
        if form not in downloads.list_forms(system):
            raise CommandError("This project has no official file. Leave it out.", returncode=2)
        blocks = downloads.stream_answers(system, form, options["split"])
        if options["output"] == "-":
            for block in blocks:
                self.stdout.write(block.decode(), ending="")
            return
        try:
            _write_file(blocks, Path(options["output"]))
        except OSError as error:
            raise CommandError(
                f"{options['output']} could not be written: {error.strerror}.", returncode=2
            ) from None

    def _find_system(self, options: dict[str, Any]) -> System:
        systems = self.get_project(options).systems.filter(name=options["system"])
        if options["version"] is not None:
            systems = systems.filter(version=options["version"])
        found = list(systems.select_related("project"))
        if len(found) != 1:
            have = "more than one such system: add --version" if found else "no such system"
            raise CommandError(f"There is {have}.", returncode=2)
        return found[0]


def _write_file(blocks: Iterator[bytes], target: Path) -> None:
    """Write a file whole or not at all. Raises OSError."""
    part = target.with_name(f".{target.name}.part")
    try:
        with part.open("wb") as file:
            file.writelines(blocks)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
