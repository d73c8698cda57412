"""The steps of a training, from the last whole checkpoint to the chosen one. Loads torch."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch
import transformers
from accelerate.utils.memory import clear_device_cache

from modeling.training.adapters import merge_adapters
from modeling.training.callbacks import Patience, Recorder
from modeling.training.checkpoints import list_whole_checkpoints, remove_broken_checkpoints
from modeling.training.examples import Example
from modeling.training.figures import Figures
from modeling.training.recipes import Recipe
from modeling.training.runs import TrainedResult, choose_for_looks
from modeling.training.scoring import score_model
from modeling.training.shrinking import StepOutOfMemory, read_at_once, reduce_at_once
from modeling.training.starting import Start
from modeling.training.tensors import ExampleRows
from modeling.training.trainer import (
    ExampleTrainer,
    build_arguments,
    choose_optimiser,
    device_name,
)

MERGED: Final = "merged"  # the folder of the chosen weights, where adapters were learnt


def run_steps(
    folder: Path,
    recipe: Recipe,
    begin: Callable[[], Start],
    dev: Sequence[Example],
    *,
    at_once: int | None,
    **more: Any,
) -> TrainedResult:
    """Take the steps that are still to be taken, and say what came of all of them.

    begin: makes the model as it is before any step; more: what `_take_steps` takes. Where memory
    runs out in a step, steps are taken again from the last whole checkpoint, with fewer examples in
    memory together.
    """
    while True:
        parts = read_at_once(folder) or at_once
        try:
            return _take_steps(folder, recipe, begin(), dev, at_once=parts, **more)
        except StepOutOfMemory as problem:
            reduce_at_once(folder, recipe, problem)
        # Once the model and its error are forgotten.
        clear_device_cache(garbage_collection=True)


def _take_steps(
    folder: Path,
    recipe: Recipe,
    start: Start,
    dev: Sequence[Example],
    *,
    seed: int,
    max_steps: int | None,
    device: str,
    at_once: int | None,
    looks: int | None,
    report: Callable[[int, int], None] | None,
    stop: Callable[[], bool] | None,
) -> TrainedResult:
    remove_broken_checkpoints(folder)
    before = list_whole_checkpoints(folder)
    last = before[-1] if before else None
    looked = choose_for_looks(dev)
    arguments = build_arguments(
        recipe,
        folder,
        len(start.examples),
        seed=seed,
        max_steps=max_steps,
        device=device,
        at_once=at_once,
        looks=looks,
        with_dev=bool(dev),
    )
    stopped = False
    seen: Mapping[int, Figures] = {}
    if last is None or not last.over:
        rows = ExampleRows(start.examples, seed)
        recorder = Recorder(
            folder, rows, seconds=last.seconds if last else 0.0, report=report, stop=stop
        )
        trainer = ExampleTrainer(
            model=start.model,
            args=arguments,
            train_dataset=rows,
            eval_dataset=looked if dev else None,
            data_collator=start.collate,
            callbacks=[recorder, *([Patience(recipe.patience)] if dev and recipe.patience else [])],
            loss=start.loss,
            score=lambda model: score_model(recipe, start.weights, model, looked),
            adapters=start.adapters is not None,
            optimizer_cls_and_kwargs=choose_optimiser(recipe),
        )
        trainer.remove_callback(transformers.PrinterCallback)
        trainer.train(resume_from_checkpoint=str(last.folder) if last else None)
        stopped = recorder.stopped
        # With adapters, what was seen was not what is published: sums were rounded differently.
        if len(looked) == len(dev) and start.adapters is None:
            seen = trainer.looks
    return _result(folder, recipe, start, dev, seen, arguments, stopped=stopped)


def _result(
    folder: Path,
    recipe: Recipe,
    start: Start,
    dev: Sequence[Example],
    seen: Mapping[int, Figures],
    arguments: Any,
    *,
    stopped: bool,
) -> TrainedResult:
    """Return what came of all steps. seen: figures over all of dev, by step."""
    last = list_whole_checkpoints(folder)[-1]
    state = json.loads((last.folder / "trainer_state.json").read_text())
    step = state["best_global_step"] or last.step
    chosen = folder / f"checkpoint-{step}"
    if start.adapters is not None and not stopped:
        merge_adapters(start.adapters, chosen, folder / MERGED)
        chosen = folder / MERGED
    figures = Figures({})
    if dev and not stopped:
        figures = seen.get(step) or _score_checkpoint(recipe, start, chosen, dev)
    return TrainedResult(
        folder=folder,
        checkpoint=chosen,
        steps=last.step,
        step=step,
        figures=dict(figures),
        intervals=figures.find_intervals(),
        examples=len(start.examples),
        left_out=dict(start.left_out),
        dev_questions=len({example.id for example in dev}),
        seconds=last.seconds,
        device=device_name(arguments),
        precision="bfloat16 (weights in float32)" if arguments.bf16 else "float32",
        threads=torch.get_num_threads(),
        finished=not stopped,
    )


def _score_checkpoint(
    recipe: Recipe, start: Start, chosen: Path, dev: Sequence[Example]
) -> Figures:
    model = type(start.model).from_pretrained(chosen).to(start.model.device)
    return score_model(recipe, start.weights, model, dev)
