"""manage.py train PROJECT --system KEY --name NAME"""

import signal
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import fmean
from typing import Any

import orjson
from django.core.management.base import CommandError
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.management.base import ProjectCommand
from annotation.models import Project
from modeling.base import MissingModel
from modeling.management.base import add_training_arguments, read_options
from modeling.training.building import ExampleChoice
from modeling.training.estimates import estimate_training
from modeling.training.jobs import record_training
from modeling.training.mixing import read_also
from modeling.training.recipes import RECIPES
from modeling.training.runs import TrainedResult
from modeling.training.trainings import (
    ProjectTraining,
    TrainingChoice,
    list_use_options,
)
from wikipedia.management.progress import ProgressBar


class Command(ProjectCommand):
    help = (
        "Train the weights of a baseline on what is accepted in a project.\n\n"
        "  manage.py train crossings --system disambig-first --role ambiguity \\\n"
        "    --from minilm --preset small --name our-ambiguity\n\n"
        "Examples are those of training_set: train to learn from, dev to choose a checkpoint by.\n"
        "What is trained is named trained:NAME. The same command goes on where it was stopped\n"
        "(Ctrl-C saves a checkpoint first) or killed, and gets the same weights. --preset paper\n"
        "is the paper's recipe, small one for a processor, lora one that learns adapters where\n"
        "memory is too small for all of a model; --set learning_rate=1e-4 changes a number.\n"
        "--seeds 0,1,2 trains NAME-0, NAME-1, NAME-2 and prints mean and range.\n"
        "--dry-run says what it will take, and trains nothing.\n\n"
        "--json prints a list with name, role, seed, examples, left_out, steps, step,\n"
        "figures, seconds. Exit status 1: it could not go on; 2: bad input, or it cannot run\n"
        "here; 130: stopped."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--system", required=True, metavar="KEY", help="key of the baseline")
        parser.add_argument("--role", default="", choices=list(RECIPES), help="part of the system")
        parser.add_argument(
            "--name", required=True, help="of the weights: small letters, digits, -"
        )
        parser.add_argument("--seeds", default="0", metavar="N,N", help="0 if left out")
        parser.add_argument(
            "--also", action="append", default=[], metavar="PROJECT:N",
            help="learn from another project's train as well, N times in an epoch",
        )  # fmt: skip
        parser.add_argument("--dry-run", action="store_true", help="train nothing")
        add_training_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        try:
            trainings = [ProjectTraining(project, choice) for choice in _list_choices(options)]
        except (Conflict, MissingModel) as problem:
            raise CommandError(str(problem), returncode=2) from None
        if options["dry_run"]:
            self._tell(trainings[0], as_json=options["json"])
            return
        said = [self._train(project, training) for training in trainings]
        if options["json"]:
            self.stdout.write(orjson.dumps(said).decode())
        else:
            self._sum_up(said, trainings)

    def _train(self, project: Project, training: ProjectTraining) -> dict[str, Any]:
        key = training.choice.key
        try:
            with (
                ProgressBar(sys.stderr, f"Training {key}", "steps", every=10.0) as progress,
                stop_when_told() as stop,
            ):
                result = training.run(report=progress, stop=stop)
            if not result.finished:
                raise CommandError(
                    f"Stopped after step {result.steps:,}. The same command continues from there.",
                    returncode=130,
                )
            facts = training.publish(result)
        except (Conflict, MissingModel) as problem:
            raise CommandError(str(problem), returncode=1) from None
        record_training(training, by=None, now=timezone.now())
        return _describe(training, result, facts)

    def _tell(self, training: ProjectTraining, *, as_json: bool) -> None:
        try:
            estimate = estimate_training(training)
        except (Conflict, MissingModel) as problem:
            raise CommandError(str(problem), returncode=2) from None
        if as_json:
            self.stdout.write(orjson.dumps(vars(estimate)).decode())
            return
        self.stdout.write(f"{training.choice.key}: {' '.join(estimate.describe())}")

    def _sum_up(self, said: list[dict[str, Any]], trainings: list[ProjectTraining]) -> None:
        for one, training in zip(said, trainings, strict=True):
            figures = ", ".join(f"{name} {value:.4g}" for name, value in one["figures"].items())
            use = list_use_options(
                training.choice.examples.system, one["role"], training.choice.key
            )
            self.stdout.write(
                f"trained:{one['name']}, from {one['examples']:,} examples: step {one['step']:,} "
                f"of {one['steps']:,}; dev: {figures or 'not used'}.\nUse it: {use}"
            )
        if len(said) > 1 and said[0]["figures"]:
            metric = trainings[0].recipe.metric
            values = [one["figures"][metric] for one in said]
            self.stdout.write(
                f"{metric} over {len(values)} seeds: {fmean(values):.4g} "
                f"({min(values):.4g} to {max(values):.4g})."
            )


@contextmanager
def stop_when_told() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C and a termination signal end a training after the step that is under way."""
    told: list[int] = []
    names = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(name, lambda number, frame: told.append(number)) for name in names]
    try:
        yield lambda: bool(told)
    finally:
        for name, handler in zip(names, before, strict=True):
            signal.signal(name, handler)


def _list_choices(options: dict[str, Any]) -> list[TrainingChoice]:
    seeds, also = _read_seeds(options["seeds"]), read_also(options["also"])
    return [
        TrainingChoice(
            examples=ExampleChoice(
                system=options["system"],
                role=options["role"],
                options=read_options(options["option"]),
                keep_suggested=options["keep_suggested"],
            ),
            key=options["name"] if len(seeds) == 1 else f"{options['name']}-{seed}",
            base=options["base"],
            preset=options["preset"],
            changes=read_options(options["set"]),
            seed=seed,
            max_steps=options["max_steps"],
            device=options["device"],
            at_once=options["at_once"],
            no_dev=options["no_dev"],
            also=also,
        )
        for seed in seeds
    ]


def _read_seeds(text: str) -> list[int]:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) < 9 for part in parts):
        raise CommandError(f"--seeds {text}: write whole numbers, such as 0,1,2.", returncode=2)
    return list(dict.fromkeys(map(int, parts)))


def _describe(
    training: ProjectTraining, result: TrainedResult, facts: dict[str, Any]
) -> dict[str, Any]:
    return {
        "name": training.choice.key,
        "role": training.recipe.role,
        "seed": training.choice.seed,
        "examples": result.examples,
        "left_out": facts["data"]["questions_left_out"],
        "steps": result.steps,
        "step": result.step,
        "figures": {**result.figures, **facts["dev"]},
        "seconds": result.seconds,
    }
