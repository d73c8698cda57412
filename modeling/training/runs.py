"""A training: a folder with its examples, its state, its curve and its checkpoints.

Whoever calls `train_model` again with the same folder goes on from the last whole checkpoint, and
gets what would have come without the interruption, to the byte on the same machine. torch is
loaded by the calls, not by this module.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from annotation.core.refusals import Conflict
from modeling import engines
from modeling.base import MissingModel
from modeling.training import recipes
from modeling.training.adapters import check_adapters
from modeling.training.example_lines import decode_example, encode_example
from modeling.training.examples import AMBIGUITY_LABELS, Example, TextExample
from modeling.training.libraries import check_training_libraries
from modeling.training.recipes import Recipe
from modeling.weights import Weights

EXAMPLES, CURVE, PLAN, RESULT = "examples.jsonl", "curve.jsonl", "run.json", "result.json"
START = "start"  # the folder of tokenizer and settings, which stay as they are
FEWEST_DEV: Final = 20  # questions; a checkpoint chosen by fewer is chosen by chance
MOST_TOO_LONG: Final = 0.05  # of the targets
DEV_LOOKED_AT: Final = 300  # questions at each look; all of them at the end
_SENTENCES: Final = {
    "base": "Its weights have changed since.",
    "recipe": "Its recipe was another one.",
    "seed": "Its seed was another one.",
    "settings": "It was started with other settings.",
    "train": "The examples to learn from have changed since.",
    "dev": "The examples of dev have changed since.",
}


@dataclass(frozen=True, slots=True)
class TrainedResult:
    """What came of a training.

    checkpoint: the folder of the chosen weights; steps: taken; step: of the checkpoint; figures: of
    it, over all of dev, none without dev; left_out: examples that could not be learnt from, by
    reason; examples: those that were; finished: False where it was stopped, and can go on;
    precision: of the numbers that were multiplied; threads: of the processor; intervals: the bounds
    of figures, at 95 %.
    """

    folder: Path
    checkpoint: Path
    steps: int
    step: int
    figures: dict[str, float]
    examples: int
    left_out: dict[str, int]
    dev_questions: int
    seconds: float
    device: str
    precision: str
    threads: int
    finished: bool
    intervals: dict[str, list[float]] = field(default_factory=dict)


def train_model(
    folder: Path,
    recipe: Recipe,
    *,
    train: Sequence[Example],
    dev: Sequence[Example],
    base: Weights,
    seed: int,
    max_steps: int | None = None,
    device: str = "auto",
    at_once: int | None = None,
    looks: int | None = None,
    no_dev: bool = False,
    report: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> TrainedResult:
    """Train weights for a role in a folder, or go on where a process before this one ended.

    device: "auto", "cpu" or "cuda"; at_once: examples in memory together, where the recipe's batch
    is too large; looks: steps between two looks at dev; no_dev: keep the last step instead of the
    best one; report, stop: called after each step.

    Raises MissingModel where packages or weights are missing, and Conflict where the examples do
    not suffice or are not those that the folder was begun with, where the loss is not finite, or
    where memory runs out and a step cannot be divided further.
    """
    # The threads of the tokenizer would be copied into processes that have no use for them.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    check_training_libraries()
    from modeling.training.running import run_steps  # loads torch
    from modeling.training.starting import Start, start_model

    check_adapters(recipe, base)
    if no_dev:
        dev = ()
    check_examples(recipe, train, dev, no_dev=no_dev)
    settings = {"max_steps": max_steps, "at_once": at_once, "looks": looks, "no_dev": no_dev}
    begin_run(folder, recipe, train, dev, base, seed, settings)
    if (folder / RESULT).is_file():
        return read_result(folder)
    engines.unload_engines()  # their memory is needed

    def begin() -> Start:
        start = start_model(recipe, base, train, folder / START, seed)
        _check_left_out(recipe, start, len(train))
        return start

    result = run_steps(
        folder,
        recipe,
        begin,
        dev,
        seed=seed,
        max_steps=max_steps,
        device=device,
        at_once=at_once,
        looks=looks,
        report=report,
        stop=stop,
    )
    if result.finished:
        _write_json(
            folder / RESULT, asdict(result) | {"folder": "", "checkpoint": result.checkpoint.name}
        )
    return result


def read_result(folder: Path) -> TrainedResult:
    """Return what came of a finished training. Raises MissingModel where it is not finished."""
    if not (folder / RESULT).is_file():
        raise MissingModel("This training is not finished, so it has no weights yet.")
    said = json.loads((folder / RESULT).read_text())
    checkpoint = folder / said["checkpoint"]
    return TrainedResult(**{**said, "folder": folder, "checkpoint": checkpoint})


def check_examples(
    recipe: Recipe, train: Sequence[Example], dev: Sequence[Example], *, no_dev: bool = False
) -> None:
    """Raise Conflict where nothing can be learnt from examples, or no checkpoint chosen by them."""
    if not train:
        raise Conflict("There is no example to learn from. The split train has no accepted answer.")
    questions = len({example.id for example in dev})
    if not no_dev and questions < FEWEST_DEV:
        raise Conflict(
            f"dev has {questions} questions, fewer than {FEWEST_DEV}: no checkpoint can be chosen "
            "by them. Train without dev to keep the last step."
        )
    if recipe.learns == recipes.CLASSIFY:
        classes = {each.targets[0] for each in train if isinstance(each, TextExample)}
        if len(classes) < len(AMBIGUITY_LABELS):
            raise Conflict(
                f"All examples are of one class, “{min(classes)}”: nothing tells two apart."
            )


def _check_left_out(recipe: Recipe, start: Any, count: int) -> None:
    too_long = start.left_out.get("too_long", 0)
    if too_long > MOST_TOO_LONG * count:
        raise Conflict(
            f"{too_long:,} of {count:,} targets are longer than {recipe.tokens_out} tokens, more "
            f"than {MOST_TOO_LONG:.0%}. Raise the limit of what is written (tokens_out)."
        )
    if not start.examples:
        raise Conflict(f"None of the {count:,} examples can be learnt from: {_why(start)}.")


def _why(start: Any) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(start.left_out.items()))


# --- The folder ---------------------------------------------------------------------------------


def begin_run(
    folder: Path,
    recipe: Recipe,
    train: Sequence[Example],
    dev: Sequence[Example],
    base: Weights,
    seed: int,
    settings: dict[str, Any],
) -> None:
    """Write what a run is of, or raise Conflict where the folder has a run of something else."""
    lines = {"train": list(map(encode_example, train)), "dev": list(map(encode_example, dev))}
    plan = {
        "base": {"name": base.name, "version": base.version},
        "recipe": asdict(recipe),
        "seed": seed,
        "settings": settings,
        **{name: _digest(own) for name, own in lines.items()},
    }
    plan = json.loads(json.dumps(plan))
    if (folder / PLAN).is_file():
        before = json.loads((folder / PLAN).read_text())
        for name, sentence in _SENTENCES.items():
            if before[name] != plan[name]:
                raise Conflict(f"This training cannot go on. {sentence} Start another one.")
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / EXAMPLES).open("w", encoding="utf-8") as file:
        for name, own in lines.items():
            file.writelines(f'{{"split": "{name}", {line[1:]}\n' for line in own)
    _write_json(folder / PLAN, plan)


def read_examples(folder: Path, split: str) -> list[Example]:
    """Return the examples that a run was begun with: those of “train” or “dev”."""
    found: list[Example] = []
    with (folder / EXAMPLES).open(encoding="utf-8") as file:
        for line in file:
            said = json.loads(line)
            if said.pop("split") == split:
                found.append(decode_example(said))
    return found


def _digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _write_json(path: Path, content: object) -> None:
    draft = path.with_name(f".{path.name}")
    draft.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    draft.replace(path)


def choose_for_looks(dev: Sequence[Example]) -> list[Example]:
    """Return the examples of the questions that are looked at: 300 of them, by a hash of the id."""
    ids = sorted({each.id for each in dev}, key=lambda one: hashlib.sha256(one.encode()).digest())
    chosen = set(ids[:DEV_LOOKED_AT])
    return [example for example in dev if example.id in chosen]
