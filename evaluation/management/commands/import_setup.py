"""manage.py import_setup PROJECT FILE --title TITLE"""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

import orjson
from django.core.management.base import CommandError
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.imports.records import WrongFormat
from annotation.management.base import ProjectCommand, open_seekable_file
from evaluation.judgments.imported_judgments import BadRows
from evaluation.judgments.setups import import_setup

SHOWN = 20


class Command(ProjectCommand):
    help = (
        "Begin a study of pairs that were chosen elsewhere.\n\n"
        "  manage.py import_setup crossings setup.csv --title 'ASQA, section 5' --raters 3\n\n"
        "FILE is a JSON list, JSON lines or CSV with the columns of the set-up of ASQA's kit:\n"
        "key, model 1, model 2, answer 1, answer 2. Each row is a pair that people judge from now\n"
        "on, in the order of the file; key is the id of its question. Systems and answers that\n"
        "are missing are added. Either all rows are taken, or none: each bad row is named.\n"
        "Judgments are exported in the kit's columns: export --format judgments-asqa.\n\n"
        "--json prints study, title, pairs, questions, answers, systems; with exit status 2 (bad\n"
        "input) errors: row, column, value, reason."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", help="path of the file")
        parser.add_argument("--title", required=True, help="of the study")
        parser.add_argument(
            "--raters", type=int, default=1, metavar="N", help="people for each pair (default: 1)"
        )
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        try:
            with open_seekable_file(options["file"]) as file:
                imported = import_setup(
                    project=project,
                    file=file,
                    title=options["title"],
                    raters=options["raters"],
                    by=None,
                    now=timezone.now(),
                )
        except BadRows as bad:
            if options["json"]:
                self.stdout.write(orjson.dumps({"errors": bad.as_json()}).decode())
            for sentence in bad.sentences[:SHOWN]:
                self.stderr.write(sentence)
            raise CommandError(str(bad), returncode=2) from None
        except (WrongFormat, Conflict) as error:
            raise CommandError(f"{error} Nothing was imported.", returncode=2) from None
        if options["json"]:
            self.stdout.write(orjson.dumps(asdict(imported)).decode())
            return
        new = f" New systems: {', '.join(imported.systems)}." if imported.systems else ""
        self.stdout.write(
            f"Study {imported.study}, {imported.title}: {imported.pairs:,} pairs of "
            f"{imported.questions:,} questions to be judged, {imported.answers:,} answers "
            f"added.{new}"
        )
