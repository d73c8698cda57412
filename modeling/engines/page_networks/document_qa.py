"""Which stretch of several boxes answers a question: Document-QA (N22). Loads torch.

Sources: Clark and Gardner 2018, section 3, for the layers and for scores that can be compared
between boxes, and the code released with it for sizes; Kwiatkowski et al. 2019, section 6.2, for
the marks before and after a box, by which it answers as a whole.
"""

from __future__ import annotations

import torch
import transformers
from torch import nn

from modeling.engines.page_networks.layers import (
    Letters,
    WordConfig,
    WordModel,
    number_owners,
    read_in_order,
    share_out,
)


class DocumentQAConfig(WordConfig):
    """hidden_size: of each direction of a layer; letter_size: of the vector of a letter."""

    model_type = "ambit-document-qa"
    hidden_size: int = 140
    dropout: float = 0.2
    tokens: int = 400
    letter_size: int = 20
    letter_filters: int = 100
    letter_width: int = 5


# So that its tokenizer is loaded without a word about it.
transformers.AutoConfig.register(DocumentQAConfig.model_type, DocumentQAConfig)


class DocumentQA(WordModel):
    """Scores of each word as the first and as the last one of the answer.

    They are no shares of a box, so that those of all boxes of a page can be compared.
    """

    config_class = DocumentQAConfig

    def __init__(self, config: DocumentQAConfig) -> None:
        super().__init__(config)
        size, word = 2 * config.hidden_size, config.vector_size + config.letter_filters
        self.letters = Letters(config.letter_size, config.letter_filters, config.letter_width)
        # Of what is no mark, of the one before a box, of the one after it.
        self.marks = nn.Embedding(3, config.vector_size)
        self.read = self._recurrent(word)
        self.attend = Likeness(size)
        self.join = nn.Linear(4 * size, size)
        self.read_joined = self._recurrent(size)
        self.attend_itself = Likeness(size)
        self.join_itself = nn.Linear(3 * size, size)
        self.read_starts = self._recurrent(size)
        self.read_ends = self._recurrent(2 * size)
        self.start, self.end = nn.Linear(size, 1), nn.Linear(size, 1)
        self.post_init()

    def _recurrent(self, size: int) -> nn.GRU:
        return nn.GRU(size, self.config.hidden_size, batch_first=True, bidirectional=True)

    def forward(
        self,
        questions: torch.Tensor,
        question_letters: torch.Tensor,
        boxes: torch.Tensor,
        box_letters: torch.Tensor,
        marks: torch.Tensor,
        counts: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return scores of first and of last words, (boxes, words) each, -∞ at padding.

        boxes: those of the first question first, counts: (questions), how many each has; marks:
        (boxes, words), 1 for the mark before a box, 2 for that after it, whose words are unknown
        ones, and 0 for all words.
        """
        owners = number_owners(counts)
        asked_mask, mask = self.mask_words(questions), self.mask_words(boxes)
        asked = self._read(self.look_up(questions), question_letters, asked_mask)[owners]
        marked = (marks > 0).unsqueeze(-1)
        words = torch.where(marked, self.marks(marks), self.look_up(boxes))
        read = self._read(words, box_letters, mask)
        joined = self._attend_question(read, asked, mask, asked_mask[owners])
        joined = self._drop(joined + self._attend_itself(joined, mask))
        first = read_in_order(self.read_starts, joined, mask)
        last = read_in_order(self.read_ends, torch.cat([joined, first], -1), mask)
        starts, ends = self.start(first).squeeze(-1), self.end(last).squeeze(-1)
        return starts.masked_fill(~mask, -torch.inf), ends.masked_fill(~mask, -torch.inf)

    def _read(self, words: torch.Tensor, letters: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return words in their order; questions and boxes are read by the same network."""
        both = torch.cat([words, self.letters(letters)], -1)
        return self._drop(read_in_order(self.read, self._drop(both), mask))

    def _attend_question(
        self,
        read: torch.Tensor,
        asked: torch.Tensor,
        mask: torch.Tensor,
        asked_mask: torch.Tensor,
    ) -> torch.Tensor:
        """Return each word with what the question says to it, and the box to the question."""
        likeness = self.attend(read, asked)
        of_asked = share_out(likeness, asked_mask.unsqueeze(1)) @ asked
        lowest = torch.finfo(likeness.dtype).min
        nearest = likeness.masked_fill(~asked_mask.unsqueeze(1), lowest).amax(2)
        of_box = share_out(nearest, mask).unsqueeze(1) @ read
        both = torch.cat([read, of_asked, read * of_asked, read * of_box], -1)
        joined: torch.Tensor = torch.relu(self.join(both))
        return joined

    def _attend_itself(self, joined: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return each word with what the other words of its box say to it."""
        own = self._drop(read_in_order(self.read_joined, self._drop(joined), mask))
        others = ~torch.eye(own.shape[1], dtype=torch.bool, device=own.device)
        said = share_out(self.attend_itself(own, own), mask.unsqueeze(1) & others) @ own
        together: torch.Tensor = torch.relu(
            self.join_itself(torch.cat([own, said, own * said], -1))
        )
        return together

    def _drop(self, words: torch.Tensor) -> torch.Tensor:
        """Return words without some of their numbers, the same for all words of a row."""
        kept = torch.ones_like(words[:, :1])
        dropped: torch.Tensor = words * nn.functional.dropout(
            kept, self.config.dropout, self.training
        )
        return dropped


class Likeness(nn.Module):  # type: ignore[misc]
    """How much each word of one text has to do with each of another: of each, and of both."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(size, 1), nn.Linear(size, 1, bias=False)
        self.both = nn.Linear(size, 1, bias=False)

    def forward(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        """Return (rows, words of the first, words of the second)."""
        weighted = first * self.both.weight[0]
        product = weighted @ second.transpose(1, 2)
        likeness: torch.Tensor = product + self.first(first) + self.second(second).transpose(1, 2)
        return likeness
