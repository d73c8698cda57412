"""Fewer examples in memory together, where it ran out in a step.

What a step learns does not depend on how many examples were in memory together: losses are sums,
divided by the items of the whole batch. So the training goes on from its last whole checkpoint with
a part of the batch at once, and notes in its folder that it does: whoever goes on after a kill does
so too. The trainer has a way of its own (`auto_find_batch_size`), which is not used: it takes fewer
examples for a step, and goes on with a model that has taken steps after the checkpoint.
"""

import json
import logging
from pathlib import Path
from typing import Final

from annotation.core.refusals import Conflict
from modeling.training import recipes
from modeling.training.recipes import Recipe

AT_ONCE: Final = "at_once.json"
logger = logging.getLogger(__name__)


class StepOutOfMemory(Exception):
    """Memory ran out in a step.

    step: its number; batch: its examples; together: those that were in memory together.
    """

    def __init__(self, step: int, *, batch: int, together: int) -> None:
        super().__init__(f"memory ran out in step {step}")
        self.step, self.batch, self.together = step, batch, together


def is_out_of_memory(error: Exception) -> bool:
    """Return whether memory of a graphics card or of this machine was too small."""
    import torch
    from accelerate.utils.memory import should_reduce_batch_size

    return isinstance(error, torch.OutOfMemoryError) or should_reduce_batch_size(error)


def read_at_once(folder: Path) -> int | None:
    """Return how many examples are in memory together since it ran out, None where it did not."""
    path = folder / AT_ONCE
    return int(json.loads(path.read_text())["at_once"]) if path.is_file() else None


def reduce_at_once(folder: Path, recipe: Recipe, problem: StepOutOfMemory) -> None:
    """Note that half as many examples are to be in memory together, or the next part of a batch.

    Raises Conflict where there are no fewer, or where the batch cannot be divided.
    """
    batch, together = problem.batch, problem.together
    ran_out = f"Memory ran out in step {problem.step:,} with {together:,} examples at once."
    if recipe.learns == recipes.EMBED:
        raise Conflict(
            f"{ran_out} An encoder compares each question with all passages of its batch, which "
            f"cannot be divided. Begin again with a smaller batch (batch={max(batch // 2, 1)}) or "
            "fewer tokens (tokens_in)."
        )
    if together == 1:
        fewer = "" if recipe.adapters else "learn adapters alone (preset lora), "
        raise Conflict(
            f"Memory ran out in step {problem.step:,} with one example at once. Begin with a "
            f"smaller model, {fewer}read fewer tokens (tokens_in={recipe.tokens_in // 2}), or "
            "train on a machine with more memory."
        )
    fewer_at_once = next(part for part in range(together // 2, 0, -1) if batch % part == 0)
    draft = folder / f".{AT_ONCE}"
    draft.write_text(json.dumps({"at_once": fewer_at_once, "step": problem.step}))
    draft.replace(folder / AT_ONCE)
    logger.warning(
        "%s: %s From the last checkpoint on %d are.", folder.name, ran_out, fewer_at_once
    )
