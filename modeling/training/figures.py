"""Figures of dev by the names that recipes and people know them by. Pure."""

from collections.abc import Mapping

from metrics.score import Evaluation

Figures = dict[str, float]


def take_figures(scored: Evaluation, names: Mapping[str, str]) -> Figures:
    """Return figures under the names that recipes have; those over no question are left out."""
    figures = {figure.name: figure for figure in scored.figures}
    return {
        name: scored.value(figures[own])
        for name, own in names.items()
        if scored.count(figures[own])
    }
