"""manage.py agreement PROJECT [--split SPLIT] [--json]"""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

import orjson
from django.utils import timezone

from annotation.figures import services as figures_services
from annotation.management.base import ProjectCommand
from annotation.models import Split
from validation.agreement.people import pseudonymise_people
from validation.agreement.reporting import (
    AgreementReport,
    PersonFigures,
    describe_figure,
    name_figures,
)
from validation.agreement.stored import find_agreement

_WIDTH = 44


class Command(ProjectCommand):
    help = (
        "How far annotators agree, what validation changed, and how experts compare; of an\n"
        "ASQA project how close long answers are, how long, and what their evidence has.\n\n"
        "  manage.py agreement crossings --split dev --json\n\n"
        'With --json: {"name": {"value", "n", "low", "high"}}; n is the number of questions,\n'
        'low and high bound the 95 % interval, or a "note" says why there is none; a figure\n'
        "with nothing behind it is null.\n"
        "Where nothing has changed since the figures were last computed, those are printed.\n"
        "docs/agreement.md defines each. Exit status 2: bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--split", choices=Split.values, help="default: all splits")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        agreement = figures_services.bring_up_to_date(find_agreement(project), now=timezone.now())
        report = agreement.report(options["split"] or "")
        assert report is not None  # they were computed just now, of every split
        people = pseudonymise_people(report, project)
        if options["json"]:
            self.stdout.write(orjson.dumps(name_figures(report, people)).decode())
        else:
            self._table(report, people)

    def _table(self, report: AgreementReport, people: dict[int, str]) -> None:
        for group in report.groups:
            self.stdout.write(f"\n{group.title}")
            if not group.n:
                self.stdout.write(f"  needs {group.needs}")
                continue
            for figure in map(describe_figure, group.figures):
                self.stdout.write(
                    f"  {figure.label:<{_WIDTH}} {figure.value:>7}  {figure.interval:<16} "
                    f"n {figure.n:,}{', few' if figure.few else ''}"
                )
        self._people("Generators", report.generators, people)
        self._people("Validators", report.validators, people)

    def _people(self, title: str, rows: Sequence[PersonFigures], people: dict[int, str]) -> None:
        if not rows:
            return
        self.stdout.write(f"\n{title}")
        for row in rows:
            shares = ", ".join(
                f"{figure.label.lower()} {figure.value}"
                for figure in map(describe_figure, row.figures)
            )
            said = "".join(f"; {nudge}" for nudge in row.nudges)
            said += "; can validate" if row.can_validate else ""
            self.stdout.write(f"  {people[row.person]}  {shares}; n {row.n:,}{said}")
