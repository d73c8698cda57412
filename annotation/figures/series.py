"""The series of a picture: their names, and the colour, dashes and shape of each."""

from collections.abc import Mapping
from typing import Any

import altair as alt

MUTED, ACCENT = "#625e57", "#0e5f6f"
SERIES = (ACCENT, "#a65e00", "#6c4a9e", "#4a7a1f", "#a8326e", MUTED)
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")


def offset_series(offset: Any, chart: Mapping[str, str], rows: list[dict[str, Any]]) -> list[Any]:
    """Return how the bars of each series stand beside each other; nothing without series."""
    if not chart["series"]:
        return []
    names = list_series(chart, rows)
    return [offset(f"{chart['series']}:N", sort=names), colour_series(chart, rows)]


def list_series(chart: Mapping[str, str], rows: list[dict[str, Any]]) -> list[str]:
    """Return the names of the series, in the order of the rows."""
    return list(dict.fromkeys(str(row[chart["series"]]) for row in rows))


def colour_series(chart: Mapping[str, str], rows: list[dict[str, Any]]) -> Any:
    """Return the colour of each series."""
    names = list_series(chart, rows)
    colours = [SERIES[place % len(SERIES)] for place in range(len(names))]
    scale = alt.Scale(domain=names, range=colours)
    return alt.Color(f"{chart['series']}:N", sort=names, scale=scale, title=None)


def dash_series(chart: Mapping[str, str], rows: list[dict[str, Any]]) -> Any:
    """Return the dashes of each series."""
    names = list_series(chart, rows)
    dashes = [DASHES[place % len(DASHES)] for place in range(len(names))]
    scale = alt.Scale(domain=names, range=dashes)
    return alt.StrokeDash(f"{chart['series']}:N", sort=names, scale=scale, title=None)


def shape_series(chart: Mapping[str, str], rows: list[dict[str, Any]]) -> Any:
    """Return the shape of each series."""
    names = list_series(chart, rows)
    shapes = [SHAPES[place % len(SHAPES)] for place in range(len(names))]
    scale = alt.Scale(domain=names, range=shapes)
    return alt.Shape(f"{chart['series']}:N", sort=names, scale=scale, title=None)
