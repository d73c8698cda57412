"""The checkpoints of a training: which were written to their end. Loads no torch."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MARKER: Final = "whole.json"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint that was written to its end.

    step: how many steps were taken; seconds: how long they took, over all processes; over: whether
    none is to follow.
    """

    folder: Path
    step: int
    seconds: float
    over: bool


def list_whole_checkpoints(folder: Path) -> list[Checkpoint]:
    """Return the checkpoints of a run in the order of their steps, without those half written."""
    found = []
    for marker in folder.glob(f"checkpoint-*/{MARKER}"):
        said = json.loads(marker.read_text())
        found.append(Checkpoint(marker.parent, said["step"], said["seconds"], said["over"]))
    return sorted(found, key=lambda checkpoint: checkpoint.step)


def remove_broken_checkpoints(folder: Path) -> None:
    """Delete what a process left that was killed while it wrote a checkpoint."""
    for path in folder.glob("checkpoint-*"):
        if not (path / MARKER).is_file():
            shutil.rmtree(path)


def find_last_step(folder: Path) -> int:
    """Return the step of the last whole checkpoint of a run, 0 where there is none."""
    return max((checkpoint.step for checkpoint in list_whole_checkpoints(folder)), default=0)
