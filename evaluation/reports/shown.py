"""Stored panels in words, for the page."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from evaluation.reports.panel import FEW, Column, is_value
from evaluation.reports.pictures import named

NARROW, WIDE = 5, 700
_WIDTH = re.compile(r'<svg[^>]* width="([0-9]+)')
_PLACES = {"share": 0, "score": 1, "percent": 1, "mean": 2, "p": 3, "count": 0, "seconds": 0}
_IGNORED = {"split": "the split", "period": "the period", "people": "the people"}


@dataclass(frozen=True, slots=True)
class CellShown:
    """A cell in words. `interval` and `n` are empty for plain cells."""

    key: str
    label: str
    text: str
    numeric: bool
    interval: str = ""
    n: str = ""
    few: bool = False
    href: str = ""


@dataclass(frozen=True)
class PanelShown:
    """A panel for the page; `left_out` is how many more rows there are.

    spread: the key of its only column of figures, whose n and `intervals`, if there are any, have
    columns of their own. narrow: whether table and picture fit beside each other.
    """

    key: str
    title: str
    definition: str
    summary: str
    n: int
    counted: str
    needs: str
    columns: list[Column]
    rows: list[list[CellShown]]
    left_out: int
    spread: str
    intervals: bool
    narrow: bool
    svg: Markup
    note: str
    page: Mapping[str, str] | None
    problem: str


def panel_shown(
    panel: Mapping[str, Any], people: Mapping[int, str], links: Mapping[int, str]
) -> PanelShown:
    """Put a stored panel into words; `people` names the people in it, `links` leads to theirs."""
    columns = [Column(**column) for column in panel["columns"]]
    rows = [
        [cell_shown(column, cell, people, links) for column, cell in zip(columns, row, strict=True)]
        for row in panel["rows"]
    ]
    figures = {cell.key for row in rows for cell in row if cell.n}
    drawn = int(found[1]) if (found := _WIDTH.search(panel["svg"])) else 0
    intervals = any(cell.interval for row in rows for cell in row)
    ignored = " and ".join(_IGNORED[name] for name in panel["ignored"])
    return PanelShown(
        **{name: panel[name] for name in ("key", "title", "definition", "summary", "n")},
        counted=panel["counted"],
        needs=panel["needs"],
        columns=columns,
        rows=rows,
        spread=figures.pop() if len(figures) == 1 else "",
        intervals=intervals,
        narrow=drawn <= WIDE
        and len(columns) + (1 + intervals if len(figures) == 1 else 0) <= NARROW,
        left_out=max(panel["whole"] - len(rows), 0),
        svg=Markup(named(panel["svg"], people)),  # noqa: S704 - pictures.cleaned made it
        note=f"This panel does not follow {ignored} chosen above." if ignored else "",
        page=panel["page"],
        problem=panel["problem"],
    )


def cell_shown(
    column: Column, cell: Any, people: Mapping[int, str], links: Mapping[int, str]
) -> CellShown:
    """Put a stored cell into words."""
    numeric = column.unit != "text"
    if is_value(cell):
        text = number_shown(cell["value"], column.unit, none="none yet")
        return CellShown(
            column.key,
            column.label,
            text,
            numeric,
            interval=" to ".join(_bounds(cell, column.unit)),
            n=f"{cell['n']:,}",
            few=cell["value"] is not None and cell["n"] < FEW,
        )
    if isinstance(cell, Mapping) and "person" in cell:
        name, href = people.get(cell["person"], "?"), links.get(cell["person"], "")
        return CellShown(column.key, column.label, name, numeric, href=href)
    if isinstance(cell, Mapping):
        return CellShown(column.key, column.label, cell["text"], numeric, href=cell["href"])
    if isinstance(cell, str):
        return CellShown(column.key, column.label, cell, numeric)
    return CellShown(column.key, column.label, number_shown(cell, column.unit), numeric)


def _bounds(cell: Mapping[str, Any], unit: str) -> Iterator[str]:
    if cell["low"] is not None and cell["high"] is not None:
        yield number_shown(cell["low"], unit, sign=False)
        yield number_shown(cell["high"], unit)


def number_shown(number: float | None, unit: str, *, none: str = "–", sign: bool = True) -> str:
    """Return a number as people read it in its unit."""
    if number is None:
        return none
    if unit == "seconds":
        return _duration(number)
    if unit == "text":
        return f"{number:,}"
    scaled = 100 * number if unit in ("share", "score") else number
    text = f"{scaled:,.{_PLACES[unit]}f}".replace("-", "−")
    return f"{text} %" if sign and unit in ("share", "percent") else text


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
