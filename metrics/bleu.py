"""Sentence BLEU of orders 1 to 4 as the AmbigQA scorer computes it: the corpus formula on one pair.

Source: Papineni et al. 2002 for the formula; the constants and the reference length are those of
the COCO caption scorer, which the AmbigQA scorer calls.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

ORDERS = 4
Words = tuple[str, ...]
Scores = tuple[float, float, float, float]

_NO_MATCH = 1e-15
"""Added to the matches, so that a text without one does not zero the orders that have some."""
_NO_GUESS = 1e-9
"""Added to the number of n-grams: a text too short for an order scores almost 0 there."""


class Gold:
    """The references of one text, at least one, each as its words.

    Their n-grams are counted when first asked for: a text that equals one of them needs none.
    """

    __slots__ = ("_counted", "_kinds", "texts")

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        self.texts = tuple(map(tuple, texts))
        self._counted: dict[int, Counter[Words]] = {}
        self._kinds: dict[int, set[Words]] = {}

    def closest(self, length: int) -> int:
        """Return the length nearest to ``length`` in words; of two equally near, the shorter."""
        if len(self.texts) == 1:
            return len(self.texts[0])
        return min((abs(len(each) - length), len(each)) for each in self.texts)[1]

    def matches(self, text: Words, order: int) -> int:
        """Return how many n-grams of a text the references have.

        Each counts at most as often as in the reference that has it most.
        """
        kinds = set(_grams(text, order))
        if order not in self._kinds:
            self._kinds[order] = {gram for each in self.texts for gram in _grams(each, order)}
        found = kinds & self._kinds[order]
        if not found or len(kinds) == len(text) - order + 1:  # the text repeats none
            return len(found)
        allowed, said = self._times(order), Counter(_grams(text, order))
        return sum(min(said[gram], allowed[gram]) for gram in found)

    def _times(self, order: int) -> Counter[Words]:
        if order not in self._counted:
            most: Counter[Words] = Counter()
            for text in self.texts:
                most |= Counter(_grams(text, order))
            self._counted[order] = most
        return self._counted[order]


def bleu(gold: Gold, text: Words) -> Scores:
    """Return BLEU-1 to BLEU-4 of a text (its words) against its references, each from 0 to 1.

    BLEU-n = penalty · (∏ₖ₌₁ⁿ (matched k-grams + 1e-15) / (k-grams of the text + 1e-9))^(1/n), the
    matches clipped at the reference's count; penalty = exp(1 - r/c) where the text of c words is
    shorter than the closest reference of r words (of two equally close, the shorter).
    """
    length = len(text)
    if text in gold.texts:
        return _of_a_copy(length)
    matched = [0] * ORDERS
    for order in range(1, ORDERS + 1):
        matched[order - 1] = gold.matches(text, order)
        if not matched[order - 1]:  # then no longer one is there either
            break
    return _scores(matched, length, gold.closest(length))


@lru_cache(1024)
def _of_a_copy(length: int) -> Scores:
    return _scores([max(0, length - order) for order in range(ORDERS)], length, length)


def _scores(matched: Sequence[int], length: int, reference: int) -> Scores:
    ratio = (length + _NO_MATCH) / (reference + _NO_GUESS)
    penalty = math.exp(1 - 1 / ratio) if ratio < 1 else 1.0
    product, scores = 1.0, []
    for order, count in enumerate(matched, 1):
        product *= (count + _NO_MATCH) / (max(0, length - order + 1) + _NO_GUESS)
        scores.append(product ** (1 / order) * penalty)
    return scores[0], scores[1], scores[2], scores[3]


def _grams(text: Words, order: int) -> Iterable[Words]:
    """Return the n-grams of an order as they stand in the text."""
    return zip(*[text[start:] for start in range(order)], strict=False)
