"""Trainings of a project (S58): its examples, a recipe, a base; then weights with a name."""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from accounts.models import User
from annotation.core.consistent_view import snapshot
from annotation.core.refusals import Conflict
from annotation.models import Project, Split
from modeling.training.adapters import check_adapters
from modeling.training.apart import ApartRun, start_apart
from modeling.training.building import ExampleBuilder, ExampleChoice, find_part
from modeling.training.examples import Example
from modeling.training.memory import check_room
from modeling.training.mixing import OtherExamples, find_others, mix_examples
from modeling.training.publishing import publish_model
from modeling.training.reasons import describe_left_out
from modeling.training.recipe_changes import change_recipe
from modeling.training.recipes import Recipe
from modeling.training.runs import TrainedResult, check_examples, train_model
from modeling.weights import (
    TRAINED,
    Weights,
    get_weights,
    run_folder,
    trained_folder,
)

# Roles that no baseline has a model of its own for, and those that begin with word vectors.
_BASES: Final = dict.fromkeys(("encoder", "decatt", "doc-reader", "document-qa"), "minilm")


@dataclass(frozen=True, kw_only=True)
class TrainingChoice:
    """What is trained, from what, and what it is called.

    examples: for which role, and how passages are searched; key: the name of the weights; base:
    those to begin with, "" for the paper's; preset, changes: numbers of the recipe
    (`recipe_changes`); device: "auto", "cpu" or "cuda"; at_once: examples in memory together;
    no_dev: keep the last step, instead of the one that is best on dev; also: other projects, each
    with how often its examples are read in an epoch (`mixing`).
    """

    examples: ExampleChoice
    key: str
    base: str = ""
    preset: str = "paper"
    changes: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    max_steps: int | None = None
    device: str = "auto"
    at_once: int | None = None
    no_dev: bool = False
    also: Mapping[str, int] = field(default_factory=dict)


