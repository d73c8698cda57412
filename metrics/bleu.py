"""Sentence BLEU of orders 1 to 4 as the AmbigQA scorer computes it: the corpus formula on one pair.

Source: Papineni et al. 2002 for the formula; the constants and the reference length are those of
the COCO caption scorer, which the AmbigQA scorer calls.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

ORDERS = 4
Words = tuple[str, ...]
Scores = tuple[float, float, float, float]
Places = Mapping[tuple[str, str], int]

_NO_MATCH = 1e-15
"""Added to the matches, so that a text without one does not zero the orders that have some."""
_NO_GUESS = 1e-9
"""Added to the number of n-grams: a text too short for an order scores almost 0 there."""


class Gold:
    """The references of one text, at least one, each as its words.

    What is in them is counted when first asked for: a text that equals one of them needs nothing.
    """

    __slots__ = ("_grams", "_pairs", "_words", "texts")

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        self.texts = tuple(map(tuple, texts))
        self._grams: list[set[Hashable]] = []
        self._pairs: Places = {}
        self._words: set[Hashable] | None = None

    def closest_length(self, length: int) -> int:
        """Return the length nearest to ``length`` in words; of two equally near, the shorter."""
        if len(self.texts) == 1:
            return len(self.texts[0])
        return min((abs(len(each) - length), len(each)) for each in self.texts)[1]

    def count_matches(self, text: Words) -> tuple[int, int, int, int]:
        """Return how many words, pairs, triples and fours of words of a text the references have.

        Each counts at most as often as in the reference that has it most.
        """
        if self._words is None:
            self._words = number_occurrences(self.texts[0])
            self._pairs = _places(self.texts[0]) if len(self.texts) == 1 else {}
        pairs = list(pairwise(text))
        if self._pairs and len(set(pairs)) == len(pairs):
            return len(number_occurrences(text) & self._words), *_runs(self._pairs, pairs)
        return self._shared(text)

    def _shared(self, text: Words) -> tuple[int, int, int, int]:
        found = [0] * ORDERS
        for order in range(ORDERS):
            if len(self._grams) == order:
                parts = [_grams(each, order + 1) for each in self.texts]
                self._grams.append(parts[0].union(*parts[1:]))
            found[order] = len(_grams(text, order + 1) & self._grams[order])
            if not found[order]:  # then no longer one is there either
                break
        return found[0], found[1], found[2], found[3]


def _places(words: Words) -> Places:
    """Return the place of each pair of words, from 1; nothing where one is there twice."""
    pairs = list(pairwise(words))
    places = dict(zip(pairs, range(1, len(pairs) + 1), strict=True))
    return places if len(places) == len(pairs) else {}


def _runs(places: Places, pairs: Iterable[tuple[str, str]]) -> tuple[int, int, int]:
    """Return how many pairs, triples and fours of words of a text the reference has.

    It holds where neither repeats a pair, as hardly any question does; ``places`` are those of the
    reference. Then n words of the text are in it where the pairs that they hold follow one another
    there: each pair is counted by the length of the run that it ends.
    """
    ends = [0] * ORDERS
    run = expected = 0
    for place in map(places.get, pairs):
        if place is None:
            run = 0
        else:
            run = run + 1 if place == expected and run else 1
            ends[run if run < ORDERS - 1 else ORDERS - 1] += 1
            expected = place + 1
    _, two, three, four = ends
    return two + three + four, three + four, four


def number_occurrences(items: Sequence[Hashable]) -> set[Hashable]:
    """Return a multiset as a set: the second of equal items is (2, item), the third (3, item).

    So the union, intersection and difference of two sets are those of the multisets.
    """
    kinds = set(items)
    if len(kinds) == len(items):
        return kinds
    times: dict[Hashable, int] = {}
    for item in items:
        times[item] = times.get(item, 0) + 1
        if times[item] > 1:
            kinds.add((times[item], item))
    return kinds


def bleu(gold: Gold, text: Words) -> Scores:
    """Return BLEU-1 to BLEU-4 of a text (its words) against its references, each from 0 to 1.

    BLEU-n = penalty · (∏ₖ₌₁ⁿ (matched k-grams + 1e-15) / (k-grams of the text + 1e-9))^(1/n), the
    matches clipped at the reference's count; penalty = exp(1 - r/c) where the text of c words is
    shorter than the closest reference of r words (of two equally close, the shorter).
    """
    length = len(text)
    if text in gold.texts:
        return of_a_copy(length)
    return _scores(*gold.count_matches(text), length, gold.closest_length(length))


@lru_cache(1024)
def of_a_copy(length: int) -> Scores:
    """Return BLEU-1 to BLEU-4 of a text of this length that equals a reference."""
    return _scores(*(max(0, length - order) for order in range(ORDERS)), length, length)


@lru_cache(65_536)
def _scores(one: int, two: int, three: int, four: int, length: int, reference: int) -> Scores:
    ratio = (length + _NO_MATCH) / (reference + _NO_GUESS)
    penalty = math.exp(1 - 1 / ratio) if ratio < 1 else 1.0
    product, scores = 1.0, []
    for order, count in enumerate((one, two, three, four), 1):
        product *= (count + _NO_MATCH) / (max(0, length - order + 1) + _NO_GUESS)
        scores.append(product ** (1 / order) * penalty)
    return scores[0], scores[1], scores[2], scores[3]


def _grams(text: Words, order: int) -> set[Hashable]:
    """Return the n-grams of an order, as ``number_occurrences`` does."""
    parts = [text[start:] for start in range(order)]
    grams: set[Hashable] = set(text) if order == 1 else set(zip(*parts, strict=False))
    if len(grams) > len(text) - order:  # none repeats, as hardly any does above order 1
        return grams
    return number_occurrences(text if order == 1 else list(zip(*parts, strict=False)))
