"""manage.py system_scores PROJECT --split S [--system NAME] [--json]"""

from argparse import ArgumentParser
from typing import Any

import orjson
from django.core.management.base import CommandError

from annotation.management.base import ProjectCommand
from annotation.models import Split
from evaluation import scoring
from evaluation.scoring import FIGURES, SystemScores

_WIDTH = 14


class Command(ProjectCommand):
    help = (
        "Score the answers of systems by automatic metrics, as the page of scores does.\n\n"
        "  manage.py system_scores crossings --split dev --json\n\n"
        "With --json: a list with system, version, answers, questions and figures: "
        "name: value, low, high, n. Percentages but the length, which is in words;\n"
        "docs/models.md says what each needs.\n"
        "Exit status 2: bad input, or there is nothing to score."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--split", required=True, choices=Split.values)
        parser.add_argument("--system", metavar="NAME", help="only this one, in all its versions")
        parser.add_argument("--json", action="store_true", help="print one JSON value")

    def handle(self, *args: Any, **options: Any) -> None:
        project, split = self.project(options), options["split"]
        systems = project.systems.filter(outputs__question__split=split).distinct()
        if options["system"]:
            systems = systems.filter(name=options["system"])
        rows = scoring.scores(project, split, list(systems))
        if not rows:
            which = f"system “{options['system']}”" if options["system"] else "system"
            raise CommandError(f"No {which} has answered a question of {split}.", returncode=2)
        if options["json"]:
            self.stdout.write(orjson.dumps([_as_json(row) for row in rows]).decode())
            return
        for row in rows:
            self.stdout.write(f"{row.system}: {row.answers:,} of {row.questions:,} answers")
            for name, score in row.figures.items():
                between = score.interval
                bounds = f"{between.low:.1f} to {between.high:.1f}" if between else ""
                self.stdout.write(
                    f"  {FIGURES[name]:<{_WIDTH}} {score.value:>6.1f}  {bounds:<14} n {score.n:,}"
                )


def _as_json(row: SystemScores) -> dict[str, Any]:
    return {
        "system": row.system.name,
        "version": row.system.version,
        "answers": row.answers,
        "questions": row.questions,
        "figures": {
            name: {
                "value": score.value,
                "low": score.interval and score.interval.low,
                "high": score.interval and score.interval.high,
                "n": score.n,
            }
            for name, score in row.figures.items()
        },
    }
