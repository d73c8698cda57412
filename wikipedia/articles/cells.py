"""The headers that apply to a table cell, as a reader's eye finds them.

A cell says little without its row and column: "1869" is the year of what? Headers are found as the
HTML standard describes for screen readers, with one change: a header cell without a scope in a row
with data is that row's header, even if other rows have no header cell there. Wikipedia's infoboxes
are made like this.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from lxml.html import HtmlElement

from wikipedia.articles.article import Article, Headers
from wikipedia.articles.reader import is_mark, tree_of
from wikipedia.html import markup

MAX_HEADERS: Final = 8
MAX_HEADER_CHARACTERS: Final = 200
_MAX_SLOTS: Final = 200_000


class GridCell(NamedTuple):
    """A cell of a table: its first column and row, from 0, and how many of each it spans."""

    element: HtmlElement
    x: int
    y: int
    width: int
    height: int


def headers_at(article: Article, position: int) -> Headers:
    """Return the headers of the cell at a position of the article's text; for a nested table,
    those of the outer cell come first."""
    block = article.block_at(position)
    if block is None or block.kind not in ("table_cell", "infobox"):
        return Headers()
    number = article.blocks.index(block)
    found = markup.text_blocks(tree_of(article.html), skip=is_mark)
    inner = next(islice(found, number, None)).cell
    caption, rows, columns = "", dict[str, None](), dict[str, None]()
    for cell in _outwards(inner)[::-1]:
        table = next(cell.iterancestors("table"), None)
        if table is None:
            continue
        head = table.find("caption")
        caption = caption or (_words(head) if head is not None else "")
        row, column = headers_of(table, cell)
        rows |= dict.fromkeys(row)
        columns |= dict.fromkeys(column)
    return Headers(caption, tuple(rows)[-MAX_HEADERS:], tuple(columns)[-MAX_HEADERS:])


def headers_of(table: HtmlElement, cell: HtmlElement) -> tuple[list[str], list[str]]:
    """Return the texts of a cell's row and column headers, outermost first."""
    grid = TableGrid(table)
    place = grid.places.get(cell)
    if place is None:
        return [], []
    row, column = set[GridCell](), set[GridCell]()
    for y in range(place.y, min(place.y + place.height, grid.height)):
        leftwards = ((x, y) for x in range(place.x - 1, -1, -1))
        row.update(grid.find_headers(place, leftwards, 0))
    for x in range(place.x, place.x + place.width):
        up = ((x, y) for y in range(place.y - 1, -1, -1))
        column.update(grid.find_headers(place, up, 1))
    rows, columns = sorted(row, key=lambda c: (c.x, c.y)), sorted(column, key=lambda c: (c.y, c.x))
    return _texts(rows), _texts(columns)


class TableGrid:
    """A table as slots by column and row, with spans filled in. Enormous tables are cut off.

    is_cut: whether it has more slots than `most_slots`; some of its rows are missing then.
    """

    def __init__(self, table: HtmlElement, most_slots: int = _MAX_SLOTS) -> None:
        self.slots: dict[tuple[int, int], GridCell] = {}
        self.places: dict[HtmlElement, GridCell] = {}
        self.with_data: set[int] = set()
        self.height = 0
        self.is_cut = False
        self._most_slots = most_slots
        for group in _row_groups(table):
            self._fill(group)

    def _fill(self, rows: list[HtmlElement]) -> None:
        last = self.height + len(rows)
        for y, row in enumerate(rows, start=self.height):
            x = 0
            for element in row.iterchildren("td", "th"):
                while (x, y) in self.slots:
                    x += 1
                width, height = _span(element, "colspan"), _span(element, "rowspan")
                height = min(height, last - y)
                if len(self.slots) + width * height > self._most_slots:
                    self.is_cut = True
                    return
                cell = GridCell(element, x, y, width, height)
                self.places[element] = cell
                if element.tag == "td":
                    self.with_data.update(range(y, y + height))
                for down in range(y, y + height):
                    for across in range(x, x + width):
                        self.slots.setdefault((across, down), cell)
                x += width
        self.height = last

    def find_headers(
        self, principal: GridCell, way: Iterator[tuple[int, int]], upwards: int
    ) -> Iterator[GridCell]:
        """Yield the header cells on a path from a cell, nearest first. One hides those after it of
        the same extent, once data lies between."""
        hidden, block = set[tuple[int, int]](), set[tuple[int, int]]()
        if principal.element.tag == "th":
            block.add(_extent(principal, upwards))
        for slot in way:
            cell = self.slots.get(slot)
            if cell is None or cell is principal:
                continue
            if cell.element.tag != "th":
                hidden |= block
                block.clear()
                continue
            block.add(_extent(cell, upwards))
            if _extent(cell, upwards) not in hidden and self._heads(cell) == upwards:
                yield cell

    def _heads(self, cell: GridCell) -> int:
        """Return 1 for a column header, 0 for a row header."""
        scope = cell.element.get("scope") or ""
        if scope:
            return int(scope.startswith("col"))
        return int(self.with_data.isdisjoint(range(cell.y, cell.y + cell.height)))


def _row_groups(table: HtmlElement) -> Iterator[list[HtmlElement]]:
    loose: list[HtmlElement] = []
    for child in table:
        if child.tag == "tr":
            loose.append(child)
            continue
        if loose:
            yield loose
            loose = []
        if child.tag in ("thead", "tbody", "tfoot"):
            yield list(child.iterchildren("tr"))
    if loose:
        yield loose


def _outwards(cell: HtmlElement | None) -> list[HtmlElement]:
    return [] if cell is None else [cell, *cell.iterancestors("td", "th")]


def _extent(cell: GridCell, upwards: int) -> tuple[int, int]:
    return (cell.x, cell.width) if upwards else (cell.y, cell.height)


def _span(element: HtmlElement, name: str) -> int:
    text = element.get(name) or "1"
    return max(1, min(int(text), 1_000)) if text.isascii() and text.isdigit() else 1


def _texts(cells: list[GridCell]) -> list[str]:
    return [words for cell in cells if (words := _words(cell.element))]


def _words(element: HtmlElement) -> str:
    words = " ".join(block.text for block in markup.text_blocks(element, skip=is_mark))
    if len(words) <= MAX_HEADER_CHARACTERS:
        return words
    return words[: MAX_HEADER_CHARACTERS - 1] + "…"
