"""Charts of panels by altair. Only the worker imports this, to draw (annotation.figures.pictures).

The colours are the light ones of the theme; static/css/annotation/figures/reports.css names each of
them again.
"""

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from annotation.figures.chart_notes import explain_notes, split_by_note
from annotation.figures.layouts import (
    BOX_HEIGHT,
    BOX_WIDTH,
    link_below,
    link_beside,
    place_boxes,
    place_boxes_in_rows,
    place_words,
)
from annotation.figures.panel import FEW, is_value, read_note, read_number
from annotation.figures.series import (
    ACCENT,
    MUTED,
    colour_series,
    dash_series,
    list_series,
    offset_series,
    shape_series,
)

TEXT, LINE, SURFACE = "#21201d", "#e3e0da", "#ffffff"
HEAT = ("#eef5f6", "#d3e7ea", "#a9d0d7", "#1f7080", "#0b4c58")
_LETTER = 7  # pixels, about
BAR, LETTER_LINE, MOST_BARS, MOST_WORDS, MOST_NAMES = 20, 15, 40, 100, 20
# The page may have wider letters than those that the library measures.
PADDING = {"left": 14, "right": 8, "top": 5, "bottom": 5}
_BARE = {"domain": False, "ticks": False}


@dataclass(frozen=True)
class Frame:
    """How wide a picture is: its plot in pixels, and the longest line of a label in letters.

    rows: whether boxes of a tree stand below each other instead of from left to right.
    """

    width: int
    letters: int
    rows: bool = False


WIDE = Frame(560, 30)
# For phones: shown at its own size, so that its letters are as large as those of the page.
NARROW = Frame(260, 18, rows=True)
_UPRIGHT = {"labelAngle": 0, "labelOverlap": True}
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAY = "utcFormat(toDate(datum.label), '%-d %b')"
_CONFIG: dict[str, Any] = {
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "gridColor": LINE,
        "domainColor": LINE,
        "tickColor": LINE,
        "labelLimit": 0,  # a label is never cut: it takes several lines
    },
    "legend": {
        "labelColor": MUTED,
        "labelFontSize": 12,
        "title": None,
        "symbolOpacity": 1,
        "orient": "top",
        "columnPadding": 30,  # small pages enlarge the names
        "labelLimit": 0,
    },
    "mark": {"color": ACCENT},
}


def build_chart(panel: Mapping[str, Any], frame: Frame = WIDE) -> dict[str, Any] | None:
    """Return the panel as a chart of Vega-Lite; None where nothing of it can be drawn.

    A line needs two places, and bars a table of two rows.
    """
    panel = _without_dots(panel)
    chart, rows = panel["chart"], _rows(panel)
    places = {"lines": len({row[chart["x"]] for row in rows}), "bars": len(panel["rows"])}
    if not rows or places.get(chart["kind"]) == 1:
        return None
    drawn = _DRAW[chart["kind"]](chart, rows, _titles(panel), frame)
    return {
        **drawn.to_dict(),
        "config": _configure(chart, rows, frame),
        "background": None,
        "padding": PADDING,
    }


