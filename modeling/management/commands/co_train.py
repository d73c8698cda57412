"""manage.py co_train PROJECT --name NAME"""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import CommandError
from django.utils import timezone

from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.management.base import ProjectCommand
from annotation.models import Project
from modeling.base import MissingModel
from modeling.management.base import add_training_arguments, read_options
from modeling.management.commands.train import stop_when_told
from modeling.training.cotraining_data import SYSTEM, CotrainingChoice
from modeling.training.cotraining_runs import CotrainingRun
from wikipedia.management.progress import ProgressBar


class Command(ProjectCommand):
    help = (
        "Train SpanSeqGen on questions of which only one answer is known as well (AmbigQA's\n"
        "Algorithm 1).\n\n"
        "  manage.py co_train crossings --name ours --partial NQ-open.train.jsonl\n\n"
        "In each round several models are trained, and answers that more than half of them add\n"
        "to a known one are learnt from in the next. After the last round models are trained once\n"
        "more: with 6 models and 2 rounds, 18 trainings. Model M of round R is named\n"
        "trained:NAME-R-M. The same command goes on where it was stopped or killed. Without\n"
        "--partial, the project's questions of train that have known answers and none that is\n"
        "accepted are used. What is held out for scores anywhere is never used.\n\n"
        "--json prints name, full, partial, partial_left_out, rounds (each with round, questions,\n"
        "models, branches, questions_added, answers_added) and votes. Exit status 1: it could not\n"
        "go on; 2: bad input, or it cannot run here; 130: stopped."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--name", required=True, help="small letters, digits, -")
        parser.add_argument("--models", type=int, default=6, metavar="N", help="6 if left out")
        parser.add_argument("--rounds", type=int, default=2, metavar="N", help="2 if left out")
        parser.add_argument(
            "--partial", type=Path, metavar="FILE", help="questions as NQ-open's, JSON lines"
        )
        add_training_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        try:
            run = CotrainingRun(project, _read_choice(options))
        except (Conflict, MissingModel) as problem:
            raise CommandError(str(problem), returncode=2) from None
        said = self._run(run, project)
        if options["json"]:
            self.stdout.write(orjson.dumps(said).decode())
            return
        for line in _list_lines(said):
            self.stdout.write(line)

    def _run(self, run: CotrainingRun, project: Project) -> dict[str, Any]:
        before = run.finished
        try:
            with (
                ProgressBar(sys.stderr, "Co-training", "steps", every=10.0) as progress,
                stop_when_told() as stop,
            ):
                said = run.run(
                    report=lambda name, done, total: progress(done, total, name), stop=stop
                )
        except (Conflict, MissingModel) as problem:
            raise CommandError(str(problem), returncode=1) from None
        if said is None:
            raise CommandError("Stopped. The same command continues from there.", returncode=130)
        for model in [] if before else [each for one in said["rounds"] for each in one["models"]]:
            audit.record_action(
                "weights_trained", project, by=None, now=timezone.now(), project=project,
                name=model["name"], role=SYSTEM, examples=model["examples"],
            )  # fmt: skip
        return said


def _read_choice(options: dict[str, Any]) -> CotrainingChoice:
    names = ("name", "models", "rounds", "partial", "base", "preset", "max_steps", "device")
    return CotrainingChoice(
        **{name: options[name] for name in (*names, "at_once", "no_dev", "keep_suggested")},
        changes=read_options(options["set"]),
        options=read_options(options["option"]),
    )


def _list_lines(said: dict[str, Any]) -> list[str]:
    left_out = ", ".join(f"{count:,} {why}" for why, count in said["partial_left_out"].items())
    lines = [
        f"{said['full']:,} questions with all answers, {said['partial']:,} with one known answer"
        + (f" (left out: {left_out})." if left_out else ".")
    ]
    for one in said["rounds"]:
        names = f"trained:{one['models'][0]['name']} to {one['models'][-1]['name']}"
        figures = [next(iter(model["figures"].values()), None) for model in one["models"]]
        given = [figure for figure in figures if figure is not None]
        spread = f"; dev {min(given):.4g} to {max(given):.4g}" if given else ""
        lines.append(f"{names}, from {one['questions']:,} questions{spread}.")
        if "branches" in one:
            ways = one["branches"]
            lines.append(
                f"  Added: {ways['several']:,} questions with {one['answers_added']:,} further "
                f"answers, {ways['one']:,} with the known one; left out: {ways['left_out']:,}."
            )
    return lines + _list_votes(said["votes"])


def _list_votes(votes: dict[str, Any]) -> list[str]:
    if not votes:
        return []
    single = max(votes["single"].values())
    lines = [
        f"F1-answer on {votes['questions']:,} questions of dev: {single:.4g} of the best last "
        f"model, {votes['all']:.4g} of all that vote, {votes['majority']:.4g} of what more than "
        "half of them give."
    ]
    if "best" in votes:
        best, half = votes["best"], votes["half"]
        lines.append(
            f"The best 4 to 6: {best['f1_answer']:.4g} ({', '.join(best['models'])}), too good as "
            f"they were chosen by it; chosen on one half of dev, {half['unseen']:.4g} on the other."
        )
    return lines
