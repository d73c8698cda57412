"""FiD and JPR in whole numbers of eight bits: onnxruntime reads each text once, and writes.

The two graphs are those of `modeling.engines.fused_graphs`. Questions are answered one after
another: each has dozens of texts, and a second one beside it would gain nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from modeling import pace
from modeling.engines.base import Allowed, GeneratedText, Limits
from modeling.engines.fast import Floats, Graph, open_graph, shares_of
from modeling.engines.tokens import EncodedText, settings_of
from modeling.weights import Weights

STEP: Final = "step.onnx"  # writes one token, where the other graph reads for it


class _FusionWriter(Graph):
    """FiD and JPR: one question after another, and each text is read once. Writes greedily."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        self._step = open_graph(weights, STEP)
        own = settings_of(weights.folder, "generation_config.json") or self.tokenizer.config
        self._start = int(own.get("decoder_start_token_id") or self.tokenizer.pad)
        self._first = own.get("forced_bos_token_id")

    @property
    def end(self) -> int:
        return self.tokenizer.end

    def plain_tokens(self, text: str) -> list[int]:
        return list(self.tokenizer.encode_plain([text])[0].ids)

    def generate(
        self, inputs: Sequence[Sequence[str]], limits: Limits, allowed: Allowed | None = None
    ) -> list[GeneratedText]:
        if limits.beams > 1:
            raise ValueError("Texts that are read together are answered without beams here.")
        most = self.tokenizer.readable_tokens(limits.tokens_out + 1) - 1
        written = []
        for texts in inputs:
            rows = self.tokenizer.encode(texts or [""], limits.tokens_in)
            ids = self._write(self._read(rows), most, allowed)
            text = self.tokenizer.decode_tokens(ids)
            written.append(GeneratedText(text, sum(map(len, rows)), len(ids)))
        return written

    def measure_likelihoods(
        self, texts: Sequence[str], tokens_in: int, written: Sequence[int]
    ) -> list[float]:
        """Return how likely each of the tokens is, after those before it."""
        step = _Steps(self._step, self._read(self.tokenizer.encode(texts, tokens_in)))
        before = [self._start, *written[:-1]]
        return [
            shares_of(step.find_logits(last)[None], token)[0]
            for last, token in zip(before, written, strict=True)
        ]

    def _write(self, read: list[Floats], most: int, allowed: Allowed | None) -> list[int]:
        """Return the tokens that are written, up to the one that ends them."""
        step, ids = _Steps(self._step, read), [self._start]
        while len(ids) <= most and (len(ids) == 1 or ids[-1] != self.end):
            logits = step.find_logits(ids[-1])
            if len(ids) == 1 and self._first is not None:
                ids.append(int(self._first))
            elif allowed is not None:
                choice = allowed(ids) or [self.end]
                ids.append(max(choice, key=lambda token: logits[token]))
            else:
                ids.append(int(logits.argmax()))
            pace.report_tokens(1)
        return ids[1:]

    def _read(self, rows: Sequence[EncodedText]) -> list[Floats]:
        """Return keys and values of each layer, (1, heads, tokens of all texts, size) each.

        Texts are in the order in which they are read: attention to them knows no order.
        """
        known: list[Floats] = []
        done, total = 0, sum(map(len, rows))
        for _, outputs, mask in self.run_each(rows):
            if not known:
                known = [
                    np.empty((1, one.shape[1], total, one.shape[3]), np.float32) for one in outputs
                ]
            for place, count in enumerate(mask.sum(1).tolist()):
                for whole, one in zip(known, outputs, strict=True):
                    whole[0, :, done : done + count] = one[place, :, :count]
                done += count
        return known


class _Steps:
    """A text in the making: each step takes a token, and keeps what the next one reads of it."""

    def __init__(self, session: Any, read: list[Floats]) -> None:
        self._session = session
        self._names = [node.name for node in session.get_inputs()]
        self._read = read
        _, heads, _, size = read[0].shape
        self._written = [np.zeros((1, heads, 0, size), np.float32)] * len(read)

    def find_logits(self, token: int) -> Floats:
        """Return a number for each token that may follow this one."""
        given = [np.array([[token]]), *self._written, *self._read]
        logits, *self._written = self._session.run(None, dict(zip(self._names, given, strict=True)))
        return np.asarray(logits[0], np.float32)


fused = _FusionWriter
