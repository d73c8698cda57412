"""What trainings of Natural Questions' baselines make small (N22, N23). Loads torch.

Each is a sum over the questions of a batch, as all losses are (`losses`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import torch
from torch.nn import functional

from modeling.training.tensors import Batch

_NOT_READ: Final = ("labels", "weights", "firsts", "lasts", "items")


def box_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Return how unlikely the right box is among all boxes and no answer, whose score is 0.

    Questions without an answer count less, by their weight (Kwiatkowski et al. 2019, section 6.3).
    """
    scores = model(**_read(batch)).float()
    losses = [
        weight * functional.cross_entropy(functional.pad(own, (1, 0)), label)
        for own, label, weight in zip(
            scores.split(batch["counts"].tolist()), batch["labels"], batch["weights"], strict=True
        )
    ]
    return torch.stack(losses).sum()


def text_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Return the cross-entropy of the first and of the last token of the short answer."""
    starts, ends = model(**_read(batch))
    return functional.cross_entropy(
        starts.float(), batch["firsts"], reduction="sum"
    ) + functional.cross_entropy(ends.float(), batch["lasts"], reduction="sum")


def stretch_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Return the same, among the tokens of all boxes of a question (Clark and Gardner 2018, 3.2).

    The first box of each question has the answer.
    """
    starts, ends = model(**_read(batch))
    counts = batch["counts"].tolist()
    losses = [
        functional.cross_entropy(own, label)
        for scores, labels in ((starts, batch["firsts"]), (ends, batch["lasts"]))
        for own, label in zip(_joined(scores.float(), counts), labels, strict=True)
    ]
    return torch.stack(losses).sum()


def _joined(scores: torch.Tensor, counts: list[int]) -> Iterator[torch.Tensor]:
    """Give the scores of all tokens of a question's boxes, those of the first box first."""
    for own in scores.split(counts):
        yield own.flatten()


def _read(batch: Batch) -> dict[str, torch.Tensor]:
    return {name: tensor for name, tensor in batch.items() if name not in _NOT_READ}
