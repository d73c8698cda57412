"""What a training will take, before it begins: what it learns from, its steps, memory and time."""

import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

from annotation.models import Split
from modeling.pace import describe_duration
from modeling.training.memory import count_numbers, find_free_bytes
from modeling.training.reasons import describe_left_out
from modeling.training.runs import read_result
from modeling.training.trainings import ProjectTraining

TIMED_STEPS: Final = 8


@dataclass(frozen=True)
class Estimate:
    """What a training will take.

    questions: those of the project learnt from; left_out: how many are not, by reason; also: how
    much of other projects is; dev_questions: those that choose a checkpoint; steps: at most; bytes:
    of memory, at least; free: bytes that are; room: how many numbers a model can have there, if it
    is trained like this; device: on what; seconds: of all steps, None if too few were taken.
    """

    examples: int
    questions: int
    left_out: Mapping[str, int]
    also: Mapping[str, str]
    dev_questions: int
    steps: int
    bytes: int
    free: int
    room: int
    device: str
    seconds: float | None

    def describe(self) -> list[str]:
        """Return it in sentences."""
        chosen = f"{self.dev_questions:,} questions of dev choose the checkpoint"
        time_taken = (
            "" if self.seconds is None else f", about {describe_duration(self.seconds)} in all"
        )
        return [
            f"{self.examples:,} examples of {self.questions:,} questions to learn from; "
            f"{chosen if self.dev_questions else 'the last step is kept'}.",
            *(f"As well from {slug}: {how_much}." for slug, how_much in self.also.items()),
            describe_left_out(self.left_out),
            f"{self.steps:,} steps at most on {self.device}{time_taken}, without looks at dev.",
            f"More than {self.bytes / 1e9:,.1f} GB of memory. {self.free / 1e9:,.1f} GB are free, "
            f"where models of up to {self.room / 1e6:,.0f} million parameters have room "
            "before the first batch.",
        ]


def estimate_training(training: ProjectTraining, *, apart: bool = False) -> Estimate:
    """Return what a training will take, by taking a few steps; nothing of them is kept.

    apart: take them in a process of their own. Raises what training raises.
    """
    folder = Path(tempfile.mkdtemp(prefix="ambit-training-"))
    try:
        ended = _take_steps(training, folder / "timed", apart=apart)
        # A page is read as many windows, or as none.
        steps = training.count_steps(read_result(folder / "timed").examples)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    between = [after - before for before, after in pairwise(ended)]
    free = find_free_bytes(training.choice.device)
    counts = training.builders[Split.TRAIN.value].counts
    return Estimate(
        examples=len(training.train),
        questions=counts.used,
        left_out=dict(sorted(counts.left_out.items())),
        also=training.describe_others(),
        dev_questions=len({example.id for example in training.dev}),
        steps=steps,
        bytes=training.bytes,
        free=free,
        room=free * count_numbers(training.base) // training.bytes,
        device=_name_device(training.choice.device),
        seconds=median(between) * steps if between else None,
    )


def _take_steps(training: ProjectTraining, folder: Path, *, apart: bool) -> list[float]:
    """Return when each of a few steps ended, in seconds."""
    settings = {"max_steps": min(TIMED_STEPS, training.steps), "no_dev": True}
    ended: list[float] = []
    if not apart:
        training.train_in(
            folder, **settings, report=lambda done, total: ended.append(time.monotonic())
        )
        return ended
    with training.start_apart(folder, **settings) as run:
        for _ in run.iterate_steps():
            ended.append(time.monotonic())
        run.wait()
    return ended


def _name_device(device: str) -> str:
    import torch

    cards = device != "cpu" and torch.cuda.is_available()
    return "a graphics card" if cards else "a processor"
