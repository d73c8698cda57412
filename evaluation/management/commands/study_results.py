"""manage.py study_results PROJECT [--study N] [--json]"""

from argparse import ArgumentParser
from typing import Any

import orjson
from django.core.management.base import CommandError
from django.utils import timezone

from annotation.figures import services as figures_services
from annotation.management.base import ProjectCommand
from annotation.models import Project
from evaluation.results import files as tables
from evaluation.results import report
from evaluation.results.stored import StoredResults, find_results
from evaluation.studies.models import Study
from evaluation.studies.results_job import place_results
from validation.agreement.reporting import FigureLine

_WIDTH = 34


class Command(ProjectCommand):
    help = (
        "Compute the results of a study, store them for its page, and print them.\n\n"
        "  manage.py study_results crossings --study 3 --json\n\n"
        "With --json: one object with the study and every figure, as on its page, each with n and\n"
        "the bounds of its 95 % interval; docs/studies.md defines each.\n"
        "Exit status 2: bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--study", type=int, metavar="N", help="its number; default: the only")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        study = self._study(self.get_project(options), options["study"])
        place = place_results(study)
        figures_services.store_computed(figures_services.compute_figures(place, now=timezone.now()))
        computed = find_results(study)
        if options["json"]:
            data = orjson.dumps(tables.describe_results(study, computed))
            self.stdout.write(data.decode())
        else:
            self._table(computed)

    def _study(self, project: Project, number: int | None) -> Study:
        studies = Study.objects.select_related("project").filter(project=project)
        found = list(studies if number is None else studies.filter(pk=number))
        if len(found) == 1:
            return found[0]
        listed = ", ".join(f"{row.pk} ({row.title})" for row in studies) or "none"
        what = "Name one with --study" if number is None else f"There is no study {number}"
        raise CommandError(f"{what}. Studies of {project.slug}: {listed}.", returncode=2)

    def _table(self, computed: StoredResults) -> None:
        figures = computed.figures
        for title, table in (
            ("Accuracy (ACC)", report.tabulate_accuracy(figures)),
            ("Points", report.tabulate_points(figures)),
            ("Experts: correct or debatable", report.tabulate_precision(figures)),
        ):
            for label, lines in table.groups:
                self.stdout.write(f"\n{title}{label and f', {label}'}")
                for line in lines:
                    self._line(line.label, line)
        self.stdout.write("\nAutomatic metrics: Pearson’s r over systems")
        for metric, _, cells in report.tabulate_correlations(figures):
            for people, line, _ in cells:
                self._line(f"{metric}, {people}", line)
        correlations = figures["correlations"]
        for sentence in filter(None, (correlations["warning"], correlations["disambig_f1"])):
            self.stdout.write(f"  {sentence}")

    def _line(self, label: str, line: FigureLine) -> None:
        self.stdout.write(f"  {label:<{_WIDTH}} {line.value:>6}  {line.interval:<14} n {line.n}")
