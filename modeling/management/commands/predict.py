"""manage.py predict PROJECT --system NAME --split S"""

from argparse import ArgumentParser
from typing import ClassVar

from annotation.models import Split
from modeling.management.base import RunCommand
from modeling.services.running import PREDICT
from modeling.services.storing import Report


class Command(RunCommand):
    help = (
        "Answer the questions of a split with a baseline, and store the answers as a system.\n\n"
        "  manage.py predict crossings --system question-x8 --split dev\n\n"
        "The system's name is the key of the baseline; its version stands for code, options and\n"
        "passages. Running it again changes only texts that differ, and none that a study which\n"
        "has begun uses. --missing continues an interrupted run. A question without an answer is\n"
        "named, and the others are stored.\n\n"
        "--json prints system, version, created, changed, unchanged, kept, rejected, tokens_in,\n"
        "tokens_out, cost and errors (the first 100 of those rejected: name, reason).\n"
        "Exit status 1: the model could not continue; 2: bad input, or it cannot run here."
    )
    kind: ClassVar[str] = PREDICT

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--split", required=True, choices=Split.values)
        parser.add_argument(
            "--missing", action="store_true", help="only questions without an answer"
        )

    def said(self, report: Report) -> str:
        return (
            f"{report.created:,} new, {report.changed:,} changed, {report.unchanged:,} unchanged, "
            f"{report.kept:,} kept because a study uses them, {report.rejected:,} without an answer"
        )
