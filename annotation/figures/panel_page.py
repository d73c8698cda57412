"""Stored panels in words, for the page."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from annotation.figures.cells import CellText, describe_cell
from annotation.figures.matrix import Matrix, build_matrix
from annotation.figures.panel import Column
from annotation.figures.people_links import PeopleLinks
from annotation.figures.pictures import insert_names
from annotation.figures.tiles import Tile, build_tiles

NARROW, WIDE, SMALL, MANY = 5, 700, 7, 6
_WIDTH = re.compile(r'<svg[^>]* width="([0-9]+)')
_IGNORED = {"split": "the split", "period": "the period", "people": "the people"}


@dataclass(frozen=True)
class PanelTable:
    """Some columns of a panel as a table of their own; `title` is "" for those in sight."""

    title: str
    columns: list[Column]
    rows: list[list[CellText]]

    @property
    def many(self) -> bool:
        """Whether there are more columns than fit with the usual space between them."""
        return len(self.columns) > MANY


@dataclass(frozen=True)
class PanelText:
    """A panel for the page; `left_out` is how many more rows there are.

    table: the columns in sight. parts: the others, each time after the columns of text.
    spread: the key of its only column of figures, whose n and `intervals`, if there are any, have
    columns of their own. narrow: whether table and picture fit beside each other. facet: the label
    of the column by which rows can be chosen. matrix: what is shown in place of the picture.
    tiles: what is shown in place of the table. fits: whether picture or matrix fits into half of
    the page. half: whether it is shown there, beside another panel.
    """

    key: str
    title: str
    definition: str
    summary: str
    n: int
    counted: str
    needs: str
    table: PanelTable
    parts: list[PanelTable]
    rows: list[list[CellText]]
    left_out: int
    spread: str
    intervals: bool
    narrow: bool
    svg: Markup
    narrow_svg: Markup
    note: str
    page: Mapping[str, str] | None
    problem: str
    facet: str
    matrix: Matrix | None
    tiles: list[Tile]
    fits: bool
    half: bool = False


def describe_panel(panel: Mapping[str, Any], who: PeopleLinks) -> PanelText:
    """Put a stored panel into words."""
    columns = [Column(**column) for column in panel["columns"]]
    every = [
        [describe_cell(column, cell, who) for column, cell in zip(columns, row, strict=True)]
        for row in panel["rows"]
    ]
    titles = dict.fromkeys(["", *(column.part for column in columns)])
    table, *parts = [_select_part(title, columns, every) for title in titles]
    columns, rows = table.columns, table.rows
    figures = {cell.key for row in rows for cell in row if cell.n}
    spread = next(iter(figures)) if len(figures) == 1 else ""
    drawn = int(found[1]) if (found := _WIDTH.search(panel["svg"])) else 0
    intervals = any(cell.interval for row in rows for cell in row)
    matrix = build_matrix(panel, who)
    narrow = len(columns) + (1 + intervals if spread else len(figures)) <= NARROW
    kind = panel["chart"]["kind"] if panel["chart"] else ""
    ignored = " and ".join(_IGNORED[name] for name in panel["ignored"])
    return PanelText(
        **{name: panel[name] for name in ("key", "title", "definition", "summary", "n")},
        counted=panel["counted"],
        needs=panel["needs"],
        table=table,
        parts=parts,
        rows=rows,
        spread=spread,
        intervals=intervals,
        narrow=narrow and drawn <= WIDE,
        left_out=max(panel["whole"] - len(rows), 0),
        svg=_name_people(panel["svg"], who),
        narrow_svg=_name_people(panel.get("narrow_svg", ""), who),
        note=f"This panel does not follow {ignored} chosen above." if ignored else "",
        page=panel["page"],
        problem=panel["problem"],
        facet=next((column.label for column in columns if column.key == panel["facet"]), ""),
        matrix=matrix,
        tiles=build_tiles(panel),
        fits=len(matrix.names) <= SMALL
        if matrix
        else 0 < drawn <= WIDE and (narrow or kind != "bars"),
    )


def _select_part(
    title: str, columns: Sequence[Column], rows: Sequence[Sequence[CellText]]
) -> PanelTable:
    """Return the columns of a part, after those of text that say what a row is."""
    places = [
        place
        for place, column in enumerate(columns)
        if column.part == title or (column.unit == "text" and not column.part)
    ]
    return PanelTable(
        title,
        [columns[place] for place in places],
        [[row[place] for place in places] for row in rows],
    )


def _name_people(svg: str, who: PeopleLinks) -> Markup:
    return Markup(insert_names(svg, who.names))  # noqa: S704 - pictures.sanitise_svg made it


def pair_half_panels(panels: Sequence[PanelText]) -> list[PanelText]:
    """Return the panels, two beside each other where the page would be half empty otherwise.

    A picture whose table is too wide to be beside it shares the width with the next picture. The
    wide tables of bars say more than these, and stay in sight.
    """
    placed = list(panels)
    filled = [place for place, panel in enumerate(placed) if panel.rows]
    for one, two in pairwise(filled):
        first, second = placed[one], placed[two]
        wasteful = first.fits and not first.half and (first.matrix or not first.narrow)
        if wasteful and second.fits:
            placed[one], placed[two] = replace(first, half=True), replace(second, half=True)
    return placed
