"""manage.py tune PROJECT --system KEY"""

from argparse import ArgumentParser
from typing import Any

import orjson
from django.core.management.base import CommandError

from annotation.core.refusals import Conflict
from annotation.management.base import ProjectCommand
from annotation.models import Split
from modeling.base import MissingModel
from modeling.management.base import read_options
from modeling.training.tuning import TUNED, Tuned, tune_baseline


class Command(ProjectCommand):
    help = (
        "Choose how likely an answer has to be, by the questions of dev.\n\n"
        "  manage.py tune crossings --system thresholding --folds 2\n\n"
        "thresholding, thresholding-qd: threshold, least and most by F1-answer; disambig-first:\n"
        "cutoff by the share of questions whose class is right. Every threshold that tells two\n"
        "likelihoods apart is tried. The figure on the questions it was chosen on is too good;\n"
        "with --folds each part is also scored by what the others chose.\n\n"
        "--json prints system, split, metric, options, questions, and tuned, usual, untied and\n"
        "majority from 0 to 1. Exit status 2: bad input, or it cannot run here."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--system", required=True, choices=list(TUNED), help="the baseline")
        parser.add_argument("--split", default=Split.DEV.value, choices=Split.values)
        parser.add_argument("--folds", type=int, default=0, metavar="N", help="2 to 10")
        parser.add_argument(
            "--option", action="append", default=[], metavar="NAME=VALUE", help="of the baseline"
        )
        parser.add_argument("--json", action="store_true", help="print it as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project, folds = self.get_project(options), options["folds"]
        if folds and not 2 <= folds <= 10:
            raise CommandError("--folds: a number from 2 to 10.", returncode=2)
        try:
            tuned = tune_baseline(
                project=project,
                system=options["system"],
                split=options["split"],
                options=read_options(options["option"]),
                folds=folds,
            )
        except (Conflict, MissingModel) as problem:
            raise CommandError(str(problem), returncode=2) from None
        if options["json"]:
            self.stdout.write(orjson.dumps(tuned.as_json()).decode())
            return
        for line in _list_lines(tuned):
            self.stdout.write(line)


def _list_lines(tuned: Tuned) -> list[str]:
    given = " ".join(f"--option {name}={value}" for name, value in tuned.options.items())
    figures = [
        (tuned.tuned, "with these, on the questions they were chosen on"),
        (tuned.untied, "where each part was scored by what the others chose"),
        (tuned.usual, "with the usual options"),
        (tuned.majority, "of the more frequent class"),
    ]
    lines = [f"{100 * value:.1f} {words}" for value, words in figures if value is not None]
    return [
        f"{given}",
        f"{tuned.metric} of {tuned.questions:,} questions of {tuned.split}:",
        *(f"  {line}" for line in lines),
    ]
