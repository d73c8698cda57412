"""manage.py training_set PROJECT --system KEY --output FILE"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import CommandError
from django.utils import timezone

from annotation.management.base import DatasetCommand, ProjectCommand
from annotation.models import Project, Split
from modeling.base import MissingModel
from modeling.management.base import read_options
from modeling.training.building import ExampleChoice
from modeling.training.reasons import REASONS
from modeling.training.recipes import LAYOUTS, RECIPES
from modeling.training.sets import TrainingSet, start_training_set


class Command(DatasetCommand[TrainingSet]):
    help = (
        "Write what a model of the papers would be trained on, for any program that trains.\n\n"
        "  manage.py training_set crossings --system span-seq-gen --output train.jsonl\n\n"
        "The file has a JSON object a line; datasets.load_dataset reads it. What is left out is\n"
        "counted by its reason in FILE.manifest.json: questions that are dev or test in any\n"
        "project, work of people who did not allow training, questions whose people saw what\n"
        "the same weights suggested, and those of which nothing can be learnt.\n\n"
        "--role is the part of the system whose weights are meant, its first if it is left out.\n"
        "Layouts: seq2seq, fid, dpr, triplets, chat; the role's own if it is left out. Passages\n"
        "are those that the system would read (--option passages=5, retriever=…).\n\n"
        "--json prints the manifest's counts. Exit status 2: bad input, or no index here."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        ProjectCommand.add_arguments(self, parser)
        parser.add_argument("--system", required=True, metavar="KEY", help="key of the baseline")
        parser.add_argument("--role", default="", choices=list(RECIPES), help="part of the system")
        parser.add_argument("--layout", default="", choices=list(LAYOUTS))
        parser.add_argument("--split", default=Split.TRAIN.value, choices=Split.values)
        parser.add_argument(
            "--option", action="append", default=[], metavar="NAME=VALUE", help="of the search"
        )
        parser.add_argument(
            "--keep-suggested",
            action="store_true",
            help="also questions whose people saw suggestions of these weights",
        )
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")
        parser.add_argument(
            "-o",
            "--output",
            required=True,
            metavar="FILE",
            help="- writes to stdout; a name that ends in .zip, all files as one ZIP",
        )

    def start(self, project: Project, options: dict[str, Any]) -> TrainingSet:
        if options["json"] and options["output"] == "-":
            raise CommandError("--json prints to standard output: name a file.", returncode=2)
        choice = ExampleChoice(
            system=options["system"],
            role=options["role"],
            split=options["split"],
            options=read_options(options["option"]),
            keep_suggested=options["keep_suggested"],
        )
        try:
            return start_training_set(
                project=project,
                choice=choice,
                layout=options["layout"],
                by=None,
                now=timezone.now(),
            )
        except MissingModel as problem:
            raise CommandError(str(problem), returncode=2) from None

    def report_dataset(self, dataset: TrainingSet, size: int, target: Path | None) -> None:
        described = dataset.describe()
        if self.as_json:
            self.stdout.write(orjson.dumps(described).decode())
        elif target is not None:
            counts = described["counts"]
            self.stderr.write(
                f"Wrote {target}: {counts['lines']:,} lines of {counts['used']:,} questions, "
                f"{size:,} bytes."
            )
            for reason, number in described["left_out"].items():
                self.stderr.write(f"Left out {number:,} {REASONS.get(reason, reason)}.")

    def handle(self, *args: Any, **options: Any) -> None:
        self.as_json = options["json"]
        try:
            super().handle(*args, **options)
        except MissingModel as problem:  # the index went away meanwhile
            raise CommandError(f"{problem} No part of the file was kept.", returncode=1) from None
