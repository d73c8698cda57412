"""manage.py predict PROJECT --system NAME --split S"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandError

from annotation.models import Split
from modeling.base import PASSAGES
from modeling.dpr_lines import render_dpr_line
from modeling.management.base import RunCommand
from modeling.services.running import PREDICT, Answered, Run
from modeling.services.storing import RunReport


class Command(RunCommand):
    help = (
        "Answer the questions of a split with a baseline, and store the answers as a system.\n\n"
        "  manage.py predict crossings --system question-x8 --split dev\n\n"
        "The system's name is the key of the baseline; its version stands for code, options and\n"
        "passages. Running it again changes only texts that differ, and none that a study which\n"
        "has begun uses. --missing continues an interrupted run. A question without an answer is\n"
        "named, and the others are stored.\n\n"
        "--retrieved writes the passages of each question as JSON lines that “manage.py score\n"
        "retrieval” reads. With --missing it has those of the questions answered now.\n\n"
        "--json prints system, version, created, changed, unchanged, kept, rejected, tokens_in,\n"
        "tokens_out, cost and errors (the first 100 of those rejected: name, reason).\n"
        "Exit status 1: the model could not continue; 2: bad input, or it cannot run here."
    )
    kind: ClassVar[str] = PREDICT
    again: ClassVar[str] = "the same command with --missing"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--split", required=True, choices=Split.values)
        parser.add_argument(
            "--missing", action="store_true", help="only questions without an answer"
        )

        parser.add_argument(
            "--retrieved", type=Path, metavar="FILE", help="write the passages, to be scored"
        )

    @contextmanager
    def open_sink(self, run: Run, options: dict[str, Any]) -> Iterator[Callable[[Answered], None]]:
        target: Path | None = options["retrieved"]
        if target is None:
            yield lambda answered: None
            return
        if PASSAGES not in run.baseline.gives:
            raise CommandError(f"“{run.entry.label}” reads no passages.", returncode=2)
        try:
            file = target.open("wb")
        except OSError as error:
            raise CommandError(
                f"{target} cannot be written: {error.strerror}. Name a file.", returncode=2
            ) from None
        with file:
            yield lambda answered: file.writelines(map(render_dpr_line, answered))

    def counts_in_words(self, report: RunReport) -> str:
        return (
            f"{report.created:,} new, {report.changed:,} changed, {report.unchanged:,} unchanged, "
            f"{report.kept:,} kept because a study uses them, {report.rejected:,} without an answer"
        )