def _without_dots(panel: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the panel with keys of columns that a drawing can name: a dot would mean a part."""
    columns = [{**row, "key": row["key"].replace(".", "_")} for row in panel["columns"]]
    chart = {name: value.replace(".", "_") for name, value in panel["chart"].items()}
    return {**panel, "columns": columns, "chart": chart}


def _configure(
    chart: Mapping[str, str], rows: list[dict[str, Any]], frame: Frame
) -> dict[str, Any]:
    """Return the look of all charts; series that do not fit beside each other take more lines."""
    names = list_series(chart, rows) if chart["series"] else []
    most = max(1, frame.width // (_LETTER * max([12, *map(len, names)]) + 30))
    if len(names) <= most:
        return _CONFIG
    return {**_CONFIG, "legend": {**_CONFIG["legend"], "columns": most, "columnPadding": 12}}


def _titles(panel: Mapping[str, Any]) -> dict[str, str]:
    units = {"share": ", %", "percent": ", %", "seconds": ", minutes"}
    return {
        column["key"]: column["label"] + units.get(column["unit"], "")
        for column in panel["columns"]
    }


def _rows(panel: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows by the keys of their columns, numbers as they are shown, with intervals.

    A row without a number where one is drawn is left out.
    """
    chart = panel["chart"]
    scales = {"share": 100, "score": 100, "seconds": 1 / 60}
    scale = {column["key"]: scales.get(column["unit"], 1) for column in panel["columns"]}
    drawn = [chart["value"] or chart["y"]]
    drawn += [chart["x"], chart["y"]] if chart["kind"] == "points" else []
    rows = []
    for place, cells in enumerate(panel["rows"]):
        row: dict[str, Any] = {"place": place}
        for column, cell in zip(panel["columns"], cells, strict=True):
            row |= _drawn(column["key"], cell, scale[column["key"]])
        if all(isinstance(row[key], int | float) for key in drawn):
            rows.append(row)
    return rows


def _drawn(key: str, cell: Any, scale: float) -> dict[str, Any]:
    number = read_number(cell)
    if is_value(cell):
        low, high = (
            None if bound is None else scale * bound for bound in (cell["low"], cell["high"])
        )
        value = None if number is None else scale * number
        return {
            key: value,
            f"{key}_low": low,
            f"{key}_high": high,
            f"{key}_n": cell["n"],
            f"{key}_note": read_note(cell),
        }
    if number is not None:
        return {key: scale * number}
    if isinstance(cell, Mapping):
        return {key: cell["text"] if "text" in cell else f"person #{cell['person']:09d}"}
    return {key: cell}


def _bars(chart: Mapping[str, str], rows: list[dict[str, Any]], titles: Any, frame: Frame) -> Any:
    x, y = chart["x"], chart["y"]
    rows = rows[:MOST_BARS]
    order = list(dict.fromkeys(row[x] for row in rows))
    names, lines = _wrap_labels(order, frame)
    side = alt.Y(f"{x}:N", sort=order, title=None, axis=alt.Axis(**_BARE, **names))
    series = offset_series(alt.YOffset, chart, rows)
    base = alt.Chart(alt.InlineData(values=rows))
    along = alt.X(f"{y}:Q", title=titles[y], scale=alt.Scale(zero=True), stack=None)
    sure, unsure = split_by_note(base, y)
    layers = [
        sure.mark_bar(cornerRadiusEnd=2, color=HEAT[2]).encode(side, along, *series),
        unsure.mark_bar(filled=False, color=ACCENT, strokeDash=[3, 2]).encode(side, along, *series),
    ]
    if any(row.get(f"{y}_low") is not None for row in rows):
        whisker = base.transform_filter(f"isValid(datum['{y}_low'])").mark_rule(
            color=TEXT, strokeWidth=1.5
        )
        layers.append(whisker.encode(side, alt.X(f"{y}_low:Q"), alt.X2(f"{y}_high:Q"), *series[:1]))
    width = frame.width - round(_LETTER * min(frame.letters, max(map(len, map(str, order)))) / 2)
    return alt.layer(*layers).properties(
        width=width, height=alt.Step(max(BAR, LETTER_LINE * lines + 4)), **explain_notes(rows, y)
    )


def _wrap_labels(names: Sequence[Any], frame: Frame) -> tuple[dict[str, str], int]:
    """Return how an axis writes names in lines, and the most lines that one of them takes."""
    wrapped = {str(name): textwrap.wrap(str(name), frame.letters) or [""] for name in names}
    known = json.dumps(wrapped, ensure_ascii=False)
    return {"labelExpr": f"{known}[datum.label]"}, max(map(len, wrapped.values()))


def _lines(chart: Mapping[str, str], rows: list[dict[str, Any]], titles: Any, frame: Frame) -> Any:
    x, y = chart["x"], chart["y"]
    order = list(dict.fromkeys(row[x] for row in rows))
    days = {"labelExpr": _DAY} if all(_ISO.fullmatch(str(name)) for name in order) else {}
    across = alt.X(f"{x}:O", sort=order, title=titles[x], axis=alt.Axis(**_UPRIGHT, **days))
    up = alt.Y(f"{y}:Q", title=titles[y], scale=alt.Scale(zero=False, nice=True))
    series = [colour_series(chart, rows)] if chart["series"] else []
    base = alt.Chart(alt.InlineData(values=rows))
    layers = []
    if any(row.get(f"{y}_low") is not None for row in rows):
        band = base.mark_area(opacity=0.18).encode(
            across, alt.Y(f"{y}_low:Q", title=titles[y]), alt.Y2(f"{y}_high:Q"), *series
        )
        layers.append(band)
    dash = [dash_series(chart, rows)] if chart["series"] else []
    layers.append(base.mark_line(strokeWidth=2).encode(across, up, *series, *dash))
    sure, unsure = split_by_note(base, y)
    layers.append(sure.mark_point(filled=True, size=36, opacity=1).encode(across, up, *series))
    layers.append(unsure.mark_point(fill=SURFACE, size=36, opacity=1).encode(across, up, *series))
    return alt.layer(*layers).properties(width=frame.width, height=220, **explain_notes(rows, y))


def _heatmap(
    chart: Mapping[str, str], rows: list[dict[str, Any]], titles: Any, frame: Frame
) -> Any:
    x, y, value = chart["x"], chart["y"], chart["value"]
    numbers = [row[value] for row in rows if row.get(f"{value}_n", FEW) >= FEW]
    low, high = min(numbers, default=0), max(numbers, default=1)
    steps = [low + (high - low or 1) * step / len(HEAT) for step in range(1, len(HEAT))]
    for row in rows:
        few = row.get(f"{value}_n", FEW) < FEW
        row["heat"] = "few" if few else HEAT[sum(row[value] >= step for step in steps)]
        row["ink"] = MUTED if few else SURFACE if row["heat"] in HEAT[3:] else TEXT
        row["label"] = f"{row[value]:.0f}"
        row["behind"] = f"n {row[f'{value}_n']:,}" if f"{value}_n" in row else ""
    names = sorted({str(row[x]) for row in rows} | {str(row[y]) for row in rows})
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        alt.X(
            f"{x}:N",
            sort=names,
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-40, domain=False, ticks=False),
        ),
        alt.Y(f"{y}:N", sort=names, title=None, axis=_BARE),
    )
    colours = alt.Scale(domain=[*HEAT, "few"], range=[*HEAT, SURFACE])
    many = len(names) > MOST_NAMES
    # Round corners take four times as many characters, and there are thousands of cells.
    cells = base.mark_rect(stroke=LINE, cornerRadius=0 if many else 3).encode(
        alt.Fill("heat:N", scale=colours, legend=None)
    )
    if many:  # colours alone; the numbers are in the table
        return cells.properties(width=alt.Step(15), height=alt.Step(15))
    ink = alt.Color("ink:N", scale=None)
    big = base.mark_text(fontSize=13, fontWeight="bold", dy=-5).encode(alt.Text("label:N"), ink)
    small = base.mark_text(fontSize=11, dy=9).encode(alt.Text("behind:N"), ink)
    return alt.layer(cells, big, small).properties(width=alt.Step(44), height=alt.Step(40))


