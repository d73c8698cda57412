"""From the tables of a page to one list: which column names the things, and what the others say.

QAMPARI (section 2.3) asks a trained classifier for the key column. Here it is told by its links:
each row's cell begins with a link to a page of its own. Pure.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from metrics.text import answer_key
from qampari.making.evidence import ReadPage
from qampari.making.table_wording import STARTS, ListTitle, drop_brackets, list_content_stems
from wikipedia.articles.tables import PageTable, TableCell, list_tables
from wikipedia.text.words import word_set

NO_TABLE, NO_KEY, SHORT, OTHER_TABLE = (
    "list_without_table",
    "table_without_key",
    "table_too_short",
    "table_beside_the_list",
)
_FILLED: Final = 0.5  # of the rows, that a key column links
_APART: Final = 0.8  # of its links, that lead to pages of their own
_LONGEST_VALUE, _SHORTEST_VALUE = 60, 3
_PARTS: Final = re.compile(r"[^\W\d_]+|\d+")
# Columns that name, count or explain, and are never what a list is of.
_NO_KEYS: Final = word_set(
    "date dates image images no nos nr note notes number photo picture points pos position rank"
    " ranking ref reference references refs remarks score source sources year years comment"
    " comments coordinates coord total"
)
_OF_NUMBERS: Final = word_set(
    "january february march april may june july august september october november december jan feb"
    " mar apr jun jul aug sep sept oct nov dec c ca circa bc bce ad ce st nd rd th m km cm mm ft mi"
    " in yd ha acres kg g lb t mph kmh million billion thousand mil bn us usd eur gbp present"
    " and to s h min"
)
_TOTALS: Final = word_set("total totals sum average")
_NOTHING: Final = word_set("unknown none various other yes no tba tbd present na")


@dataclass(frozen=True, slots=True)
class CellPlace:
    """Where a cell is: the number of the table on its page, row and column from 0, its words."""

    table: int
    row: int
    column: int
    text: str
    caption: str


@dataclass(frozen=True, slots=True)
class ListedValue:
    """What a cell says of its row.

    path: of the page that all of its words link to, in it or in another row, since a wiki links a
    name once as a rule; "" where they do not.
    """

    place: CellPlace
    path: str

    @property
    def key(self) -> str:
        """What is the same for the same value."""
        return f"/{self.path}" if self.path else answer_key(self.place.text)

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which a sentence may mean it."""
        title = drop_brackets(self.path.replace("_", " "))
        return tuple(dict.fromkeys(filter(None, (self.place.text, title))))


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A row of a list. path: of the page that its name links to, "" where it does not.

    values: for each column what it says, None where that is nothing that can be asked about.
    texts: the words of each column.
    """

    path: str
    name: str
    place: CellPlace
    values: tuple[ListedValue | None, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class PageList:
    """The list of a page: its rows, of one table or of several with the same columns."""

    title: ListTitle
    path: str
    revision: int | None
    url: str
    headers: tuple[str, ...]
    key_column: int
    rows: tuple[ListedRow, ...]


def read_list(
    page: ReadPage, title: ListTitle, least: int, leave_out: Callable[[str, str], None]
) -> PageList | None:
    """Return the list of a page, None where its tables have none.

    Tables with the same columns are parts of one list, as where a list is cut by letter; of several
    lists it is the one with the most rows. leave_out: is told why a table is none, with its name.
    """
    parts: dict[tuple[str, ...], list[tuple[PageTable, int]]] = defaultdict(list)
    tables = list(list_tables(page.article))
    if not tables:
        leave_out(NO_TABLE, title.title)
    for table in tables:
        key = find_key_column(table, title, page.path)
        if key is None:
            leave_out(NO_KEY, _name_table(title, table))
        else:
            parts[table.headers].append((table, key))
    lists = []
    for headers, own in parts.items():
        key = own[0][1]
        rows = [row for table, other in own if other == key for row in _read_rows(table, key, page)]
        if len(rows) < least:
            leave_out(SHORT, _name_table(title, own[0][0]))
        else:
            linked = tuple(_link_values(rows))
            lists.append(PageList(title, page.path, page.revision, page.url, headers, key, linked))
    best = max(lists, key=lambda each: len(each.rows), default=None)  # of equal ones the first
    for each in lists:
        if each is not best:
            leave_out(OTHER_TABLE, f"{title.title}: {', '.join(each.headers)}")
    return best


def find_key_column(table: PageTable, title: ListTitle, own_path: str) -> int | None:
    """Return the column whose cells name the rows, None where no column does by its links.

    At least half of its cells begin with a link, and four of five of the links lead to a page that
    no other row has. Of several such columns it is that of the rows' headers, then one whose own
    header has a word of the title, then the one with the most links, then the first. A column of
    words before it that tells the rows apart without links would be the key, so then there is none.
    """
    asked = list_content_stems(title.phrase)
    found = []
    for column, header in enumerate(table.headers):
        cells = _list_cells(table, column)
        if not _may_be_key(header, cells):
            continue
        paths = [path for cell in cells if (path := find_name_link(cell, own_path))]
        if not paths or len(paths) < _FILLED * len(cells) or len(set(paths)) < _APART * len(paths):
            continue
        marked = 2 * sum(cell.is_header for cell in cells) > len(cells)
        named = bool(asked & list_content_stems(header))
        found.append(((marked, named, len(set(paths)), -column), column))
    if not found:
        return None
    (marked, named, _, _), best = max(found)
    before = range(0 if marked or named else best)
    return None if any(_names_rows(table, column) for column in before) else best


def find_name_link(cell: TableCell, own_path: str = "") -> str:
    """Return the path of the page that the first words of a cell link to, "" where they do not.

    Other lists, and the page itself, are no things that a list can be of.
    """
    link = next((each for each in cell.links if answer_key(each.words)), None)
    if link is None or not _begins_with(cell.text, link.words):
        return ""
    plain = link.path.rpartition("/")[2].replace("_", " ")
    return "" if plain.startswith(STARTS) or link.path == own_path else link.path


def is_number(text: str) -> bool:
    """Return whether words are a number, a date or a measure."""
    parts = _PARTS.findall(text.lower())
    return not any(part.isalpha() and part not in _OF_NUMBERS for part in parts)


def _list_cells(table: PageTable, column: int) -> list[TableCell]:
    """Return the cells of a column that have words, each once, without totals."""
    cells = [row[column] for row in table.data_rows]
    each_once = {(cell.row, cell.column): cell for cell in cells if cell and cell.text}
    return [cell for cell in each_once.values() if cell.text.lower() not in _TOTALS]


def _may_be_key(header: str, cells: Sequence[TableCell]) -> bool:
    """Whether a column may name things: by its header, and by its words, which are no numbers."""
    if not cells or _explains(header):
        return False
    return sum(is_number(cell.text) for cell in cells) * 2 < len(cells)


def _explains(header: str) -> bool:
    """Whether a column counts or explains, by its header."""
    words = _PARTS.findall(header.lower())
    return header.strip() in ("#", "№") or bool(words and words[0] in _NO_KEYS)


def _names_rows(table: PageTable, column: int) -> bool:
    cells = _list_cells(table, column)
    if not _may_be_key(table.headers[column], cells):
        return False
    texts = {answer_key(cell.text) for cell in cells}
    rows = len(table.data_rows)
    return len(texts) >= _APART * rows


def _begins_with(text: str, words: str) -> bool:
    whole, first = (_PARTS.findall(each.lower()) for each in (text, words))
    return whole[: len(first)] == first


def _read_rows(table: PageTable, key: int, page: ReadPage) -> Iterable[ListedRow]:
    """Give each thing of a table once, with what all of its rows agree on."""
    together: dict[tuple[int, int], list[tuple[TableCell | None, ...]]] = defaultdict(list)
    for row in table.data_rows:
        cell = row[key]
        if cell and answer_key(cell.text) and cell.text.lower() not in _TOTALS:
            together[cell.row, cell.column].append(row)
    for rows in together.values():
        cell = rows[0][key]
        assert cell is not None
        path = find_name_link(cell, page.path)
        link = next((each for each in cell.links if each.path == path), None)
        yield ListedRow(
            path=path,
            name=link.words if link else cell.text,
            place=_place(table, cell),
            values=tuple(
                None
                if column == key or not header or _explains(header)
                else _read_value(table, column, rows)
                for column, header in enumerate(table.headers)
            ),
            texts=tuple(
                " ".join(dict.fromkeys(one.text for row in rows if (one := row[column])))
                for column in range(len(table.headers))
            ),
        )


def _link_values(rows: Sequence[ListedRow]) -> Iterable[ListedRow]:
    """Give rows whose values lead where the same words lead in another row of their column.

    Words that lead to several pages mean one of them at a time, so without a link they say nothing.
    """
    paths: dict[tuple[int, str], set[str]] = defaultdict(set)
    for row in rows:
        for column, value in enumerate(row.values):
            if value and value.path:
                paths[column, answer_key(value.place.text)].add(value.path)
    for row in rows:
        values: list[ListedValue | None] = []
        for column, value in enumerate(row.values):
            known = paths.get((column, answer_key(value.place.text)), set()) if value else set()
            if value is None or value.path or not known:
                values.append(value)
            else:
                values.append(ListedValue(value.place, min(known)) if len(known) == 1 else None)
        yield replace(row, values=tuple(values))


def _read_value(
    table: PageTable, column: int, rows: Sequence[Sequence[TableCell | None]]
) -> ListedValue | None:
    """Return what one cell says in one line, if it is neither a number nor nothing."""
    cells = [row[column] for row in rows]
    cell = cells[0]
    if cell is None or any(one != other for one, other in pairwise(cells)):
        return None
    text = cell.text
    known = answer_key(text)
    if cell.lines != 1 or not _SHORTEST_VALUE <= len(text) <= _LONGEST_VALUE:
        return None
    if not known or set(known.split()) <= _NOTHING or is_number(text) or len(cell.links) > 1:
        return None
    whole = bool(cell.links) and answer_key(cell.links[0].words) == known
    return ListedValue(_place(table, cell), cell.links[0].path if whole else "")


def _place(table: PageTable, cell: TableCell) -> CellPlace:
    return CellPlace(table.number, cell.row, cell.column, cell.text, table.caption)


def _name_table(title: ListTitle, table: PageTable) -> str:
    return f"{title.title}: {table.caption or ', '.join(filter(None, table.headers))}"
