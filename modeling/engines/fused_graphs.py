"""A model that reads several texts at once (FiD, JPR), as two graphs for onnxruntime.

The first is given texts, and makes of each token what every layer of the decoder looks for and
finds there (keys and values of its attention): they depend on nothing that is written, and tokens
of all texts can stand side by side. The second is given these and the last token, and says how
likely each next one is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers import DynamicCache, EncoderDecoderCache
from transformers.cache_utils import DynamicLayer
from transformers.modeling_outputs import BaseModelOutput


class TextGraph(torch.nn.Module):  # type: ignore[misc]
    """Texts to keys and values, each (texts, heads, tokens, size)."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        sizes = {0: torch.export.Dim("texts"), 1: torch.export.Dim("tokens", max=8_192)}
        self.sizes = {"input_ids": sizes, "attention_mask": sizes}
        self.shown = [torch.ones((2, 7), dtype=torch.long) for _ in self.sizes]

    def forward(self, *given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return keys and values of the first layer, of the second, and so on."""
        ids, mask = given
        states = self.model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        made = EncoderDecoderCache(DynamicCache(), DynamicCache())
        # What is written here is of no use: the exporter leaves out all of it but the keys.
        self.model(
            encoder_outputs=BaseModelOutput(states),
            attention_mask=mask,
            decoder_input_ids=ids[:, :1],
            past_key_values=made,
            use_cache=True,
        )
        return tuple(
            tensor
            for layer in made.cross_attention_cache.layers
            for tensor in (layer.keys, layer.values)
        )


class StepGraph(torch.nn.Module):  # type: ignore[misc]
    """The last token, and what is known, to the next one's logits (1, vocabulary).

    What is known: keys and values of the tokens written before it, layer by layer, then those of
    the texts, each (1, heads, tokens, size). What comes out, after the logits, is the first half of
    it with one token more.
    """

    def __init__(self, model: Any, read: Sequence[torch.Tensor]) -> None:
        """Take what the other graph makes of any texts of seven tokens, for its shapes."""
        super().__init__()
        self.model = model
        lengths = {"written": torch.export.Dim("written"), "read": torch.export.Dim("read")}
        self.sizes: dict[str, Any] = {"token": {}}
        for what, length in lengths.items():
            self.sizes |= {f"{what} {number}": {2: length} for number in range(len(read))}
        self.shown = [torch.ones((1, 1), dtype=torch.long)]
        self.shown += [one[:1, :, :3].clone() for one in read]
        self.shown += [one[:1].clone() for one in read]

    def forward(self, *given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the logits, and keys and values of the tokens written so far."""
        token, *known = given
        half = len(known) // 2
        written, read = _filled(known[:half]), _filled(known[half:])
        # The numbers of what the encoder says are not read, since keys are known; its length is.
        states = torch.zeros((1, known[-1].shape[2], self.model.config.d_model))
        out = self.model(
            encoder_outputs=BaseModelOutput(states),
            decoder_input_ids=token,
            past_key_values=EncoderDecoderCache(written, read),
            use_cache=True,
        )
        made = [tensor for layer in written.layers for tensor in (layer.keys, layer.values)]
        return (out.logits[:, -1], *made)


def _filled(tensors: Sequence[torch.Tensor]) -> DynamicCache:
    """Return a cache that holds keys and values of each layer."""
    cache = DynamicCache()
    for keys, values in zip(tensors[::2], tensors[1::2], strict=True):
        layer = DynamicLayer()
        layer.lazy_initialization(keys, values)
        layer.keys, layer.values = keys, values
        cache.layers.append(layer)
    return cache
