"""What a view of the list of questions stores: filters, order and columns, as the query of an
address. Whatever is in an address is hostile: only known names are kept, and short values.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from django.http import QueryDict

FILTERS = ("text", "split", "state", "person", "warning", "about", "order")
LONGEST_VALUE = 200
# Of the columns beside the question itself, those that the list has unless others are chosen.
COLUMNS: Mapping[str, str] = {
    "id": "Id",
    "split": "Split",
    "state": "State",
    "submitted": "Submitted",
    "in_work": "In work",
    "skipped": "Skipped",
    "latest": "Last submission",
    "time": "Active time, mean",
    "known": "Known answers",
    "imported": "Imported",
}
USUAL_COLUMNS = ("id", "split", "state", "submitted", "in_work", "skipped")


class Values(Protocol):
    """The values of a query."""

    def get(self, name: str, /) -> str | None: ...

    def getlist(self, name: str, /) -> Sequence[str]: ...


def read_columns(values: Values) -> list[str]:
    """Return the chosen columns in the order of COLUMNS; the usual ones where none is known."""
    chosen = set(values.getlist("columns"))
    return [name for name in COLUMNS if name in chosen] or list(USUAL_COLUMNS)


def build_query(values: Values) -> str:
    """Return the part of a query that filters, orders and shapes the list, "" if there is none."""
    query = QueryDict(mutable=True)
    for name in FILTERS:
        if value := (values.get(name) or "").replace("\x00", "").strip()[:LONGEST_VALUE]:
            query[name] = value
    if (columns := read_columns(values)) != list(USUAL_COLUMNS):
        query.setlist("columns", columns)
    return query.urlencode()


def build_list_query(values: Values) -> str:
    """Return the same with the saved view that is looked at: `view` with its id, or empty for all
    questions where the list would open with another.
    """
    number, query = values.get("view"), build_query(values)
    if number is None:
        return query
    known = number if number.isdecimal() and number.isascii() and len(number) < 19 else ""
    return f"view={known}" + (f"&{query}" if query else "")
