"""Algorithm 1 of AmbigQA on a project (A94): rounds of training SpanSeqGen and of labelling.

A run is a folder of AMBIT_DATA/training. Each model of each round is a training that goes on where
it was interrupted, and leaves a file of its answers, so a run that was killed begins with the first
model that is not finished. After the last round models learn from what it has found.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from annotation.core.refusals import Conflict
from annotation.models import Project
from modeling import engines, outputs
from modeling.base import BadOption
from modeling.engines.base import GeneratedText, Limits
from modeling.inputs import span_seq_gen
from modeling.training.adapters import check_adapters
from modeling.training.building import find_part
from modeling.training.cotraining import PartialLabels, build_round, label_partial_questions
from modeling.training.cotraining_data import SYSTEM, CotrainingChoice, CotrainingData
from modeling.training.cotraining_files import publish_once, write_json
from modeling.training.examples import TextExample
from modeling.training.memory import check_room
from modeling.training.recipe_changes import change_recipe
from modeling.training.runs import TrainedResult, check_examples, train_model
from modeling.training.values import Labelled
from modeling.training.vote_combinations import MOST_MODELS, describe_votes
from modeling.weights import TRAINED, Weights, get_weights, trained_folder

MOST_ROUNDS: Final = 5
_REPORT: Final = "report.json"
_BEAMS: Final = 4
Answers = dict[str, list[str]]


class CotrainingRun:
    """A co-training that can begin: everything is read, nothing is trained yet.

    Raises MissingModel where packages, weights, an index or memory are missing; BadOption for what
    cannot be chosen; Conflict where the examples do not suffice, or a name is taken.
    """

    def __init__(self, project: Project, choice: CotrainingChoice) -> None:
        self.project, self.choice = project, choice
        if not 2 <= choice.models <= MOST_MODELS:
            raise BadOption(f"Train 2 to {MOST_MODELS} models, not {choice.models}.")
        if not 1 <= choice.rounds <= MOST_ROUNDS:
            raise BadOption(f"Label in 1 to {MOST_ROUNDS} rounds, not {choice.rounds}.")
        if trained_folder(self._name(1, 0)).exists() and not self._plan.is_file():
            raise Conflict(
                f"There are weights {TRAINED}{self._name(1, 0)} already. Choose another name."
            )
        self.recipe = change_recipe(find_part(SYSTEM), choice.preset, choice.changes)
        self.base = get_weights(self.recipe.role, choice.base, may_be_fast=False)
        check_adapters(self.recipe, self.base)
        check_room(self.base, choice.device, self.recipe)
        self.data = CotrainingData(project, choice)
        examples = self.data.build_examples(self.data.full, 0)
        check_examples(self.recipe, examples, self.data.dev, no_dev=choice.no_dev)

    @property
    def folder(self) -> Path:
        """Where the run is, while it goes on and afterwards."""
        return Path(settings.AMBIT_DATA) / "training" / f"{self.choice.name}-cotraining"

    @property
    def finished(self) -> bool:
        """Whether nothing of it is left to be done."""
        return (self.folder / _REPORT).is_file()

    @property
    def _limits(self) -> Limits:
        return Limits(self.recipe.tokens_in, self.recipe.tokens_out, _BEAMS)

    @property
    def _plan(self) -> Path:
        return self.folder / "plan.json"

    def run(
        self,
        *,
        report: Callable[[str, int, int], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> dict[str, Any] | None:
        """Do what is left of the run; None where it was told to stop.

        report: called with the name of a model, and how many of its steps are done. Returns what
        `report.json` in the folder holds: for each round the models with their figures on dev, how
        many questions it has added and which way each went; and how well the last ones vote on dev.
        """
        self._begin()
        labels, rounds = PartialLabels(), []
        for number in range(1, self.choice.rounds + 2):
            rows = build_round(self.data.full, labels)
            last = number > self.choice.rounds
            models, given = [], []
            for seed in range(self.choice.models):
                result = self._train(number, seed, rows, report, stop)
                if not result.finished:
                    return None
                name = self._name(number, seed)
                models.append(
                    {"name": name, "examples": result.examples, "step": result.step}
                    | {"figures": result.figures}
                )
                if not last:
                    given.append(self._continue(number, seed))
            said: dict[str, Any] = {"round": number, "questions": len(rows), "models": models}
            if not last:
                labels = label_partial_questions(
                    [(each.labelled, each.known) for each in self.data.partial], given
                )
                said |= {
                    "branches": dict(labels.branches),
                    "questions_added": len(labels.added),
                    "answers_added": labels.agreed,
                }
            rounds.append(said)
        return self._finish(rounds)

    def _name(self, number: int, seed: int) -> str:
        return f"{self.choice.name}-{number}-{seed}"

    def _begin(self) -> None:
        """Write what the run is of, or raise Conflict where the folder has one of something else.

        What is learnt from is checked by each training itself.
        """
        asked = [[each.labelled.asked.question, each.known] for each in self.data.partial]
        plan = json.loads(
            json.dumps(
                {"models": self.choice.models, "base": self.base.version}
                | {"recipe": asdict(self.recipe), "partial": asked}
            )
        )
        if self._plan.is_file() and json.loads(self._plan.read_text()) != plan:
            raise Conflict(
                "This co-training cannot go on: its models, its base, its recipe or the questions "
                "with known answers have changed since. Choose another name."
            )
        write_json(self._plan, plan)

    def _train(
        self,
        number: int,
        seed: int,
        rows: Sequence[Labelled],
        report: Callable[[str, int, int], None] | None,
        stop: Callable[[], bool] | None,
    ) -> TrainedResult:
        name, choice = self._name(number, seed), self.choice
        folder = self.folder / name
        result = train_model(
            folder,
            self.recipe,
            train=self.data.build_examples(rows, seed),
            dev=self.data.dev,
            base=self.base,
            seed=seed,
            max_steps=choice.max_steps,
            device=choice.device,
            at_once=choice.at_once,
            no_dev=choice.no_dev,
            report=partial(report, name) if report else None,
            stop=stop,
        )
        if result.finished:
            facts = {"project": self.project.slug, "split": "train", "questions": len(rows)}
            facts["kept_suggested"] = choice.keep_suggested
            publish_once(folder, name, result, {"system": SYSTEM, "data": facts})
        return result

    def _continue(self, number: int, seed: int) -> Answers:
        """Return the answers of a model to each question of which one is known, from its file."""
        asked = [each.labelled.asked for each in self.data.partial]
        texts = [span_seq_gen(one.question, self.data.passages[one.id]) for one in asked]
        known = [each.known[0] for each in self.data.partial]
        return self._keep_answers(
            self._name(number, seed),
            "",
            [one.id for one in asked],
            lambda own: engines.load_continuer(own).continue_answers(texts, known, self._limits),
        )

    def _answer_dev(self, number: int, seed: int) -> Answers:
        """Return the answers of a model to each question of dev, from its file."""
        texts = {each.id: each.inputs[0] for each in self.data.dev if isinstance(each, TextExample)}
        return self._keep_answers(
            self._name(number, seed),
            "-dev",
            list(texts),
            lambda own: engines.load_generator(own).generate(list(texts.values()), self._limits),
        )

    def _keep_answers(
        self,
        name: str,
        ending: str,
        ids: Sequence[str],
        write: Callable[[Weights], Sequence[GeneratedText]],
    ) -> Answers:
        path = self.folder / f"{name}{ending}.json"
        if not path.is_file():
            written = write(get_weights(self.recipe.role, f"{TRAINED}{name}", may_be_fast=False))
            engines.unload_engines()  # the next training needs the memory
            write_json(path, dict(zip(ids, map(_read_answers, written), strict=True)))
        answers: Answers = json.loads(path.read_text())
        return answers

    def _describe_votes(self) -> dict[str, Any]:
        """Return how well the models of the last round vote on dev; nothing without dev."""
        if not self.data.dev:
            return {}
        last = self.choice.rounds + 1
        return describe_votes(
            self.data.references,
            {
                self._name(last, seed): self._answer_dev(last, seed)
                for seed in range(self.choice.models)
            },
        )

    def _finish(self, rounds: list[dict[str, Any]]) -> dict[str, Any]:
        said = {
            "name": self.choice.name,
            "full": len(self.data.full),
            "partial": len(self.data.partial),
            "partial_left_out": dict(sorted(self.data.left_out.items())),
            "rounds": rounds,
            "votes": self._describe_votes(),
        }
        write_json(self.folder / _REPORT, said)
        return said


def _read_answers(written: GeneratedText) -> list[str]:
    return [answer.text for answer in outputs.parse_separated_answers(written.text)]
