"""Whether one text follows from another, by a model of natural language inference. Loads torch.

Which class means that it does is found by its name, since models number them differently. A premise
that is too long is cut at its front, where the sentence that matters least is; the hypothesis is
never cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import transformers

from modeling.base import MissingModel
from modeling.engines.reference import Model
from modeling.engines.tokens import LONGEST
from modeling.weights import Weights

_MARKS: Final = 4  # of a pair, at most


class _Entailer(Model):
    def __init__(self, weights: Weights, live: Any = None) -> None:
        super().__init__(weights, transformers.AutoModelForSequenceClassification, live)
        self._entailed = find_entailment_class(self.model.config.id2label, weights.name)

    def score_entailments(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        def read(tensors: dict[str, Any]) -> list[float]:
            shares = self.model(**tensors).logits.float().softmax(-1)[:, self._entailed]
            return [float(share) for share in shares]

        premises = [self._cut_front(*pair) for pair in pairs]
        hypotheses = [hypothesis for _, hypothesis in pairs]
        return self.run_batches(self.tokenizer.encode(premises, LONGEST, hypotheses), read)

    def _cut_front(self, premise: str, hypothesis: str) -> str:
        read, claimed = self.tokenizer.encode_plain([premise, hypothesis])
        room = self.tokenizer.readable_tokens(LONGEST) - len(claimed.ids) - _MARKS
        if len(read.ids) <= room:
            return premise
        return premise[read.offsets[-room][0] :] if room > 0 else ""


def find_entailment_class(names: Mapping[int, str], model: str) -> int:
    """Return the number of the class that is called entailment. Raises MissingModel without one."""
    found = [
        number
        for number, name in names.items()
        if name.lower().startswith("entail") or name.lower() == "supported"
    ]
    if len(found) != 1:
        called = ", ".join(map(str, names.values()))
        raise MissingModel(
            f"The model {model} does not say which of its classes is entailment: they are called "
            f"{called[:80]}. Use one of natural language inference, with names in its config.json."
        )
    return found[0]


entailer = _Entailer
