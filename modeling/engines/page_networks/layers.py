"""What the networks share: frozen word vectors, letters of words, and layers. Loads torch.

Words come as numbers of tokens, (rows, words), padded with `pad_token_id`. Letters are the bytes of
each word plus one, (rows, words, letters), padded with 0. Padding changes no result.
"""

from __future__ import annotations

from typing import Any, Final

import torch
import transformers
from torch import nn
from transformers import initialization

_BYTES: Final = 256


class WordConfig(transformers.PreTrainedConfig):  # type: ignore[misc]
    """Of a network over word vectors.

    vector_size: numbers of each; hidden_size: of a layer; tokens: how many it reads of a question,
    and of a box.
    """

    vocab_size: int = 2
    vector_size: int = 4
    hidden_size: int = 4
    dropout: float = 0.0
    tokens: int = 1_000
    pad_token_id: int = 0
    unk_token_id: int = 1


class WordModel(transformers.PreTrainedModel):  # type: ignore[misc]
    """A network whose word vectors stay as they are."""

    config_class = WordConfig
    base_model_prefix = ""
    main_input_name = "questions"

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.vectors = nn.Embedding(config.vocab_size, config.vector_size)

    def get_input_embeddings(self) -> nn.Module:
        """Return the table of word vectors."""
        return self.vectors

    def look_up(self, words: torch.Tensor) -> torch.Tensor:
        """Return the vectors of words, (rows, words, numbers), from which nothing is learnt."""
        found: torch.Tensor = nn.functional.embedding(words, self.vectors.weight.detach())
        return found

    def mask_words(self, words: torch.Tensor) -> torch.Tensor:
        """Return where there are words, and no padding."""
        mask: torch.Tensor = words != self.config.pad_token_id
        return mask

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _init_weights(self, module: nn.Module) -> None:
        """Draw weights by the number of inputs and outputs of a layer (Glorot and Bengio 2010)."""
        if isinstance(module, nn.Embedding):
            initialization.normal_(module.weight, mean=0.0, std=0.1)
            return
        for name, weight in module.named_parameters(recurse=False):
            if weight.ndim > 1:
                initialization.xavier_uniform_(weight)
            elif "bias" in name:
                initialization.zeros_(weight)


class FeedForward(nn.Sequential):  # type: ignore[misc]
    """Linear layers of one size, each with dropout after what it gives above 0."""

    def __init__(self, size_in: int, size: int, layers: int, dropout: float) -> None:
        parts: list[nn.Module] = []
        for number in range(layers):
            parts += [nn.Linear(size if number else size_in, size), nn.ReLU(), nn.Dropout(dropout)]
        super().__init__(*parts)


class Letters(nn.Module):  # type: ignore[misc]
    """A vector of each word from its letters, by convolution: the highest value of each filter."""

    def __init__(self, size: int, filters: int, width: int) -> None:
        super().__init__()
        self.vectors = nn.Embedding(_BYTES + 1, size)
        self.filters = nn.Conv1d(size, filters, width, padding=width // 2)

    def forward(self, letters: torch.Tensor) -> torch.Tensor:
        """Return (rows, words, filters) for letters, (rows, words, letters)."""
        flat = letters.flatten(0, 1)
        there = (flat > 0).unsqueeze(1)
        read = self.vectors(flat).transpose(1, 2) * there
        found = torch.relu(self.filters(read))[..., : flat.shape[1]] * there
        highest: torch.Tensor = found.amax(-1).unflatten(0, letters.shape[:2])
        return highest


def read_in_order(network: nn.RNNBase, words: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return what a recurrent network makes of words, 0 at padding.

    words: (rows, words, size); mask: where they are, which is from the first word on.
    """
    lengths = mask.sum(1).clamp(min=1).cpu()
    packed = nn.utils.rnn.pack_padded_sequence(
        words, lengths, batch_first=True, enforce_sorted=False
    )
    states, _ = network(packed)
    read, _ = nn.utils.rnn.pad_packed_sequence(
        states, batch_first=True, total_length=words.shape[1]
    )
    made: torch.Tensor = read
    return made


def share_out(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return shares of the last dimension that add up to 1, none where the mask is not."""
    lowest = torch.finfo(scores.dtype).min
    shares: torch.Tensor = scores.masked_fill(~mask, lowest).softmax(-1)
    return shares


def number_owners(counts: torch.Tensor) -> torch.Tensor:
    """Return the place of the question of each row, for the numbers of rows of questions."""
    places = torch.arange(len(counts), device=counts.device)
    owners: torch.Tensor = places.repeat_interleave(counts)
    return owners
