"""manage.py import_judgments PROJECT FILE --title TITLE"""

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
from evaluation.judgments.services import import_judgments

SHOWN = 20


class Command(ProjectCommand):
    help = (
        "Import judgments made elsewhere as a closed study.\n\n"
        "  manage.py import_judgments crossings ratings.csv --title 'ASQA, section 5'\n\n"
        "FILE is a JSON list, JSON lines or CSV in the columns of ASQA's kit (pair, numQA,\n"
        "accLeft, accRight, Ambiguity, Fluency, Overall, leftModel, rightModel, key, and rater if\n"
        "it has one), or an export of `judgments`, which names its study. Either all rows are\n"
        "imported, or none: each bad row is named. Importing the same judgments again changes\n"
        "nothing.\n\n"
        "--json prints study, title, judgments, questions, judges, systems, which are those that\n"
        "are new, and again: whether the judgments were here already; with exit status 2 (bad\n"
        "input) errors: row, column, value, reason."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", help="path of the file")
        parser.add_argument("--title", default="", help="of the study")
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        try:
            with open_seekable_file(options["file"]) as file:
                _, imported = import_judgments(
                    project=project,
                    file=file,
                    title=options["title"],
                    by=None,
                    now=timezone.now(),
                )
        except BadRows as bad:
            self._name(bad, options)
            raise CommandError(str(bad), returncode=2) from None
        except (WrongFormat, Conflict) as error:
            raise CommandError(f"{error} Nothing was imported.", returncode=2) from None
        if options["json"]:
            self.stdout.write(orjson.dumps(asdict(imported)).decode())
            return
        if imported.again:
            these = (
                "This judgment is"
                if imported.judgments == 1
                else (f"These {imported.judgments:,} judgments are")
            )
            self.stdout.write(
                f"{these} here already, in study {imported.study}, {imported.title}. "
                "Nothing was imported."
            )
            return
        new = f" New systems: {', '.join(imported.systems)}." if imported.systems else ""
        self.stdout.write(
            f"Study {imported.study}, {imported.title}: {imported.judgments:,} judgments of "
            f"{imported.questions:,} questions by {imported.judges:,} people.{new}"
        )

    def _name(self, bad: BadRows, options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(orjson.dumps({"errors": bad.as_json()}).decode())
        for sentence in bad.sentences[:SHOWN]:
            self.stderr.write(sentence)
        if bad.count > SHOWN:
            self.stderr.write(f"And {bad.count - SHOWN:,} more.")
