"""The figures of every two people, for the page: a table with one row and one column for each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.figures.cells import CellText, describe_cell
from annotation.figures.panel import FEW, Column, is_value
from annotation.figures.people_links import PeopleLinks

MOST, SHADES = 20, 5


@dataclass(frozen=True, slots=True)
class Square:
    """The figure of two people. `shade`: a class of the style sheet."""

    cell: CellText
    shade: str
    href: str


@dataclass(frozen=True)
class Matrix:
    """People, and a row of squares for each; None where two share nothing."""

    names: list[CellText]
    rows: list[tuple[CellText, list[Square | None]]]


def build_matrix(panel: Mapping[str, Any], who: PeopleLinks) -> Matrix | None:
    """Return the matrix of a stored heatmap of people; None of anything else, or of many."""
    chart, squares = panel["chart"], panel.get("squares")  # figures stored earlier have none
    if not chart or not squares:
        return None
    columns = {column["key"]: Column(**column) for column in panel["columns"]}
    across, down, value = (list(columns).index(chart[name]) for name in ("x", "y", "value"))
    figures = {}
    for row in squares:
        one, other = row[down], row[across]
        if not (_is_person(one) and _is_person(other)):
            return None
        figures[one["person"], other["person"]] = row[value]
    people = sorted({person for two in figures for person in two})
    if not people or len(people) > MOST:
        return None
    numbers = [
        cell["value"]
        for cell in figures.values()
        if is_value(cell) and cell["value"] is not None and cell["n"] >= FEW
    ]
    ends = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    column = columns[chart["value"]]
    rows = [
        (
            _name(one, who),
            [
                _square(column, figures.get((one, other)), ends, who.address(one, other))
                for other in people
            ],
        )
        for one in people
    ]
    return Matrix([_name(person, who) for person in people], rows)


def _name(person: int, who: PeopleLinks) -> CellText:
    return describe_cell(Column("person", "Person"), {"person": person}, who)


def _is_person(cell: Any) -> bool:
    return isinstance(cell, Mapping) and "person" in cell


def _square(column: Column, cell: Any, ends: tuple[float, float], href: str) -> Square | None:
    if not is_value(cell) or cell["value"] is None:
        return None
    low, high = ends
    step = int((cell["value"] - low) / ((high - low) or 1) * SHADES)
    shade = "few" if cell["n"] < FEW else f"heat-{min(step, SHADES - 1) + 1}"
    return Square(describe_cell(column, cell, PeopleLinks()), shade, href)
