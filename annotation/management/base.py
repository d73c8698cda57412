"""Shared by commands: help with its line breaks, a project by its name, data written to a file."""

import signal
import sys
import threading
from abc import ABC, abstractmethod
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, NoReturn, TypeVar

from django.core.management.base import BaseCommand, CommandError

from annotation.core.models.projects import Project
from annotation.core.models.questions import Split
from annotation.core.refusals import Conflict

if TYPE_CHECKING:  # a command that finds no project needs none of what writes its data
    from annotation.exports.dataset import Dataset

D = TypeVar("D", bound="Dataset")


class Command(BaseCommand):
    """A command whose help keeps its line breaks.

    It starts without Django's checks of the program, which load every page; `make check` runs them.
    """

    requires_system_checks: list[str] = []

    def create_parser(self, *args: Any, **kwargs: Any) -> Any:
        return super().create_parser(*args, formatter_class=RawDescriptionHelpFormatter, **kwargs)


@contextmanager
def open_seekable_file(path: str) -> Iterator[BinaryIO]:
    """Open a file that is read twice. Raises CommandError with status 2."""
    try:
        with Path(path).open("rb") as file:
            if not file.seekable():
                raise CommandError(f"{path} is a pipe. Write it to a file first.", returncode=2)
            yield file
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.", returncode=2) from None


class ProjectCommand(Command):
    """A command on one project, its first argument."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="short name of the project")

    def get_project(self, options: dict[str, Any]) -> Project:
        """Return the project with its snapshot; exits with status 2 if there is none."""
        projects = Project.objects.select_related("snapshot")
        project = projects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=2)
        return project


class DatasetCommand(ProjectCommand, ABC, Generic[D]):
    """A command that writes data and its companions to files, or data only to standard output.

    `needs_output`: whether it always writes to a file or to standard output.
    """

    needs_output = True

    @abstractmethod
    def start(self, project: Project, options: dict[str, Any]) -> D:
        """Open the data. A Conflict is reported as bad input."""

    @abstractmethod
    def report_dataset(self, dataset: D, size: int, target: Path | None) -> None:
        """Report what was written to `target` (None: standard output)."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        # Not as choices: to know every format, every protocol is loaded.
        parser.add_argument(
            "--format", required=True, help="another one than the project has is answered by those"
        )
        parser.add_argument("--split", choices=Split.values, help="default: all splits")
        parser.add_argument(
            "--output",
            required=self.needs_output,
            metavar="FILE",
            help="- writes to stdout; a name that ends in .zip, all files as one ZIP",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        target = None if options["output"] == "-" else Path(options["output"])
        if target and (not target.name or target.is_dir() or not target.parent.is_dir()):
            raise CommandError(
                f"{target} is a folder, or its folder does not exist. Name a file.", returncode=2
            )
        try:
            dataset = self.start(project, options)
        except Conflict as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        try:
            size = self._pour(dataset) if target is None else _write(dataset, target)
        except OSError as error:
            raise CommandError(
                f"{options['output']} could not be written: {error.strerror}. "
                "No part of it was kept."
            ) from None
        self.report_dataset(dataset, size, target)

    def _pour(self, dataset: D) -> int:
        out = getattr(self.stdout._out, "buffer", None)
        size = 0
        for block in dataset.blocks():
            size += len(block)
            if out is None:  # a caller's own text stream
                self.stdout.write(block.decode(), ending="")
            else:
                out.write(block)
        self.stdout.flush()
        return size


def _write(dataset: "Dataset", target: Path) -> int:
    from annotation.exports.files import write_files, write_zip

    clean_up_when_told_to_end()
    return write_zip(dataset, target) if target.suffix == ".zip" else write_files(dataset, target)


def clean_up_when_told_to_end() -> None:
    """Let a termination signal end the command like Ctrl-C, so that nothing half done is left."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _leave)


def _leave(number: int, frame: object) -> NoReturn:
    sys.exit(128 + number)
