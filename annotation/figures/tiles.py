"""Panels whose rows the page shows as large figures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.figures.cells import CellText, describe_cell
from annotation.figures.panel import Column
from annotation.figures.people_links import PeopleLinks


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure by its name. `at`, `low` and `width` place it on a scale of 100.

    about: what the number is.
    """

    name: str
    cell: CellText
    about: str
    at: int
    low: int
    width: int


def build_tiles(panel: Mapping[str, Any]) -> list[Tile]:
    """Return the rows of a stored panel of tiles; none of any other."""
    if not panel.get("tiles"):  # figures stored earlier do not say
        return []
    column = Column(**panel["columns"][1])
    return [_tile(name, column, value, about) for name, value, about in panel["rows"]]


def _tile(name: str, column: Column, value: Mapping[str, Any], about: str) -> Tile:
    at = round(100 * value["value"])
    low, high = (
        at if bound is None else round(100 * bound) for bound in (value["low"], value["high"])
    )
    return Tile(
        name, describe_cell(column, value, PeopleLinks()), about, at, low, max(high - low, 1)
    )
