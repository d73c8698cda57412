"""Figures of a model on dev, each with the questions it was made from, so that it has an interval.

Pure but for numpy, which intervals load.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from metrics.score import SCORE, SHARE, Evaluation, Figure

LEVEL: Final = 0.95


class Figures(dict[str, float]):
    """Figures by the names that recipes have. `scored`: of each, what it was made from."""

    def __init__(self, scored: Mapping[str, tuple[Evaluation, Figure]]) -> None:
        super().__init__(
            {name: evaluation.value(figure) for name, (evaluation, figure) in scored.items()}
        )
        self.scored = dict(scored)

    def find_intervals(self) -> dict[str, list[float]]:
        """Return the bounds of each figure, at 95 %; none where questions are too few for some."""
        from metrics.intervals import report_intervals  # numpy

        found = {}
        for name, (evaluation, figure) in self.scored.items():
            alone = evaluation.with_figures([figure])
            interval = report_intervals(alone, level=LEVEL)[figure.name].interval
            if interval is not None:
                found[name] = [interval.low, interval.high]
        return found


def take_figures(
    scored: Evaluation, names: Mapping[str, str], also: Mapping[str, Sequence[bool]] | None = None
) -> Figures:
    """Return figures under the names that recipes have; those over no question are left out.

    names: from them to the scorer's; also: figures that are shares of the same questions.
    """
    own = {figure.name: figure for figure in scored.figures}
    taken = {
        name: (scored, own[theirs]) for name, theirs in names.items() if scored.count(own[theirs])
    }
    shares = {name: take_mean(name, values).scored[name] for name, values in (also or {}).items()}
    return Figures(taken | shares)


def take_mean(name: str, values: Sequence[float]) -> Figures:
    """Return the mean of a value from 0 to 1 for each question; of right and wrong, the share."""
    scale = SHARE if all(isinstance(value, bool) for value in values) else SCORE
    column = [float(value) for value in values]
    ids = [str(number) for number in range(len(column))]
    figure = Figure(name, (name,), scale=scale)
    return Figures({name: (Evaluation("training", ids, {name: column}, [figure]), figure)})
