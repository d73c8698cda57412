"""Whether one text follows from another, by a model of natural language inference. Loads torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import transformers

from modeling.engines.premises import encode_pairs, find_entailment_class
from modeling.engines.reference import Model
from modeling.weights import Weights


class _Entailer(Model):
    """Which class means that it follows is found by its name: models number them differently."""

    def __init__(self, weights: Weights, live: Any = None) -> None:
        super().__init__(weights, transformers.AutoModelForSequenceClassification, live)
        self._entailed = find_entailment_class(self.model.config.id2label, weights.name)

    def score_entailments(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        def read(tensors: dict[str, Any]) -> list[float]:
            shares = self.model(**tensors).logits.float().softmax(-1)[:, self._entailed]
            return [float(share) for share in shares]

        return self.run_batches(encode_pairs(self.tokenizer, pairs), read)


entailer = _Entailer
