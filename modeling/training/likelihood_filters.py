"""Choosing how likely an answer has to be, by what it gains (AmbigQA, section 5). Pure.

The threshold γ and the bounds of a reader's answers are chosen together, and so is the cut-off of a
classifier, which gives one answer or none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product
from typing import Final, NamedTuple

MOST_BOUND: Final = 10  # the largest `most` that is tried; none is tried as well
_DECIMALS: Final = 9  # of an option


@dataclass(frozen=True, slots=True)
class Filter:
    """Which answers are given: those likelier than `threshold`, within two bounds of their number.

    most: 0 for no bound.
    """

    threshold: float
    least: int = 0
    most: int = 0

    def count(self, likelihoods: Sequence[float]) -> int:
        """Return how many of the answers are given, whose likelihoods fall."""
        likely = sum(likelihood > self.threshold for likelihood in likelihoods)
        return self.bound(likely, len(likelihoods))

    def bound(self, likely: int, there: int) -> int:
        """Return how many are given of those there are, if this many are likely enough."""
        bounded = max(likely, self.least)
        return min(bounded, self.most or bounded, there)


class RankedAnswers(NamedTuple):
    """A question: the likelihoods of its answers, falling, and what the first 0, 1, … gain."""

    id: str
    likelihoods: Sequence[float]
    gains: Sequence[float]

    def gain(self, chosen: Filter) -> float:
        """Return what the answers that a filter gives gain."""
        return self.gains[chosen.count(self.likelihoods)]


# What is tried: for a list of answers, and for a classifier of two classes.
BOUNDS: Final = tuple(product((0, 1), range(MOST_BOUND + 1)))
CLASSES: Final = ((0, 1),)


def tune_filter(
    items: Sequence[RankedAnswers], bounds: Sequence[tuple[int, int]] = BOUNDS
) -> tuple[Filter, float]:
    """Return the filter with the largest mean gain, and this mean; the strictest of equal ones.

    Every threshold that tells two likelihoods apart is tried, so no other is better. items: at
    least one; bounds: pairs of least and most.
    """
    best: tuple[float, Filter] | None = None
    for least, most in bounds:
        total, threshold = _sweep(items, Filter(1.0, least, most))
        if best is None or total > best[0] + 1e-12 * len(items):
            best = total, Filter(threshold, least, most)
    assert best is not None  # there are bounds
    return best[1], mean_gain(items, best[1])


def mean_gain(items: Sequence[RankedAnswers], chosen: Filter) -> float:
    """Return the mean of what a filter gains, from 0 to 1."""
    return sum(item.gain(chosen) for item in items) / len(items)


def cross_fit(
    items: Sequence[RankedAnswers], folds: int, bounds: Sequence[tuple[int, int]] = BOUNDS
) -> float:
    """Return the mean gain where the filter of each fold was chosen on the others.

    It is not biased by the choice, as that of `tune_filter` is. A question is in the same fold
    whatever the others are. Raises ValueError where a fold or its rest is empty.
    """
    if folds < 2:
        raise ValueError("There are at least two folds.")
    total = 0.0
    for fold in range(folds):
        inside = [item for item in items if _fold_of(item.id, folds) == fold]
        outside = [item for item in items if _fold_of(item.id, folds) != fold]
        if not inside or not outside:
            raise ValueError(f"{len(items)} questions are too few for {folds} folds.")
        chosen, _ = tune_filter(outside, bounds)
        total += sum(item.gain(chosen) for item in inside)
    return total / len(items)


def _sweep(items: Sequence[RankedAnswers], bounded: Filter) -> tuple[float, float]:
    """Return the largest sum of gains with these bounds, and the largest threshold that has it."""
    counts = [0] * len(items)
    total = sum(item.gains[bounded.bound(0, len(item.likelihoods))] for item in items)
    best, threshold = total, 1.0
    found = ((each, place) for place, item in enumerate(items) for each in item.likelihoods)
    steps = sorted(found, reverse=True)
    for number, (likelihood, place) in enumerate(steps):
        item, there = items[place], len(items[place].likelihoods)
        total -= item.gains[bounded.bound(counts[place], there)]
        counts[place] += 1
        total += item.gains[bounded.bound(counts[place], there)]
        following = steps[number + 1][0] if number + 1 < len(steps) else 0.0
        between = round((likelihood + following) / 2, _DECIMALS)
        if following <= between < likelihood and total > best + 1e-12:
            best, threshold = total, between
    return best, threshold


def _fold_of(name: str, folds: int) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big") % folds
