"""Find a feature, or a small tree of features, that tells some items from the others.

Features are turned into questions with a yes or no: is it this value, is it above this number, is
it there. A split is as good as it explains the labels (less their share in the stratum): the sum of
squares between its sides. Chance is what the same search finds after the labels were shuffled
within their stratum.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

CUTS, VALUES, LEAST = 12, 12, 8
Features = dict[str, float | str | bool | None]


@dataclass(frozen=True)
class Found:
    """How well something tells the labels, and how often chance does as well."""

    what: str
    score: float
    p: float

    def __str__(self) -> str:
        return f"{self.what}: {self.score:.1f}, p = {self.p:.3f}"


@dataclass(frozen=True)
class Told:
    """The best single feature, and a tree of the depth asked for."""

    single: Found
    tree: Found
    questions: int


def tell(
    items: list[Features],
    labels: list[bool],
    strata: list[str],
    *,
    seed: int,
    same: list[int] | None = None,
    shuffles: int = 199,
) -> Told:
    """Search for what tells the labels: the best split, and the best split of each of its sides.

    same: the number of the task of each item, where several people had it; they share its label.
    """
    same = list(range(len(items))) if same is None else same
    tries = _shuffled(np.array(labels), strata, same, shuffles, np.random.default_rng(seed))
    residuals = _residuals(np.stack(list(tries)), np.array(strata)).astype(np.float32)
    asked, names = _questions(items)
    sums, sizes = residuals @ asked.T, asked.sum(axis=1)
    gains = sums**2 * len(items) / (sizes * (len(items) - sizes))
    first, best = gains.argmax(axis=1), gains.max(axis=1)
    single = Found(names[first[0]], float(best[0]), _p(best))
    sides = _sides(asked, residuals, sums, sizes, asked[first])
    grown = best + sum(gain for gain, _ in sides)
    below = (names[at[0]] for gain, at in sides if gain[0])
    tree = " / ".join([single.what, *below])
    return Told(single, Found(tree, float(grown[0]), _p(grown)), len(names))


def _p(scores: np.ndarray) -> float:
    """Return how often chance is as good as the first, which is the one observed."""
    return float((scores >= scores[0] - 1e-4).mean())


def _shuffled(labels, strata, same, times, random):
    """Give the labels, and then with those of tasks exchanged, each for one of the same stratum
    that as many people had.
    """
    yield labels
    names, first, unit, sizes = np.unique(
        same, return_index=True, return_inverse=True, return_counts=True
    )
    kinds: dict[tuple[str, int], list[int]] = {}
    for at in range(len(names)):
        kinds.setdefault((strata[first[at]], sizes[at]), []).append(at)
    own = labels[first]
    for _ in range(times):
        row = own.copy()
        for at in kinds.values():
            row[at] = random.permutation(row[at])
        yield row[unit]


def _residuals(tries, strata):
    values = tries.astype(float)
    for name in np.unique(strata):
        at = strata == name
        values[:, at] -= values[:, at].mean(axis=1, keepdims=True)
    return values


# --- questions ------------------------------------------------------------------------------------


def _questions(items: list[Features]) -> tuple[np.ndarray, list[str]]:
    """Return the answers to every question, each once, and the questions."""
    found: dict[str, tuple[list[int], list[float | str | bool]]] = {}
    for at, item in enumerate(items):
        for key, value in item.items():
            if value is not None:
                places, values = found.setdefault(key, ([], []))
                places.append(at)
                values.append(value)
    rows, names, seen = [], [], set()
    for key, (places, values) in sorted(found.items()):
        if len(places) < LEAST:
            continue  # whatever is asked about it, fewer say yes
        for name, yes in _about(key, values):
            row = np.zeros(len(items), dtype=bool)
            row[places] = yes
            least = min(row.sum(), len(row) - row.sum())
            mark = (row if row[0] else ~row).tobytes()
            if least >= LEAST and mark not in seen:
                seen.add(mark)
                rows.append(row)
                names.append(name)
    return np.array(rows, dtype=np.float32), names


def _about(key, values):
    """Yield questions about a feature, and what the items that have it say to each."""
    yield f"{key} is there", True
    numbers = [float(value) if isinstance(value, (int, float)) else np.nan for value in values]
    known = np.unique([each for each in numbers if not np.isnan(each)])
    if len(known) > 1:
        cuts = np.unique(np.quantile(known, np.linspace(0, 1, CUTS + 2)[:-1], method="nearest"))
        with np.errstate(invalid="ignore"):
            for cut in cuts:
                yield f"{key} > {cut:g}", np.array(numbers) > cut
    words = Counter(value for value in values if isinstance(value, str))
    for word, _ in words.most_common(VALUES):
        yield f"{key} is {word!r}", np.array([value == word for value in values])


# --- a tree ---------------------------------------------------------------------------------------


def _sides(asked, residuals, sums, sizes, here):
    """Return for both sides of each try how much the best split adds, and which one it is.

    here: the items of one side, a row for each try; what the other side has is the rest.
    """
    inside, own = here @ asked.T, (residuals * here) @ asked.T
    numbers, totals = here.sum(axis=1), (residuals * here).sum(axis=1)
    rest = here.shape[1] - numbers, residuals.sum(axis=1) - totals
    return [
        _best_splits(inside, own, numbers[:, None], totals[:, None]),
        _best_splits(sizes - inside, sums - own, rest[0][:, None], rest[1][:, None]),
    ]


def _best_splits(sizes, sums, number, total):
    fits = (sizes >= LEAST) & (number - sizes >= LEAST)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = sums**2 / sizes + (total - sums) ** 2 / (number - sizes) - total**2 / number
    gains = np.where(fits, gains, 0)
    return gains.max(axis=1), gains.argmax(axis=1)
