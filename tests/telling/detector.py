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
    residuals = np.stack([_residuals(row, strata) for row in tries]).astype(np.float32)
    asked, names = _questions(items)
    sums, sizes = residuals @ asked.T, asked.sum(axis=1)
    gains = sums**2 * len(items) / (sizes * (len(items) - sizes))
    first, best = gains.argmax(axis=1), gains.max(axis=1)
    single = Found(names[first[0]], float(best[0]), _p(best))
    grown = [
        best[at] + _side(asked, row, asked[top])[0] + _side(asked, row, 1 - asked[top])[0]
        for at, (row, top) in enumerate(zip(residuals, first, strict=True))
    ]
    top = asked[first[0]]
    sides = [_side(asked, residuals[0], side)[1] for side in (top, 1 - top)]
    tree = " / ".join([single.what, *(names[at] for at in sides if at is not None)])
    return Told(single, Found(tree, float(grown[0]), _p(np.array(grown))), len(names))


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


def _residuals(labels, strata):
    values = labels.astype(float)
    for name in set(strata):
        at = np.array(strata) == name
        values[at] -= values[at].mean()
    return values


# --- questions ------------------------------------------------------------------------------------


def _questions(items: list[Features]) -> tuple[np.ndarray, list[str]]:
    """Return the answers to every question, each once, and the questions."""
    rows, names, seen = [], [], set()
    for key in sorted({key for item in items for key in item}):
        for name, row in _about(key, [item.get(key) for item in items]):
            least = min(row.sum(), len(row) - row.sum())
            mark = (row if row[0] else ~row).tobytes()
            if least >= LEAST and mark not in seen:
                seen.add(mark)
                rows.append(row)
                names.append(name)
    return np.array(rows, dtype=np.float32), names


def _about(key, values):
    yield f"{key} is there", np.array([value is not None for value in values])
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


def _side(asked: np.ndarray, residuals: np.ndarray, here: np.ndarray) -> tuple[float, int | None]:
    """Return how much the best split of one side adds, and which one it is."""
    at = np.flatnonzero(here)
    inside = asked[:, at]
    sizes, own, number = inside.sum(axis=1), residuals[at], len(at)
    fits = (sizes >= LEAST) & (number - sizes >= LEAST)
    if not fits.any():
        return 0.0, None
    sums, total = inside @ own, own.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = sums**2 / sizes + (total - sums) ** 2 / (number - sizes) - total**2 / number
    best = int(np.where(fits, gains, -1).argmax())
    return float(gains[best]), best
