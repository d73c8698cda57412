"""All rows of a stored panel, a page at a time, or those of one kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.figures.queries import ROWS, find_facet


@dataclass(frozen=True)
class Page:
    """A panel with a page of its rows, whose `whole` is the number of rows of the kind.

    `following` is where the next page begins, 0 after the last.
    """

    panel: dict[str, Any]
    following: int


def cut_page(panel: Mapping[str, Any], *, kind: str = "", after: int = 0, size: int = ROWS) -> Page:
    """Return a page of the rows that have a kind; of all without one."""
    rows, place = panel["rows"], find_facet(panel)
    if kind:
        rows = [row for row in rows if place >= 0 and kind in row[place].split(", ")]
    end = after + size
    return Page(
        panel={**panel, "rows": rows[after:end], "whole": len(rows)},
        following=end if len(rows) > end else 0,
    )