class ProjectTraining:
    """A training that can begin: everything is read, nothing is trained yet.

    Raises MissingModel where packages, weights, an index or memory are missing; BadOption for what
    cannot be chosen; Conflict where the examples do not suffice, or the name is taken.
    """

    def __init__(self, project: Project, choice: TrainingChoice) -> None:
        self.project, self.choice = project, choice
        _check_name(choice.key)
        others = find_others(choice.also, project, None)
        self.builders = {
            split: ExampleBuilder(project, _choose_examples(choice, split))
            for split in (Split.TRAIN.value, Split.DEV.value)
        }
        part = self.builders[Split.TRAIN.value].recipe
        self.recipe = change_recipe(part, choice.preset, choice.changes)
        self.base = _find_base(self.recipe, choice.base)
        check_adapters(self.recipe, self.base)
        self.bytes = check_room(self.base, choice.device, self.recipe)
        own = _read_examples(self.builders[Split.TRAIN.value])
        counts = self.builders[Split.TRAIN.value].counts
        if not own and counts.left_out:
            raise Conflict(
                f"There is no example to learn from. {describe_left_out(counts.left_out)}"
            )
        self.others = [self._read_other(other, times) for other, times in others]
        self.train = mix_examples(own, self.others)
        self.dev = [] if choice.no_dev else _read_examples(self.builders[Split.DEV.value])
        check_examples(self.recipe, self.train, self.dev, no_dev=choice.no_dev)

    @property
    def folder(self) -> Path:
        """Where the training is, while it goes on and afterwards."""
        return run_folder(self.choice.key)

    @property
    def steps(self) -> int:
        """How many steps it takes at most, where each example is read as one."""
        return self.count_steps(len(self.train))

    def count_steps(self, examples: int) -> int:
        """Return how many steps it takes at most over this many examples, or windows of pages."""
        steps = self.recipe.count_steps(examples)
        return min(self.choice.max_steps or steps, steps)

    def run(
        self,
        *,
        report: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> TrainedResult:
        """Train, or go on where the same training was interrupted. Nothing is published."""
        return self.train_in(self.folder, report=report, stop=stop)

    def start_apart(
        self, folder: Path | None = None, **settings: Any
    ) -> AbstractContextManager[ApartRun]:
        """Do the same in a process of its own, which ends with the block.

        folder, settings: in place of the training's own.
        """
        choice = self.choice
        own = {"max_steps": choice.max_steps, "at_once": choice.at_once, "looks": None}
        return start_apart(
            folder or self.folder,
            {"device": choice.device, "role": self.base.role},
            recipe=self.recipe,
            train=self.train,
            dev=[] if settings.get("no_dev") else self.dev,
            base=self.base,
            seed=choice.seed,
            settings=own | {"no_dev": choice.no_dev} | settings,
        )

    def publish(self, result: TrainedResult, *, job: int | None = None) -> dict[str, Any]:
        """Make the weights nameable, and return what is known of them."""
        facts = self.describe(result)
        publish_model(self.folder, self.choice.key, facts | ({"job": job} if job else {}))
        return facts

    def describe(self, result: TrainedResult) -> dict[str, Any]:
        """Return what a card says beside what the training itself knows."""
        train = self.builders[Split.TRAIN.value]
        return {
            "system": self.choice.examples.system,
            "retrieval": train.describe_retrieval() or {},
            "data": {
                "project": self.project.slug,
                "split": Split.TRAIN.value,
                "questions": train.counts.used,
                "questions_left_out": dict(sorted(train.counts.left_out.items())),
                "sources": dict(sorted(train.counts.sources.items())),
                "newest": train.counts.newest,
                "kept_suggested": self.choice.examples.keep_suggested,
                **({"also": also} if (also := self.describe_others()) else {}),
            },
            "dev": self._compare() if result.figures else {},
        }

    def describe_others(self) -> dict[str, str]:
        """Return how much of each other project is learnt from, by its name in addresses."""
        return {other.project.slug: other.describe() for other in self.others}

    def train_in(self, folder: Path, **more: Any) -> TrainedResult:
        """Train in a folder; more: options of `train_model` in place of the training's own."""
        choice = self.choice
        options = {"max_steps": choice.max_steps, "no_dev": choice.no_dev} | more
        return train_model(
            folder,
            self.recipe,
            train=self.train,
            dev=self.dev,
            base=self.base,
            seed=choice.seed,
            device=choice.device,
            at_once=choice.at_once,
            **options,
        )

    def _compare(self) -> dict[str, float]:
        """Return what stands beside the dev figure: of no model, and of the base as it was."""
        from modeling.training.scoring import score_model, score_without_model  # loads torch
        from modeling.training.starting import start_model

        beside = score_without_model(self.recipe, self.dev)
        folder = Path(tempfile.mkdtemp(prefix="ambit-training-"))
        try:
            start = start_model(self.recipe, self.base, self.train, folder, self.choice.seed)
            untrained = score_model(self.recipe, start.weights, start.model, self.dev)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return beside | {"untrained": next(iter(untrained.values()))}

    def _read_other(self, project: Project, times: int) -> OtherExamples:
        builder = ExampleBuilder(project, _choose_examples(self.choice, Split.TRAIN.value))
        return OtherExamples(project, times, builder, _read_examples(builder))


def _choose_examples(choice: TrainingChoice, split: str) -> ExampleChoice:
    return replace(choice.examples, split=split, without=choice.changes.get("without", ""))


def _read_examples(builder: ExampleBuilder) -> list[Example]:
    with snapshot():
        return [example for _, made in builder.iterate_examples() for example in made]


def check_can_begin(project: Project, choice: TrainingChoice, by: User) -> Recipe:
    """Return the recipe of a training that can begin, as far as a web server knows.

    The worker reads the examples, and knows its memory. Raises what `ProjectTraining` raises.
    """
    _check_name(choice.key)
    find_others(choice.also, project, by)
    builder = ExampleBuilder(project, _choose_examples(choice, choice.examples.split))
    recipe = change_recipe(builder.recipe, choice.preset, choice.changes)
    check_adapters(recipe, _find_base(recipe, choice.base))
    return recipe


def _check_name(key: str) -> None:
    if trained_folder(key).exists():
        raise Conflict(f"There are weights {TRAINED}{key} already. Choose another name.")


def _find_base(recipe: Recipe, name: str) -> Weights:
    return get_weights(recipe.role, name.strip() or _BASES.get(recipe.role, ""), may_be_fast=False)


def list_use_options(system: str, role: str, key: str) -> str:
    """Return how a baseline is told to run on trained weights."""
    name = f"{TRAINED}{key}"
    if role == "reranker":
        return f"AMBIT_MODELS=reranker={name}"
    first = find_part(system).role
    option = role if role == "encoder" or role != first else "model"
    return f"--option {option}={name}"
