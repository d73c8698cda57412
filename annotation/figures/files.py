"""Stored panels as files: CSV, JSON, LaTeX, SVG, PDF and PNG. People have pseudonyms."""

import csv
import io
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from annotation.core.refusals import Conflict
from annotation.figures import pictures
from annotation.figures.cells import format_number
from annotation.figures.latex import escape_latex, render_latex_table
from annotation.figures.panel import is_value, read_note
from annotation.text.spreadsheets import defuse_formula

People = Mapping[int, str]
NO_PICTURE = "This panel has no picture."
NO_LIBRARY = (
    "PDF and PNG are made by vl-convert, which is not installed here. Install Ambit with its extra "
    "“charts”, or take the SVG."
)
WITHOUT = "Intervals are left out here. The file with intervals has them."
_NAMES = ("low", "high", "n", "note")
_FIELDS = (
    *("key", "title", "definition", "n", "counted", "needs", "problem", "summary"),
    *("columns", "ignored", "whole"),
)


def panel_to_records(
    panel: Mapping[str, Any], people: People, *, following: str | None = None
) -> dict[str, Any]:
    """Return a panel for programs: its rows as objects by the keys of its columns.

    following: the address of the rows after these, if there are any.
    """
    keys = [column["key"] for column in panel["columns"]]
    rows = [
        dict(zip(keys, (_cell(cell, people) for cell in row), strict=True)) for row in panel["rows"]
    ]
    return {name: panel[name] for name in _FIELDS} | {"next": following, "rows": rows}


def _cell(cell: Any, people: People) -> Any:
    if isinstance(cell, Mapping) and "person" in cell:
        return people.get(cell["person"], "")
    return cell


def render_json(panel: Mapping[str, Any], people: People) -> bytes:
    """Return a panel as one JSON object."""
    return orjson.dumps(panel_to_records(panel, people), option=orjson.OPT_INDENT_2)


def render_csv(panel: Mapping[str, Any], people: People) -> bytes:
    """Return the rows with a column for each figure, its interval, its n, and why it has none.

    Safe to open in a spreadsheet; numbers are not rounded, shares and scores from 0 to 1.
    """
    columns = panel["columns"]
    figures = [any(is_value(row[place]) for row in panel["rows"]) for place in range(len(columns))]
    target = io.StringIO()
    writer = csv.writer(target)
    head: list[str] = []
    for column, figure in zip(columns, figures, strict=True):
        head += [column["key"], *(f"{column['key']}_{name}" for name in _NAMES if figure)]
    writer.writerow(head)
    for row in panel["rows"]:
        line: list[Any] = []
        for cell, figure in zip(row, figures, strict=True):
            line.append(_plain(cell, people))
            if figure:
                line += [cell.get(name) if is_value(cell) else None for name in _NAMES]
        writer.writerow(line)
    return target.getvalue().encode()


def _plain(cell: Any, people: People) -> Any:
    if is_value(cell):
        return cell["value"]
    if isinstance(cell, Mapping):
        cell = people.get(cell["person"], "") if "person" in cell else cell["text"]
    return defuse_formula(cell) if isinstance(cell, str) else cell


def render_latex(panel: Mapping[str, Any], people: People, *, intervals: bool = False) -> bytes:
    """Return the table for LaTeX's booktabs, with the definition as a comment.

    intervals: with the bounds of each figure in brackets, or why it has none.
    """
    columns = panel["columns"]
    left_out = not intervals and any(_bounded(cell) for row in panel["rows"] for cell in row)
    return render_latex_table(
        [escape_latex(column["label"]) for column in columns],
        (
            [
                _latex(cell, column["unit"], people, intervals=intervals)
                for cell, column in zip(row, columns, strict=True)
            ]
            for row in panel["rows"]
        ),
        shape="".join("l" if column["unit"] == "text" else "r" for column in columns),
        comments=[panel["definition"], *([WITHOUT] if left_out else [])],
    ).encode()


def _bounded(cell: Any) -> bool:
    if not is_value(cell) or cell["value"] is None:
        return False
    return None not in (cell["low"], cell["high"]) or bool(read_note(cell))


def _latex(cell: Any, unit: str, people: People, *, intervals: bool) -> str:
    plain = cell["value"] if is_value(cell) else cell
    if plain is None:
        return "--"
    if isinstance(plain, int | float):
        shown = _number(plain, unit)
        return f"{shown} [{_interval(cell, unit)}]" if intervals and _bounded(cell) else shown
    if isinstance(plain, Mapping):
        plain = _cell(plain, people) if "person" in plain else plain["text"]
    return escape_latex(plain)


def _interval(cell: Any, unit: str) -> str:
    if cell["low"] is None:
        return escape_latex(read_note(cell))
    return f"{_number(cell['low'], unit, sign=False)}, {_number(cell['high'], unit)}"


def _number(number: float, unit: str, *, sign: bool = True) -> str:
    return format_number(number, unit, sign=sign).replace("−", "$-$").replace(" %", r"\,\%")


def render_svg(panel: Mapping[str, Any], people: People) -> bytes:
    """Return the picture. Raises Conflict where the panel has none."""
    if not panel["svg"]:
        raise Conflict(NO_PICTURE)
    return pictures.insert_names(panel["svg"], people).encode()


def render_pdf(panel: Mapping[str, Any], people: People) -> bytes:
    """Return the picture as PDF. Raises Conflict where there is none, or nothing to make it."""
    return _convert(panel, people, pictures.convert_to_pdf)


def render_png(panel: Mapping[str, Any], people: People) -> bytes:
    """Return the picture as PNG. Raises Conflict where there is none, or nothing to make it."""
    return _convert(panel, people, pictures.convert_to_png)


def _convert(panel: Mapping[str, Any], people: People, convert: Callable[[str], bytes]) -> bytes:
    try:
        return convert(render_svg(panel, people).decode())
    except ImportError:
        raise Conflict(NO_LIBRARY) from None


# Extension: type, and what makes it.
FORMATS: dict[str, tuple[str, Callable[[Mapping[str, Any], People], bytes]]] = {
    "csv": ("text/csv; charset=utf-8", render_csv),
    "json": ("application/json", render_json),
    "tex": ("application/x-tex; charset=utf-8", render_latex),
    "svg": ("image/svg+xml", render_svg),
    "pdf": ("application/pdf", render_pdf),
    "png": ("image/png", render_png),
}
