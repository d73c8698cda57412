"""manage.py import_outputs PROJECT FILE --system NAME"""

from argparse import ArgumentParser
from typing import Any

import orjson
from django import forms
from django.core.management.base import CommandError
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.imports.records import WrongFormat
from annotation.management.base import ProjectCommand, open_seekable_file
from annotation.models import Project, StagePolicy
from evaluation.systems import matching
from evaluation.systems import services as systems_services
from evaluation.systems.forms import options_of
from evaluation.systems.models import System


class Command(ProjectCommand):
    help = (
        "Import what a system answered to the questions of a project, to be judged in studies.\n\n"
        "  manage.py import_outputs crossings t5.json --system T5 --version open-book\n\n"
        "FILE is JSON: an object with a text for each question's id, or records with “id” and\n"
        "“answer”, as a list or one per line. What does not match is named. With --annotation N\n"
        "it is a file of ASQA, and the N-th long answer of each question is taken; with\n"
        "--from-long-answers there is no file, and the project's own long answers are.\n"
        "Importing again completes the answers; texts that a running or closed study uses stay.\n\n"
        "--json prints system, created, changed, unchanged and, each with count and first,\n"
        "unknown, repeated, empty, bad, missing. Exit status 2: bad input, nothing was imported."
    )

    def create_parser(self, *args: Any, **kwargs: Any) -> Any:
        # Every command has a --version, which prints that of Django; here it is the system's.
        return super().create_parser(*args, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", nargs="?", help="path of the file")
        parser.add_argument("--system", required=True, metavar="NAME")
        parser.add_argument("--version", default="", metavar="V")
        parser.add_argument("--kind", choices=System.Kind.values, default=System.Kind.MODEL.value)
        parser.add_argument("--options", metavar="JSON", default="", help="how it was run")
        parser.add_argument("--annotation", type=int, default=0, metavar="N", help="from 1")
        parser.add_argument("--from-long-answers", action="store_true")
        parser.add_argument(
            "--inputs",
            choices=[systems_services.ANY, *StagePolicy.Inputs.values],
            default=systems_services.ANY,
            help="of long answers: what their writers were given",
        )
        parser.add_argument("--number", type=int, default=1, metavar="N", help="the N-th of each")
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        if bool(options["file"]) == options["from_long_answers"]:
            raise CommandError("Name a file, or --from-long-answers.", returncode=2)
        if options["annotation"] < 0 or options["number"] < 1:
            raise CommandError("--annotation and --number count from 1.", returncode=2)
        try:
            system, report = self._import(project, options)
        except (Conflict, WrongFormat) as error:
            raise CommandError(f"{error} Nothing was imported.", returncode=2) from None
        except forms.ValidationError as error:
            raise CommandError(f"--options: {error.message}", returncode=2) from None
        if options["json"]:
            self.stdout.write(orjson.dumps({"system": str(system), **report.as_json()}).decode())
            return
        self.stdout.write(
            f"{system}: {report.created:,} new, {report.changed:,} changed, "
            f"{report.unchanged:,} unchanged."
        )
        for words, count, first in matching.list_mismatches(report.as_json()):
            more = ", …" if count > len(first) else ""
            self.stderr.write(f"{count:,} {words}: {', '.join(first)}{more}")

    def _import(
        self, project: Project, options: dict[str, Any]
    ) -> tuple[System, matching.SystemImportReport]:
        common: dict[str, Any] = {
            "project": project,
            "name": options["system"],
            "version": options["version"],
            "by": None,
            "now": timezone.now(),
        }
        if options["from_long_answers"]:
            return systems_services.from_long_answers(
                **common, inputs=options["inputs"], nth=options["number"]
            )
        given = options_of(options["options"])
        with open_seekable_file(options["file"]) as file:
            return systems_services.import_outputs(
                **common,
                file=file,
                kind=options["kind"],
                options=given,
                annotation=options["annotation"],
            )
