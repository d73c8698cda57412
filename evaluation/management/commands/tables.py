"""manage.py tables PROJECT [--split SPLIT] [--json]"""

from argparse import ArgumentParser
from typing import Any

import orjson
from django.utils import timezone

from annotation.core.consistent_view import snapshot
from annotation.figures.filters import Filters
from annotation.figures.registry import Request
from annotation.management.base import ProjectCommand
from annotation.models import Split
from evaluation.reports.papers.headline import headline_figures


class Command(ProjectCommand):
    help = (
        "The figures of the papers' tables, from the accepted data of a project.\n\n"
        "  manage.py tables crossings --json\n\n"
        "Prints ambignq_pairs_percent, by split the percentages of questions with 1, 2, 3, and 4\n"
        "or more pairs; asqa_mean_length in words; asqa_human_str_em and\n"
        "asqa_agreement_rouge_lsum, of the long answers of people; asqa_question_x8 with length,\n"
        "rouge_lsum and str_em of the question eight times. With --json as one object, in which\n"
        "a figure that the project does not have is null. docs/reports.md has the definitions.\n"
        "Exit status 2: bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--split", choices=Split.values, help="default: all splits")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        request = Request(project, Filters(split=options["split"] or ""), timezone.now())
        with snapshot():
            figures = headline_figures(request)
        if options["json"]:
            self.stdout.write(orjson.dumps(figures).decode())
            return
        lines = {name: _written(value) for name, value in figures.items() if value}
        if not lines:
            self.stdout.write("Nothing is accepted yet.")
        for name, text in lines.items():
            self.stdout.write(f"{name:<26} {text}")


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name} {_written(part)}" for name, part in value.items())
    if isinstance(value, list):
        return " / ".join(f"{part:.0f}" for part in value)
    return f"{value:.1f}"