def _points(chart: Mapping[str, str], rows: list[dict[str, Any]], titles: Any, frame: Frame) -> Any:
    x, y = chart["x"], chart["y"]
    series = [colour_series(chart, rows), shape_series(chart, rows)] if chart["series"] else []
    if value := chart["value"]:
        sizes = alt.Scale(rangeMin=30, rangeMax=400, zero=True)
        series.append(alt.Size(f"{value}:Q", title=titles[value], scale=sizes))
    base = alt.Chart(alt.InlineData(values=rows))
    places = [alt.X(f"{x}:Q", title=titles[x]), alt.Y(f"{y}:Q", title=titles[y])]
    points = base.mark_point(filled=True, size=40, opacity=0.8).encode(*places, *series)
    size = {"width": frame.width, "height": 300}
    if not chart["series"] or len({row[chart["series"]] for row in rows}) == len(rows):
        return points.properties(**size)
    lines = base.mark_line(strokeWidth=1.5).encode(*places, colour_series(chart, rows))
    return alt.layer(lines, points).properties(**size)


def _histogram(
    chart: Mapping[str, str], rows: list[dict[str, Any]], titles: Any, frame: Frame
) -> Any:
    x, y = chart["x"], chart["y"]
    order = list(dict.fromkeys(row[x] for row in rows))
    series = offset_series(alt.XOffset, chart, rows)
    bars = alt.Chart(alt.InlineData(values=rows)).mark_bar(cornerRadiusEnd=2)
    return bars.encode(
        alt.X(
            f"{x}:N", sort=order, title=titles[x], axis=alt.Axis(labelAngle=0, labelOverlap=True)
        ),
        alt.Y(f"{y}:Q", title=titles[y], scale=alt.Scale(zero=True)),
        *series,
    ).properties(width=frame.width, height=220)


def _stacks(chart: Mapping[str, str], rows: list[dict[str, Any]], titles: Any, frame: Frame) -> Any:
    x, y, series = chart["x"], chart["y"], chart["series"]
    order = list(dict.fromkeys(row[x] for row in rows))
    names = list_series(chart, rows)
    for row in rows:
        row["order"] = names.index(str(row[series]))
    bars = alt.Chart(alt.InlineData(values=rows)).mark_bar(stroke=SURFACE, strokeWidth=1)
    return bars.encode(
        alt.X(
            f"{x}:N", sort=order, title=titles[x], axis=alt.Axis(labelAngle=0, labelOverlap=True)
        ),
        alt.Y(f"{y}:Q", title=titles[y], stack="zero", scale=alt.Scale(zero=True)),
        alt.Order("order:Q"),
        colour_series(chart, rows),
    ).properties(width=frame.width, height=220)


