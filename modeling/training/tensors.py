"""Batches of examples as tensors, by the tokens that baselines read. Loads torch.

Which of several renderings, positives and negatives a row has is drawn by seed, epoch and row, so
that a training that was interrupted draws the same when it goes on.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import torch

from modeling.engines.reference import pad_rows
from modeling.engines.tokens import Tokens
from modeling.training.examples import AMBIGUITY_LABELS, Example, TextExample
from modeling.training.recipes import Recipe

IGNORED: Final = -100  # a label that stands for no token
TOO_LONG = "too_long"

Batch = dict[str, Any]


class ExampleRow(NamedTuple):
    """An example with what decides its draws in this epoch."""

    example: Any
    draws: random.Random


class ExampleRows(torch.utils.data.Dataset[ExampleRow]):  # type: ignore[misc]
    """Examples as a data set of torch. `set_epoch` says which epoch the next rows are of."""

    def __init__(self, examples: Sequence[Example], seed: int) -> None:
        self._examples, self._seed, self._epoch = examples, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self._epoch = epoch

    def __len__(self) -> int:
        return len(self._examples)

    def __getitem__(self, place: int) -> ExampleRow:
        example = self._examples[place]
        drawn = f"{self._seed} {self._epoch} {place} {example.id}"
        return ExampleRow(example, random.Random(drawn))  # noqa: S311


def keep_whole_targets(
    tokens: Tokens, examples: Sequence[TextExample], limit: int
) -> tuple[list[TextExample], Counter[str]]:
    """Return the examples with the targets of up to `limit` tokens, and how many are left out.

    A target that is cut has no end, and teaches a model never to stop.
    """
    kept: list[TextExample] = []
    left_out: Counter[str] = Counter()
    for example in examples:
        rows = tokens.encode(example.targets, limit + 1)
        whole = [text for text, row in zip(example.targets, rows, strict=True) if len(row) <= limit]
        if whole:
            kept.append(replace(example, targets=tuple(whole)))
        else:
            left_out[TOO_LONG] += 1
    return kept, left_out


# --- What writes --------------------------------------------------------------------------------


class WrittenBatches:
    """From rows of text examples to inputs and labels, (examples, tokens) each.

    fused: each example has several inputs, which are rows of their own; `counts` says how many.
    """

    def __init__(self, tokens: Tokens, recipe: Recipe, *, fused: bool = False) -> None:
        self._tokens, self._recipe, self._fused = tokens, recipe, fused

    def __call__(self, rows: Sequence[ExampleRow]) -> Batch:
        batch = self.read_inputs(rows)
        targets = [row.draws.choice(row.example.targets) for row in rows]
        written = self._tokens.encode(targets, self._recipe.tokens_out)
        batch["labels"] = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(row.ids) for row in written], batch_first=True, padding_value=IGNORED
        )
        batch["items"] = (batch["labels"] != IGNORED).sum()
        return batch

    def read_inputs(self, rows: Sequence[ExampleRow]) -> Batch:
        """Return what is read of the rows."""
        texts = [row.example.inputs if self._fused else row.example.inputs[:1] for row in rows]
        flat = [text for own in texts for text in own]
        batch: Batch = pad_rows(self._tokens, self._tokens.encode(flat, self._recipe.tokens_in))
        batch.pop("token_type_ids", None)
        batch["counts"] = torch.tensor([len(own) for own in texts])
        return batch


class ClassifiedBatches:
    """From rows of text examples to texts and the numbers of their classes, (examples)."""

    def __init__(self, tokens: Tokens, recipe: Recipe) -> None:
        self._tokens, self._recipe = tokens, recipe

    def __call__(self, rows: Sequence[ExampleRow]) -> Batch:
        texts = [row.example.inputs[0] for row in rows]
        batch: Batch = pad_rows(self._tokens, self._tokens.encode(texts, self._recipe.tokens_in))
        batch["labels"] = torch.tensor([class_of(row.example) for row in rows])
        batch["items"] = torch.tensor(len(rows))
        return batch


def class_of(example: TextExample) -> int:
    """Return the number of the class that an example of the classifier is of."""
    return AMBIGUITY_LABELS.index(example.targets[0])
