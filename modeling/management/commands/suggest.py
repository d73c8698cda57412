"""manage.py suggest PROJECT --system NAME"""

from argparse import ArgumentParser
from typing import ClassVar

from annotation.models import Split
from modeling.management.base import RunCommand
from modeling.services.running import SUGGEST
from modeling.services.storing import RunReport


class Command(RunCommand):
    help = (
        "Store what a baseline suggests to the people who answer the questions of a project.\n\n"
        "  manage.py suggest crossings --system bm25\n\n"
        "Whether people see suggestions is decided by the policy of their split. Suggestions are\n"
        "never changed: a question that has some of this version is left as it is, so running it\n"
        "again continues an interrupted run.\n\n"
        "--json prints system, version, created, unchanged, rejected (numbers of questions),\n"
        "tokens_in, tokens_out, cost and errors (the first 100 of those rejected: name, reason).\n"
        "Exit status 1: the model could not continue; 2: bad input, or it cannot run here."
    )
    kind: ClassVar[str] = SUGGEST

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--split", choices=Split.values, help="default: all splits")
        parser.set_defaults(missing=True)

    def counts_in_words(self, report: RunReport) -> str:
        return f"new suggestions for {report.created:,} questions, none for {report.rejected:,}"
