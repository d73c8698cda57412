"""An encoder-decoder that goes on from an answer that is known (A94), by transformers.

It writes the answer as it was trained to; then it may only end or begin a separator, and after that
it is free. Without this a model could make the answer longer ("1869" to "1869 to 1871") where it is
to add one. A tokenizer of bytes has a token for the space before a separator, so both are allowed
for by what it makes of them, not by the separator's number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import torch
import transformers

from modeling.engines.base import GeneratedText, Limits
from modeling.engines.reference import Tensors, _Generator
from modeling.engines.tokens import EncodedText
from modeling.inputs import SEPARATOR, span_seq_gen_output

_START = "decoder_input_ids"


@dataclass(frozen=True, slots=True)
class BegunText(EncodedText):
    """What is read, with what is written already, and the tokens of a separator after that."""

    begun: list[int]
    separator: list[int]


class _Continuer(_Generator):
    def continue_answers(
        self, inputs: Sequence[str], answers: Sequence[str], limits: Limits
    ) -> list[GeneratedText]:
        rows = [
            self._begin(row, answer)
            for row, answer in zip(
                self.tokenizer.encode(inputs, limits.tokens_in), answers, strict=True
            )
        ]
        order = sorted(range(len(rows)), key=lambda place: _shape(rows[place]))
        written: dict[int, GeneratedText] = {}
        for _, group in groupby(order, key=lambda place: _shape(rows[place])):
            places = list(group)
            texts = self._continue([rows[place] for place in places], limits)
            written.update(zip(places, texts, strict=True))
        return [written[place] for place in range(len(rows))]

    def _begin(self, row: EncodedText, answer: str) -> BegunText:
        first = self._plain(span_seq_gen_output([answer]))
        both = self._plain(f"{span_seq_gen_output([answer])} {SEPARATOR}")
        start = int(self.model.generation_config.decoder_start_token_id)
        return BegunText(row.ids, row.types, [start, *first], both[len(first) :])

    def _plain(self, text: str) -> list[int]:
        """Return the tokens that are written for a text, without the one that ends it."""
        (row,) = self.tokenizer.encode([text], self.tokenizer.readable_tokens(1_024))
        return row.ids[:-1] if row.ids[-1] == self.tokenizer.end else row.ids

    def _continue(self, rows: Sequence[BegunText], limits: Limits) -> list[GeneratedText]:
        """Return what is written for rows of one shape."""
        begun, separator = len(rows[0].begun), rows[0].separator
        left = replace(limits, tokens_out=max(limits.tokens_out - begun + 1, 1))
        only = _EndOrSeparate(begun, [self.tokenizer.end, separator[0]], separator, limits.beams)

        def read(tensors: Tensors) -> list[list[int]]:
            tensors.pop("token_type_ids", None)
            return self.write(left, **tensors, logits_processor=[only])

        ids = self.run_batches(rows, read, share=limits.beams)
        return [self.decode_text(out, len(row)) for out, row in zip(ids, rows, strict=True)]

    def _padded(self, rows: Sequence[EncodedText]) -> Tensors:
        begun = torch.tensor([row.begun for row in rows if isinstance(row, BegunText)])
        return super()._padded(rows) | {_START: begun.to(self.device)}


class _EndOrSeparate(transformers.LogitsProcessor):  # type: ignore[misc]
    """Lets the end or a separator follow what is begun, whole.

    Scores: (texts * beams, tokens). All beams of a text are alike at first, and only the first of
    them may go on: copies that end would count as texts, and end the search too soon.
    """

    def __init__(self, begun: int, ends: list[int], separator: list[int], beams: int) -> None:
        self._begun, self._ends, self._separator, self._beams = begun, ends, separator, beams

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        step = input_ids.shape[1] - self._begun
        if step >= len(self._separator):
            return scores
        allowed = self._ends if not step else [self._separator[step]]
        only = torch.full_like(scores, -torch.inf)
        rows = slice(None, None, self._beams) if not step else slice(None)
        for token in allowed:
            only[rows, token] = scores[rows, token]
        return only


def _shape(row: BegunText) -> tuple[int, list[int]]:
    return len(row.begun), row.separator


continuing = _Continuer
