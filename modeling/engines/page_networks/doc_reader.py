"""Where in a long answer the short one is: the Document Reader (N23). Loads torch.

Sources: Chen et al. 2017, section 3.2, for the aligned question, the exact match, the stacked
networks and the scores of both ends; the code released with Natural Questions (Kwiatkowski et al.
2019, section 6.3) for sizes, for letters of words, and for leaving out kinds of words and lemmas.
"""

from __future__ import annotations

import torch
import transformers
from torch import nn

from modeling.engines.page_networks.layers import (
    Letters,
    WordConfig,
    WordModel,
    read_in_order,
    share_out,
)


class DocReaderConfig(WordConfig):
    """hidden_size: of each direction of a layer; letter_size: of the vector of a letter."""

    model_type = "ambit-doc-reader"
    hidden_size: int = 256
    layers: int = 5
    dropout: float = 0.5
    tokens: int = 1_024
    letter_size: int = 8
    letter_filters: int = 100
    letter_width: int = 5


# So that its tokenizer is loaded without a word about it.
transformers.AutoConfig.register(DocReaderConfig.model_type, DocReaderConfig)


class DocReader(WordModel):
    """Scores of each word as the first and as the last one of the answer."""

    config_class = DocReaderConfig

    def __init__(self, config: DocReaderConfig) -> None:
        super().__init__(config)
        size, word = config.hidden_size, config.vector_size + config.letter_filters
        self.letters = Letters(config.letter_size, config.letter_filters, config.letter_width)
        self.align_question, self.align_text = nn.Linear(word, size), nn.Linear(word, size)
        self.read_text = self._stack(2 * word + 1)
        self.read_question = self._stack(word)
        self.weigh = nn.Linear(2 * size, 1)
        self.start, self.end = nn.Linear(2 * size, 2 * size), nn.Linear(2 * size, 2 * size)
        self.drop = nn.Dropout(config.dropout)
        self.post_init()

    def _stack(self, size: int) -> nn.LSTM:
        own = self.config
        return nn.LSTM(
            size,
            own.hidden_size,
            own.layers,
            batch_first=True,
            bidirectional=True,
            dropout=own.dropout if own.layers > 1 else 0.0,
        )

    def forward(
        self,
        questions: torch.Tensor,
        question_letters: torch.Tensor,
        texts: torch.Tensor,
        text_letters: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return scores of first and of last words, (texts, words) each, -∞ at padding.

        A text is read with the question in the same row; letters are those of the words.
        """
        asked_mask, mask = self.mask_words(questions), self.mask_words(texts)
        asked = self._embed(questions, question_letters)
        read = self._embed(texts, text_letters)
        likeness = self.align_text(read) @ self.align_question(asked).transpose(1, 2)
        aligned = share_out(likeness, asked_mask.unsqueeze(1)) @ asked
        same = self._match(questions, texts)
        states = read_in_order(self.read_text, torch.cat([read, aligned, same], -1), mask)
        states = self.drop(states)
        question = self._sum_up(self.drop(read_in_order(self.read_question, asked, asked_mask)),
                                asked_mask)  # fmt: skip
        starts, ends = (
            (states @ side(question).unsqueeze(-1)).squeeze(-1).masked_fill(~mask, -torch.inf)
            for side in (self.start, self.end)
        )
        return starts, ends

    def _embed(self, words: torch.Tensor, letters: torch.Tensor) -> torch.Tensor:
        both = torch.cat([self.look_up(words), self.letters(letters)], -1)
        embedded: torch.Tensor = self.drop(both)
        return embedded

    def _match(self, questions: torch.Tensor, texts: torch.Tensor) -> torch.Tensor:
        """Return 1 for words that the question has too, else 0, (texts, words, 1)."""
        known = self.mask_words(texts) & (texts != self.config.unk_token_id)
        same = (texts.unsqueeze(2) == questions.unsqueeze(1)).any(2) & known
        return same.unsqueeze(-1).to(self.dtype)

    def _sum_up(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return one vector of each question, (questions, size), by the weight of its words."""
        shares = share_out(self.weigh(states).squeeze(-1), mask)
        vector: torch.Tensor = self.drop((shares.unsqueeze(1) @ states).squeeze(1))
        return vector