def _tree(chart: Mapping[str, str], rows: list[dict[str, Any]], titles: Any, frame: Frame) -> Any:
    """Lay boxes out from left to right, each next to what it branches from, or below it."""
    name, after = chart["x"], chart["series"]
    place = place_boxes_in_rows if frame.rows else place_boxes
    placed = place(rows, name, after)
    for row in rows:
        left, top = placed[row[name]]
        row |= {"left": left, "right": left + BOX_WIDTH, "top": top, "bottom": top + BOX_HEIGHT}
        row |= {"middle": left + BOX_WIDTH / 2, "name_at": top + 17, "number_at": top + 35}
        row["number"] = f"{row[chart['y']]:.0f} % · {row[chart['value']]:,.0f}"
    by_name = {row[name]: row for row in rows}
    link = link_below if frame.rows else link_beside
    links = [
        {**line, "width": 1 + 11 * row[chart["y"]] / 100}
        for row in rows
        if row[after] in by_name
        for line in link(placed[row[after]], placed[row[name]])
    ]
    width = max(row["right"] for row in rows) + 1
    height = max(row["bottom"] for row in rows) + 1
    across = {"axis": None, "scale": alt.Scale(domain=[0, width], nice=False)}
    down = {"axis": None, "scale": alt.Scale(domain=[height, 0], nice=False)}
    lines = alt.Chart(alt.InlineData(values=links)).mark_rule(color=ACCENT, opacity=0.45)
    base = alt.Chart(alt.InlineData(values=rows))
    boxes = base.mark_rect(fill=SURFACE, stroke=ACCENT, cornerRadius=4)
    at = alt.X("middle:Q", **across)
    return alt.layer(
        lines.encode(
            alt.X("x:Q", **across),
            alt.Y("y:Q", **down),
            alt.X2("x2:Q"),
            alt.Y2("y2:Q"),
            alt.StrokeWidth("width:Q", scale=None, legend=None),
        ),
        boxes.encode(
            alt.X("left:Q", **across),
            alt.Y("top:Q", **down),
            alt.X2("right:Q"),
            alt.Y2("bottom:Q"),
        ),
        base.mark_text(color=TEXT, fontSize=13, fontWeight="bold").encode(
            at, alt.Y("name_at:Q", **down), alt.Text(f"{name}:N")
        ),
        base.mark_text(color=MUTED, fontSize=13).encode(
            at, alt.Y("number_at:Q", **down), alt.Text("number:N")
        ),
    ).properties(width=width, height=height)


def _cloud(chart: Mapping[str, str], rows: list[dict[str, Any]], titles: Any, frame: Frame) -> Any:
    """Lay words out in lines, the largest first, as people read; no two overlap."""
    x, y = chart["x"], chart["y"]
    rows = sorted(rows, key=lambda row: -row[y])[:MOST_WORDS]
    height = place_words(rows, x, y, width=frame.width)
    series = [colour_series(chart, rows)] if chart["series"] else []
    first = list_series(chart, rows)[0] if chart["series"] else None
    words = alt.Chart(alt.InlineData(values=rows)).encode(
        alt.X("left:Q", axis=None, scale=alt.Scale(domain=[0, frame.width], nice=False)),
        alt.Y("top:Q", axis=None, scale=alt.Scale(domain=[height, 0], nice=False)),
        alt.Size("size:Q", scale=None, legend=None),
        alt.Text(f"{x}:N"),
        *series,
    )
    upright = {"align": "left", "baseline": "bottom"}
    if first is None:
        layers = [words.mark_text(**upright)]
    else:  # told apart by more than their colour
        name = alt.datum[chart["series"]]
        layers = [
            words.transform_filter(name == first).mark_text(**upright),
            words.transform_filter(name != first).mark_text(**upright, fontStyle="italic"),
        ]
    return alt.layer(*layers).properties(width=frame.width, height=height)


_DRAW = {
    "bars": _bars,
    "lines": _lines,
    "heatmap": _heatmap,
    "points": _points,
    "histogram": _histogram,
    "stacks": _stacks,
    "cloud": _cloud,
    "tree": _tree,
}
