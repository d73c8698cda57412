"""All rows of a stored panel, a page at a time, or those of one kind."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.reports.shown import ROWS


@dataclass(frozen=True)
class Page:
    """A page of the rows of a panel. `kinds`: what rows can be chosen by, with their numbers.

    `following` is where the next page begins, 0 after the last one.
    """

    panel: dict[str, Any]
    kinds: list[tuple[str, int]]
    whole: int
    following: int


def page_of(panel: Mapping[str, Any], *, kind: str = "", after: int = 0) -> Page:
    """Return a page of the rows that have a kind; of all without one."""
    rows, place = panel["rows"], _facet(panel)
    counts: Counter[str] = Counter()
    if place is not None:
        for row in rows:
            counts.update(row[place].split(", "))
    if kind:
        rows = [row for row in rows if place is not None and kind in row[place].split(", ")]
    end = after + ROWS
    return Page(
        panel={**panel, "rows": rows[after:end]},
        kinds=sorted(counts.items(), key=lambda item: (-item[1], item[0])),
        whole=len(rows),
        following=end if len(rows) > end else 0,
    )


def _facet(panel: Mapping[str, Any]) -> int | None:
    keys = [column["key"] for column in panel["columns"]]
    facet = panel.get("facet")  # figures stored by an earlier version have none
    return keys.index(facet) if facet in keys else None
