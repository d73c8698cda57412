"""Bradley-Terry strengths from tables of wins, many tables at once.

Shapes: ``wins`` (questions, systems, systems), where the row beat the column; strengths (systems,).

Sources: Bradley and Terry 1952; when a maximum exists: Ford 1957, Hunter 2004.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from metrics import resampling
from metrics.intervals import ReportedInterval, report_drawn
from metrics.score import BadInput

Array = npt.NDArray[np.float64]
Scale = Literal["share", "log"]

_STEPS = 200
_HALVINGS = 30
_TOLERANCE = 1e-10


def estimate_strengths(wins: npt.ArrayLike, prior: float, scale: Scale = "share") -> Array:
    """Return the systems' strengths, which add up to 1, or their logarithms, which add up to 0."""
    found = _solved(np.asarray(wins, dtype=np.float64).sum(axis=0)[np.newaxis], prior)
    return np.asarray(_scaled(found, scale)[0])


def strength_intervals(
    wins: npt.ArrayLike,
    prior: float,
    resamples: int,
    level: float,
    seed: int,
    scale: Scale = "share",
) -> list[ReportedInterval]:
    """Return the percentile interval of each of `estimate_strengths` over resampled questions."""
    tables = np.asarray(wins, dtype=np.float64)
    items, systems, _ = tables.shape
    flat = tables.reshape(items, -1)
    sample = np.concatenate(
        [
            _scaled(_solved((times @ flat).reshape(-1, systems, systems), prior), scale)
            for times in resampling.draw_resamples(items, resamples=resamples, seed=seed)
        ]
    )
    return [
        report_drawn(
            resampling.sample_interval(values, level=level, resamples=resamples, seed=seed), items
        )
        for values in sample.T
    ]


def _scaled(shares: Array, scale: Scale) -> Array:
    if scale == "share":
        return shares
    logs = np.log(shares)
    centred: Array = logs - logs.mean(axis=1, keepdims=True)
    return centred


def check_order(wins: npt.ArrayLike, systems: Sequence[str], prior: float) -> None:
    """Raise ``BadInput`` where the comparisons do not order all systems against each other."""
    table = np.asarray(wins, dtype=np.float64).sum(axis=0)
    reached = _reach((table + table.T)[np.newaxis])[0]
    if not reached.all():
        some = [name for name, met in zip(systems, reached[0], strict=True) if met]
        rest = [name for name, met in zip(systems, reached[0], strict=True) if not met]
        raise BadInput(
            f"{', '.join(some)} were never compared with {', '.join(rest)}, not even through "
            "others: no order between them can be known. Compare some, or rank each group alone."
        )
    if prior == 0:
        beaten = _reach(table[np.newaxis])[0]
        for name, row, column in zip(systems, beaten, beaten.T, strict=True):
            if not (row.all() and column.all()):
                raise BadInput(
                    f"{name} never {'lost to' if row.all() else 'beat'} some of the others, not "
                    "even through third ones, so no finite strengths exist. Give a prior above 0, "
                    "such as 0.5."
                )


def _solved(tables: Array, prior: float) -> Array:
    """Return strengths of shape (tables, systems); rows of ``nan`` where none exist.

    Newton's method on the logarithms of the strengths: the likelihood is concave in them, and a
    step that overshoots is halved. The imagined average system has the logarithm 0 throughout.
    """
    count, systems, _ = tables.shape
    result = np.full((count, systems), np.nan)
    open_ = np.arange(count) if prior else np.flatnonzero(_reach(tables).all(axis=(1, 2)))
    logs = np.zeros((len(open_), systems))
    for _ in range(_STEPS):
        if not len(open_):
            break
        step = _newton_step(tables[open_], logs, prior)
        before = _likelihood(tables[open_], logs, prior)
        for _ in range(_HALVINGS):
            worse = _likelihood(tables[open_], logs + step, prior) < before - 1e-9
            if not worse.any():
                break
            step[worse] /= 2
        logs = logs + step
        powers = np.exp(logs - logs.max(axis=1, keepdims=True))
        result[open_] = powers / powers.sum(axis=1, keepdims=True)
        going = np.abs(step).max(axis=1) > _TOLERANCE
        open_, logs = open_[going], logs[going]
    return result


def _newton_step(tables: Array, logs: Array, prior: float) -> Array:
    """Return the step to the maximum of the parabola that fits the likelihood at ``logs``."""
    systems = logs.shape[1]
    met = tables + tables.transpose(0, 2, 1)
    apart = logs[:, :, np.newaxis] - logs[:, np.newaxis, :]
    chance, otherwise = _logistic(apart), _logistic(-apart)  # not 1 − chance, which rounds to 0
    average, below = _logistic(logs), _logistic(-logs)
    slope = (tables * otherwise - tables.transpose(0, 2, 1) * chance).sum(axis=2)
    slope += prior * (below - average)
    curve = -met * chance * otherwise
    own = 2 * prior * average * below - curve.sum(axis=2)
    curve[:, np.arange(systems), np.arange(systems)] += own
    if not prior:
        curve += 1 / systems  # only differences count: hold the mean of the logarithms where it is
    return np.linalg.solve(curve, slope[:, :, np.newaxis])[:, :, 0]


def _likelihood(tables: Array, logs: Array, prior: float) -> Array:
    """Return the logarithm of the likelihood of each table, of shape (tables,)."""
    lost = np.logaddexp(0, logs[:, np.newaxis, :] - logs[:, :, np.newaxis])
    against_average = np.logaddexp(0, logs) + np.logaddexp(0, -logs)
    total: Array = -(tables * lost).sum(axis=(1, 2)) - prior * against_average.sum(axis=1)
    return total


def _logistic(values: Array) -> Array:
    chances: Array = np.exp(-np.logaddexp(0, -values))
    return chances


def _reach(tables: Array) -> npt.NDArray[np.bool_]:
    """Return who leads to whom along cells above 0, in any number of steps, per table."""
    systems = tables.shape[1]
    reached = (tables > 0) | np.eye(systems, dtype=bool)
    for _ in range(systems.bit_length()):
        step = reached.astype(np.float64)
        reached = (step @ step) > 0
    return reached
