"""The tables of an article as rows and columns of cells, with where the cells' links lead.

Read from the safe HTML of `Article`, so that a cell's place (the table's number, row and column)
is that of the page as people read it. Infoboxes, tables that hold other tables (they lay out a
page) and tables without a row of headers hold no list, and are not given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from wikipedia.articles.article import Article
from wikipedia.articles.stored_articles import PAGES

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from wikipedia.articles.cells import GridCell, TableGrid

# Of all tables of a page together: the longest lists have a tenth of it.
MOST_SLOTS: Final = 200_000
MOST_TABLES: Final = 500


@dataclass(frozen=True, slots=True)
class CellLink:
    """The words of a link, and the path of the page that it leads to."""

    path: str
    words: str


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell: its words in one line, how many lines it has, and links to other articles.

    row, column: its first ones, from 0; rows, columns: how many it spans.
    """

    text: str
    lines: int
    links: tuple[CellLink, ...]
    is_header: bool
    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True)
class PageTable:
    """A table of a page. number: among all tables of the page, from 0.

    rows: each with the cell of every column, the same cell wherever it spans several; None where
    there is none. The first `head` rows are headers.
    """

    number: int
    caption: str
    rows: tuple[tuple[TableCell | None, ...], ...]

    @cached_property
    def head(self) -> int:
        """How many rows at the top have headers alone."""
        number = 0
        while number < len(self.rows) and _is_heading(self.rows[number]):
            number += 1
        return number

    @cached_property
    def headers(self) -> tuple[str, ...]:
        """The header of each column, the outermost first where there are several.

        What stands above all columns names the table or a part of it, and none of them.
        """
        columns = zip(*self.rows[: self.head], strict=True)
        return tuple(
            " ".join(
                dict.fromkeys(
                    cell.text
                    for cell in column
                    if cell
                    and cell.text
                    and (cell.columns < len(self.rows[0]) or cell.columns == 1)
                )
            )
            for column in columns
        )

    @cached_property
    def data_rows(self) -> tuple[tuple[TableCell | None, ...], ...]:
        """The rows below the headers, without those that only name a part of the table."""
        return tuple(row for row in self.rows[self.head :] if not _is_divider(row))

    def find_cell(self, row: int, column: int) -> TableCell | None:
        """Return the cell in a slot, None where there is none."""
        if 0 <= row < len(self.rows) and 0 <= column < len(self.rows[row]):
            return self.rows[row][column]
        return None


def list_tables(article: Article) -> Iterator[PageTable]:
    """Give the tables with a row of headers, in their order.

    A page can have 500 tables with 200,000 slots in all; what is beyond, or would be, is left out.
    """
    # They load the parser of HTML, without which commands start.
    from wikipedia.articles.cells import TableGrid
    from wikipedia.articles.reader import tree_of

    left = MOST_SLOTS
    for number, element in enumerate(tree_of(article.html).iter("table")):
        if number >= MOST_TABLES:
            return
        if _is_box(element) or next(element.iterdescendants("table"), None) is not None:
            continue
        grid = TableGrid(element, most_slots=left)
        left -= len(grid.slots)
        if grid.is_cut:
            continue
        table = _read_table(number, element, grid)
        if table.head and table.data_rows:
            yield table


def _is_box(element: HtmlElement) -> bool:
    from wikipedia.html.markup import class_names

    around = (element, *element.iterancestors("table"))
    return any("infobox" in class_names(table) for table in around)


def _read_table(number: int, element: HtmlElement, grid: TableGrid) -> PageTable:
    caption = element.find("caption")
    cells = {cell: _read_cell(cell) for cell in grid.places.values()}
    width = 1 + max((x for x, _ in grid.slots), default=-1)
    rows = tuple(
        tuple(cells[grid.slots[x, y]] if (x, y) in grid.slots else None for x in range(width))
        for y in range(grid.height)
    )
    return PageTable(number, "" if caption is None else " ".join(_list_lines(caption)), rows)


def _read_cell(cell: GridCell) -> TableCell:
    lines = _list_lines(cell.element)
    return TableCell(
        text=" ".join(lines),
        lines=len(lines),
        links=tuple(_list_links(cell.element)),
        is_header=cell.element.tag == "th",
        row=cell.y,
        column=cell.x,
        rows=cell.height,
        columns=cell.width,
    )


def _list_lines(element: HtmlElement) -> list[str]:
    from wikipedia.articles.reader import is_mark
    from wikipedia.html.markup import text_blocks

    return [block.text for block in text_blocks(element, skip=is_mark)]


def _list_links(element: HtmlElement) -> Iterator[CellLink]:
    from wikipedia.html.markup import normalise_text, words_of

    for link in element.iter("a"):
        address = link.get("href") or ""
        words = normalise_text(words_of(link))
        if address.startswith(PAGES) and words:
            yield CellLink(unquote(address.removeprefix(PAGES).partition("#")[0]), words)


def _is_heading(row: Sequence[TableCell | None]) -> bool:
    """Whether all words of a row are in cells of headers; empty headers are plain cells."""
    filled = [cell for cell in row if cell and cell.text]
    return bool(filled) and all(cell.is_header for cell in filled)


def _is_divider(row: Sequence[TableCell | None]) -> bool:
    """Whether a row below the headers has nothing, headers again, or one cell across it."""
    filled = {cell.column: cell for cell in row if cell and cell.text}
    if len(filled) > 1:
        return _is_heading(row)
    return all(cell.columns == len(row) > 1 for cell in filled.values())
