"""Batches of questions whose passages are chosen one after another, and their loss. Loads torch.

The name of a passage is its place, in as many tokens as the tokenizer makes of it. What is likely
is a name: that its tokens are written and no longer name is, so that "1" does not count for "12".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

import torch
from torch.nn import functional

from modeling.engines.tokens import Tokens
from modeling.reranking import JPR_PASSAGES
from modeling.training.examples import TextExample
from modeling.training.losses import read_together, run_decoder
from modeling.training.oracle import Covers, PassageChoice, draw_choices, find_covers
from modeling.training.recipes import Recipe
from modeling.training.tensors import IGNORED, Batch, ExampleRow, WrittenBatches

Names = Sequence[Sequence[int]]
# How much of a name's share may go to longer names: a logarithm of 0 has no gradient.
_MOST: Final = 1 - 1e-6


class OracleBatches:
    """From rows of JPR's examples to what is read, and to the choices along a path of right ones.

    `labels` are rows of tokens that are written before a choice, the paths first and after them
    what else has to be written to know how likely a name of several tokens is; `owners` says of
    which example a row is. `tokens` and `longer` have a row (name, row, place, token) for each
    token of a name, and for each that would make it a longer one; `steps` says which choice a
    name is right for.
    """

    def __init__(self, tokens: Tokens, recipe: Recipe) -> None:
        self._tokens = tokens
        self._read = WrittenBatches(tokens, recipe, fused=True)
        self._covers: dict[tuple[str, ...], Covers] = {}

    def __call__(self, rows: Sequence[ExampleRow]) -> Batch:
        batch = self._read.read_inputs(rows)
        table = _Table(len(rows))
        for number, row in enumerate(rows):
            names = [self._name(place) for place in range(1, len(row.example.passages) + 1)]
            choices = draw_choices(self._find(row.example), row.draws, JPR_PASSAGES)
            table.add(number, list(choices), names)
        return batch | table.build()

    def _name(self, place: int) -> list[int]:
        return list(self._tokens.encode_plain([str(place)])[0].ids)

    def _find(self, example: TextExample) -> Covers:
        if example.inputs not in self._covers:
            self._covers[example.inputs] = find_covers(example)
        return self._covers[example.inputs]


class _Table:
    """Rows to be decoded, and which of their tokens make up the right names."""

    def __init__(self, examples: int) -> None:
        self.rows: list[list[int]] = [[] for _ in range(examples)]
        self.owners = list(range(examples))
        self.tokens: list[tuple[int, int, int, int]] = []
        self.longer: list[tuple[int, int, int, int]] = []
        self.steps: list[int] = []
        self._more: dict[tuple[int, ...], int] = {}
        self.count = 0

    def add(self, owner: int, choices: Sequence[PassageChoice], names: Names) -> None:
        """Add an example's choices; what its path holds needs no row of its own."""
        path = choices[-1].before if choices else ()
        self.rows[owner] = list(chain.from_iterable(names[place] for place in path))
        for choice in choices:
            before = list(chain.from_iterable(names[place] for place in choice.before))
            for place in choice.right:
                self._add_name(owner, before, names[place], _list_longer(names, names[place]))
            self.count += 1

    def _add_name(
        self, owner: int, before: list[int], name: Sequence[int], longer: Sequence[int]
    ) -> None:
        context = [*before, *(name if longer else name[:-1])]
        row = self._find_row(owner, context)
        number = len(self.steps)
        self.steps.append(self.count)
        for at, token in enumerate(name):
            self.tokens.append((number, row, len(before) + at, token))
        for token in longer:
            self.longer.append((number, row, len(context), token))

    def _find_row(self, owner: int, context: list[int]) -> int:
        """Return the row that begins with these tokens: the path, or one of its own."""
        if self.rows[owner][: len(context)] == context:
            return owner
        row = self._more.setdefault((owner, *context), len(self.rows))
        if row == len(self.rows):
            self.rows.append(context)
            self.owners.append(owner)
        return row

    def build(self) -> Batch:
        """Return the tensors of a batch."""
        # A place more than there are tokens: what comes after the last one is asked for.
        labels = [torch.tensor([*row, IGNORED], dtype=torch.long) for row in self.rows]
        return {
            "labels": torch.nn.utils.rnn.pad_sequence(
                labels, batch_first=True, padding_value=IGNORED
            ),
            "owners": torch.tensor(self.owners),
            "tokens": torch.tensor(self.tokens, dtype=torch.long).reshape(-1, 4),
            "longer": torch.tensor(self.longer, dtype=torch.long).reshape(-1, 4),
            "steps": torch.tensor(self.steps, dtype=torch.long),
            "items": torch.tensor(self.count),
        }


def _list_longer(names: Names, name: Sequence[int]) -> list[int]:
    """Return the tokens that make a longer name of this one."""
    size, own = len(name), list(name)
    return sorted({each[size] for each in names if len(each) > size and list(each[:size]) == own})


def oracle_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Return, over all choices, how unlikely it is that what is chosen next is right."""
    states, mask = read_together(model, batch)
    owners = batch["owners"]
    logits = run_decoder(model, batch["labels"], states[owners], mask[owners])
    likely = functional.log_softmax(logits.float(), dim=-1)
    steps = batch["steps"]
    names = _add_up(likely, batch["tokens"], len(steps))
    further = _add_up(likely.exp(), batch["longer"], len(steps))
    names = names + torch.log1p(-further.clamp(max=_MOST))
    chosen = [torch.logsumexp(names[steps == number], 0) for number in range(int(batch["items"]))]
    return -torch.stack(chosen).sum()


def _add_up(values: torch.Tensor, places: torch.Tensor, count: int) -> torch.Tensor:
    """Return for each name the sum of values at its places, (names)."""
    name, row, at, token = places.T
    return values.new_zeros(count).index_add(0, name, values[row, at, token])
