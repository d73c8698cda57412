"""How well a box of a page answers a question, by decomposable attention (N23). Loads torch.

Sources: Parikh et al. 2016 for attending, comparing and aggregating; Kwiatkowski et al. 2019,
section 6.3, for the features beside it and the score, and the code released with it for sizes,
for the projection of the word vectors and for what counts as shared words.
"""

from __future__ import annotations

import torch
import transformers
from torch import nn

from modeling.engines.page_networks.layers import (
    FeedForward,
    WordConfig,
    WordModel,
    number_owners,
    share_out,
)


class DecomposableAttentionConfig(WordConfig):
    """positions: how many boxes of a page have a vector of their own, the last one for all after
    it; position_size: of these vectors, 10 in the paper (5 in the code).
    """

    model_type = "ambit-decomposable-attention"
    hidden_size: int = 400
    layers: int = 2
    dropout: float = 0.1
    tokens: int = 1_000
    positions: int = 20
    position_size: int = 10


# So that its tokenizer is loaded without a word about it.
transformers.AutoConfig.register(
    DecomposableAttentionConfig.model_type, DecomposableAttentionConfig
)


class DecomposableAttention(WordModel):
    """A score of each box; the score of no answer is 0."""

    config_class = DecomposableAttentionConfig

    def __init__(self, config: DecomposableAttentionConfig) -> None:
        super().__init__(config)
        size, layers, dropout = config.hidden_size, config.layers, config.dropout
        self.project = nn.Linear(config.vector_size, size)
        self.attend = FeedForward(size, size, layers, dropout)
        self.compare = FeedForward(2 * size, size, layers, dropout)
        self.aggregate = FeedForward(2 * size, size, layers, dropout)
        self.positions = nn.Embedding(config.positions, config.position_size)
        self.score = nn.Linear(size + 2 + config.position_size, 1)
        self.post_init()

    def forward(
        self,
        questions: torch.Tensor,
        boxes: torch.Tensor,
        counts: torch.Tensor,
        places: torch.Tensor,
    ) -> torch.Tensor:
        """Return a score for each box, (boxes).

        questions: (questions, words); boxes: (boxes, words), those of the first question first;
        counts: (questions), how many boxes each has; places: (boxes), of each on its page from 0.
        """
        owners = number_owners(counts)
        asked = self.project(self.look_up(questions))[owners]
        read = self.project(self.look_up(boxes))
        masks = self.mask_words(questions)[owners], self.mask_words(boxes)
        features = [
            self._compare(asked, read, *masks),
            self._count_shared(questions, boxes, owners),
            self.positions(places.clamp(max=self.config.positions - 1)),
        ]
        scores: torch.Tensor = self.score(torch.cat(features, -1)).squeeze(-1)
        return scores

    def _compare(
        self,
        asked: torch.Tensor,
        read: torch.Tensor,
        asked_mask: torch.Tensor,
        read_mask: torch.Tensor,
    ) -> torch.Tensor:
        """Return what both sides say of each other, (boxes, size)."""
        likeness = self.attend(asked) @ self.attend(read).transpose(1, 2)
        of_read = share_out(likeness, read_mask.unsqueeze(1)) @ read
        of_asked = share_out(likeness.transpose(1, 2), asked_mask.unsqueeze(1)) @ asked
        sides = [
            (self.compare(torch.cat([own, other], -1)) * mask.unsqueeze(-1)).sum(1)
            for own, other, mask in (
                (asked, of_read, asked_mask),
                (read, of_asked, read_mask),
            )
        ]
        joined: torch.Tensor = self.aggregate(torch.cat(sides, -1))
        return joined

    def _count_shared(
        self, questions: torch.Tensor, boxes: torch.Tensor, owners: torch.Tensor
    ) -> torch.Tensor:
        """Return how many words of the question are in each box, and their weight, (boxes, 2).

        A word weighs less the more often the boxes of the page have it. Words without a vector are
        all one token, and count as none.
        """
        known = self.mask_words(questions) & (questions != self.config.unk_token_id)
        same = questions[owners].unsqueeze(2) == boxes.unsqueeze(1)
        same &= known[owners].unsqueeze(2)
        times = torch.zeros(questions.shape, device=boxes.device)
        times.index_add_(0, owners, same.sum(2).to(times.dtype))
        there = same.any(2).to(times.dtype)
        weights = there / times.clamp(min=1)[owners]
        return torch.stack([there.sum(1), weights.sum(1)], 1)
