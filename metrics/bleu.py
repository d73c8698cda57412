"""Sentence BLEU of orders 1 to 4 as the AmbigQA scorer computes it: the corpus formula on one pair.

Source: Papineni et al. 2002 for the formula; the constants and the reference length are those of
the COCO caption scorer, which the AmbigQA scorer calls.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

ORDERS = 4
Grams = tuple[dict[tuple[str, ...], int], ...]
Scores = tuple[float, float, float, float]

_NO_MATCH = 1e-15
"""Added to the matches, so that a text without one does not zero the orders that have some."""
_NO_GUESS = 1e-9
"""Added to the number of n-grams: a text too short for an order scores almost 0 there."""


@dataclass(frozen=True, slots=True)
class Gold:
    """The references of one text: their lengths, and how often each n-gram may be matched."""

    texts: tuple[tuple[str, ...], ...]
    grams: Grams

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]]) -> "Gold":
        """Count the n-grams of the references, each as often as the reference that has it most."""
        counted: Grams = tuple({} for _ in range(ORDERS))
        for text in texts:
            for most, grams in zip(counted, _grams(text), strict=True):
                for gram, times in _count(grams).items():
                    most[gram] = max(times, most.get(gram, 0))
        return cls(tuple(map(tuple, texts)), counted)


def bleu(gold: Gold, text: Sequence[str]) -> Scores:
    """Return BLEU-1 to BLEU-4 of a text (its words) against its references, each from 0 to 1.

    BLEU-n = penalty · (∏ₖ₌₁ⁿ (matched k-grams + 1e-15) / (k-grams of the text + 1e-9))^(1/n), the
    matches clipped at the reference's count; penalty = exp(1 - r/c) where the text of c words is
    shorter than the closest reference of r words (of two equally close, the shorter).
    """
    length = len(text)
    reference = min((abs(len(each) - length), len(each)) for each in gold.texts)[1]
    ratio = (length + _NO_MATCH) / (reference + _NO_GUESS)
    penalty = math.exp(1 - 1 / ratio) if ratio < 1 else 1.0
    product, scores = 1.0, []
    for order, matched in enumerate(_matches(gold, tuple(text)), 1):
        product *= (matched + _NO_MATCH) / (max(0, length - order + 1) + _NO_GUESS)
        scores.append(product ** (1 / order) * penalty)
    return scores[0], scores[1], scores[2], scores[3]


def _matches(gold: Gold, text: tuple[str, ...]) -> list[int]:
    """Return the clipped number of n-grams that the references have, for each order."""
    if text in gold.texts:
        return [max(0, len(text) - order) for order in range(ORDERS)]
    found = []
    for allowed, grams in zip(gold.grams, _grams(text), strict=True):
        left: dict[tuple[str, ...], int] = {}
        matched = 0
        for gram in grams:
            if left.setdefault(gram, allowed.get(gram, 0)):
                left[gram] -= 1
                matched += 1
        found.append(matched)
    return found


def _grams(text: Sequence[str]) -> list[list[tuple[str, ...]]]:
    """Return the n-grams of each order, in the order in which they stand."""
    return [list(zip(*(text[k:] for k in range(n)), strict=False)) for n in range(1, ORDERS + 1)]


def _count(grams: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
    counted: dict[tuple[str, ...], int] = {}
    for gram in grams:
        counted[gram] = counted.get(gram, 0) + 1
    return counted
