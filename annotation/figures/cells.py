"""Stored cells in words, for the page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.figures.panel import FEW, Column, is_value, read_note
from annotation.figures.people_links import PeopleLinks

_PLACES = {"share": 0, "score": 1, "percent": 1, "mean": 2, "p": 3, "count": 0, "seconds": 0}


@dataclass(frozen=True, slots=True)
class CellText:
    """A cell in words. `interval` and `n` are empty for plain cells.

    A figure that has no interval says there why.
    """

    key: str
    label: str
    text: str
    numeric: bool
    interval: str = ""
    n: str = ""
    few: bool = False
    href: str = ""


def describe_cell(column: Column, cell: Any, who: PeopleLinks) -> CellText:
    """Put a stored cell into words."""
    numeric = column.unit != "text"
    if is_value(cell):
        text = format_number(cell["value"], column.unit, none="none yet")
        return CellText(
            column.key,
            column.label,
            text,
            numeric,
            interval=describe_interval(cell, column.unit),
            n=f"{cell['n']:,}",
            few=cell["value"] is not None and cell["n"] < FEW,
        )
    if isinstance(cell, Mapping) and "person" in cell:
        name, href = who.names.get(cell["person"], "?"), who.address(cell["person"])
        return CellText(column.key, column.label, name, numeric, href=href)
    if isinstance(cell, Mapping):
        return CellText(column.key, column.label, cell["text"], numeric, href=cell["href"])
    if isinstance(cell, str):
        return CellText(column.key, column.label, cell, numeric)
    return CellText(column.key, column.label, format_number(cell, column.unit), numeric)


def describe_interval(cell: Mapping[str, Any], unit: str) -> str:
    """Return the bounds of a figure, or why it has none, in words."""
    if cell["low"] is None or cell["high"] is None:
        return read_note(cell)
    return f"{format_number(cell['low'], unit, sign=False)} to {format_number(cell['high'], unit)}"


def format_number(number: float | None, unit: str, *, none: str = "–", sign: bool = True) -> str:
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
