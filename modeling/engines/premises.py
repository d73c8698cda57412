"""What the engines of entailment have in common: which class counts, what is cut. Loads no torch.

A premise that is too long is cut at its front, where the sentence that matters least is; the
hypothesis is never cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from modeling.base import MissingModel
from modeling.engines.tokens import LONGEST, EncodedText, Tokens

_MARKS: Final = 4  # of a pair, at most


def find_entailment_class(names: Mapping[int, str], model: str) -> int:
    """Return the number of the class that is called entailment. Raises MissingModel without one."""
    found = [
        number
        for number, name in names.items()
        if name.lower().startswith("entail") or name.lower() == "supported"
    ]
    if len(found) != 1:
        called = ", ".join(map(str, names.values())) or "nothing"
        raise MissingModel(
            f"The model {model} does not say which of its classes is entailment: they are called "
            f"{called[:80]}. Use one of natural language inference, with names in its config.json."
        )
    return found[0]


def encode_pairs(tokenizer: Tokens, pairs: Sequence[tuple[str, str]]) -> list[EncodedText]:
    """Return the tokens of pairs of a premise and a hypothesis."""
    premises = [cut_premise(tokenizer, *pair) for pair in pairs]
    return tokenizer.encode(premises, LONGEST, [hypothesis for _, hypothesis in pairs])


def cut_premise(tokenizer: Tokens, premise: str, hypothesis: str) -> str:
    """Return the end of a premise that is read together with a hypothesis, mostly all of it."""
    read, claimed = tokenizer.encode_plain([premise, hypothesis])
    room = tokenizer.readable_tokens(LONGEST) - len(claimed.ids) - _MARKS
    if len(read.ids) <= room:
        return premise
    return premise[read.offsets[-room][0] :] if room > 0 else ""
