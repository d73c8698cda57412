"""manage.py system_scores PROJECT --split S [--system NAME] [--reader KEY] [--json]"""

import sys
from argparse import ArgumentParser
from typing import Any

import orjson
from django.core.management.base import CommandError
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.management.base import ProjectCommand, open_seekable_file
from annotation.models import Project, Split
from evaluation.scores.measuring import score_systems
from evaluation.scores.reading import NoReader
from evaluation.scores.registry import scoring_of
from evaluation.scores.values import SystemScores
from evaluation.scoring import reader_files
from evaluation.scoring import services as scoring_services
from evaluation.systems.models import System
from wikipedia.management.progress import ProgressBar

_WIDTH = 14


class Command(ProjectCommand):
    help = (
        "Score the answers of systems by automatic metrics, as the page of scores does.\n\n"
        "  manage.py system_scores crossings --split dev --json\n\n"
        "With --json: a list with system, version, answers, questions and figures:\n"
        "name: value, low, high, n, signature, and a note where it has no interval. Percentages\n"
        "but the length, which is in words; docs/models.md says what each needs. What is measured\n"
        "is stored, and measured again once something has changed.\n\n"
        "--reader answers the disambiguated questions from each text first, for Disambig-F1 and\n"
        'DR. --reader-answers takes such answers from a file, JSON {"<id>_<place>": "answer"},\n'
        "for the one system that --system and --version name; --reader is then their name.\n\n"
        "Exit status 2: bad input, or there is nothing to score."
    )

    def create_parser(self, *args: Any, **kwargs: Any) -> Any:
        # Every command has a --version, which prints that of Django; here it is the system's.
        return super().create_parser(*args, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--split", required=True, choices=Split.values)
        parser.add_argument("--system", metavar="NAME", help="only this one, in all its versions")
        parser.add_argument("--version", metavar="V", help="only this version")
        parser.add_argument(
            "--reader", default="", metavar="KEY", help="of a reader, such as squad"
        )
        parser.add_argument("--reader-answers", metavar="FILE", help="what one answered elsewhere")
        parser.add_argument("--json", action="store_true", help="print one JSON value")

    def handle(self, *args: Any, **options: Any) -> None:
        project, split = self.get_project(options), options["split"]
        systems = project.systems.filter(outputs__question__split=split).distinct()
        if options["system"]:
            systems = systems.filter(name=options["system"])
        if options["version"] is not None:
            systems = systems.filter(version=options["version"])
        if not systems:
            which = f"system “{options['system']}”" if options["system"] else "system"
            raise CommandError(f"No {which} has answered a question of {split}.", returncode=2)
        try:
            if options["reader_answers"]:
                self._take(list(systems), options)
            self._score(project, split, options)
        except (Conflict, NoReader) as problem:
            raise CommandError(str(problem), returncode=2) from None
        rows = score_systems(project, split, list(systems))
        if options["json"]:
            self.stdout.write(orjson.dumps([_as_json(row) for row in rows]).decode())
            return
        kinds = scoring_of(project).kinds
        for row in rows:
            self.stdout.write(f"{row.system}: {row.answers:,} of {row.questions:,} answers")
            width = max([_WIDTH, *(len(kinds[name].label) for name in row.figures)])
            for name, score in row.figures.items():
                between = score.interval
                bounds = f"{between.low:.1f} to {between.high:.1f}" if between else score.note
                self.stdout.write(
                    f"  {kinds[name].label:<{width}} {score.value:>6.1f}  "
                    f"{bounds:<14} n {score.n:,}"
                )

    def _take(self, systems: list[System], options: dict[str, Any]) -> None:
        """Store a reader's answers from a file."""
        if len(systems) > 1:
            raise Conflict(
                "--reader-answers is of one system. Name it with --system and --version."
            )
        with open_seekable_file(options["reader_answers"]) as file:
            reader_files.store_answers(
                system=systems[0],
                answers=reader_files.answers_in(file),
                reader=options["reader"],
                by=None,
                now=timezone.now(),
            )

    def _score(self, project: Project, split: str, options: dict[str, Any]) -> None:
        """Read, where a reader is named, and store what is measured."""
        reader = "" if options["reader_answers"] else options["reader"]
        run = scoring_services.ScoringRun(project, split, reader)
        with ProgressBar(sys.stderr, "Scoring", "steps") as progress:
            run.score_systems(now=timezone.now, on_save=progress)
        scoring_services.log_reader_answers(run, by=None, now=timezone.now())


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
                "signature": score.signature,
            }
            | ({"note": score.note} if score.note else {})
            for name, score in row.figures.items()
        },
    }
