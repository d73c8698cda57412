"""A graph of Wikidata as it is read: who has what, under which name, by which statement.

`find_items` is the denotation of QAMPARI's simple queries (Q10): all items x for which Wikidata
says (x, property, value), which may have to be of a type. A graph is never changed, so it is opened
without locks, and any number of hosts and processes may read the same file.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from wikipedia.wikidata import statements as sql
from wikipedia.wikidata.closure import close_class
from wikipedia.wikidata.entities import Fact
from wikipedia.wikidata.extracts import GraphProblem
from wikipedia.wikidata.values import unpack_statement

# Of the file; one of another format has to be made again.
FORMAT: Final = 1
FILE: Final = "graph.sqlite"
_CACHE_KIBIBYTES: Final = 32_768


@dataclass(frozen=True)
class NamedEntity:
    """An item with its names. title: of its article in the graph's language, None without one."""

    id: int
    revision: int
    label: str | None
    aliases: tuple[str, ...]
    title: str | None
    description: str | None


@dataclass(frozen=True)
class PropertyNames:
    """A property with its names, and the kind of its values."""

    id: int
    label: str | None
    description: str | None
    datatype: str


@dataclass(frozen=True)
class StatementOf:
    """A statement with its id as Wikidata writes it; the rest as in `entities.Fact`."""

    property: int
    value: int
    item: int
    statement: str
    rank: int
    start: str | None
    end: str | None


@dataclass(frozen=True)
class RelationCounts:
    """How many questions a property has: values that enough items have, and these items.

    answers counts an item once for each value; with_article those that have an article.
    """

    property: int
    subjects: int
    answers: int
    with_article: int


class Graph:
    """A graph that is open; a context manager. For one thread.

    Raises GraphProblem where there is none, or one of another format.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._read = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        except sqlite3.Error as error:
            raise GraphProblem(f"There is no graph in {path.parent}.") from error
        try:
            self._check(path)
        except BaseException:
            self._read.close()
            raise

    def _check(self, path: Path) -> None:
        try:
            (found,) = self._read.execute("PRAGMA user_version").fetchone()
            self.about = {key: json.loads(text) for key, text in self._read.execute(sql.READ_ABOUT)}
        except sqlite3.Error as error:
            raise GraphProblem(
                f"{path} cannot be read as a graph ({error}). Make it again with --replace."
            ) from error
        if found != FORMAT:
            raise GraphProblem(
                f"{path} was made by another version of Ambit. Make it again with --replace."
            )
        self._read.execute(f"PRAGMA cache_size = -{_CACHE_KIBIBYTES}")
        self._read.execute("PRAGMA temp_store = FILE")

    def __enter__(self) -> Graph:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._read.close()

    def find_items(self, prop: int, value: int, type_id: int | None = None) -> list[int]:
        """Return the items that have this value, each once, in the order of their numbers.

        type_id: a class; only items that are an instance of it, or of a class below it.
        """
        if type_id is None:
            rows = self._read.execute(sql.FIND_ITEMS, [prop, value])
        else:
            close_class(self._read, type_id)
            about = {"property": prop, "value": value, "class": type_id}
            rows = self._read.execute(sql.FIND_TYPED_ITEMS, about)
        return [item for (item,) in rows]

    def scan_relation(
        self, prop: int, *, least: int = 1, type_id: int | None = None
    ) -> Iterator[tuple[int, list[int]]]:
        """Give each value that at least `least` items have, with these items, in one pass."""
        if type_id is None:
            rows = self._read.execute(sql.SCAN_FACTS, [prop])
        else:
            close_class(self._read, type_id)
            rows = self._read.execute(sql.SCAN_TYPED_FACTS, {"property": prop, "class": type_id})
        for value, group in groupby(rows, key=itemgetter(0)):
            items = [item for _, item in group]
            if len(items) >= least:
                yield value, items

    def count_relations(self, *, least: int = 5) -> list[RelationCounts]:
        """Return how many values of each property at least `least` items have, by property."""
        rows = self._read.execute(sql.COUNT_RELATIONS, {"least": least})
        return [RelationCounts(*row) for row in rows]

    def count_questions(
        self, prop: int, *, least: int = 5, type_id: int | None = None
    ) -> dict[int, int]:
        """Return how many values there are by the number of items that have them, from `least` on.

        type_id: as in `find_items`.
        """
        about = {"property": prop, "least": least, "class": type_id}
        if type_id is None:
            return dict(self._read.execute(sql.COUNT_QUESTIONS, about))
        close_class(self._read, type_id)
        return dict(self._read.execute(sql.COUNT_TYPED_QUESTIONS, about))

    def find_entities(self, numbers: Collection[int]) -> dict[int, NamedEntity]:
        """Return items with their names, by number; what the graph has no names of is not there."""
        rows = self._read.execute(sql.FIND_ENTITIES, [json.dumps(sorted(numbers))])
        return {
            number: NamedEntity(number, revision, label, tuple(json.loads(aliases)), *rest)
            for number, revision, label, aliases, *rest in rows
        }

    def find_statements(self, item: int) -> list[StatementOf]:
        """Return what is said of an item, its types included."""
        return [_said(row) for row in self._read.execute(sql.FIND_STATEMENTS, [item])]

    def find_proofs(self, prop: int, value: int, item: int) -> list[StatementOf]:
        """Return the statements that give an item this value: several, if it has it twice."""
        rows = self._read.execute(sql.FIND_PROOFS, [prop, value, item])
        return [_said(row) for row in rows]

    def list_properties(self) -> dict[int, PropertyNames]:
        """Return every property that the dump names, by number."""
        rows = self._read.execute(sql.FIND_PROPERTIES)
        return {row[0]: PropertyNames(*row) for row in rows}

    def list_inverses(self) -> set[tuple[int, int]]:
        """Return pairs of properties of which one says what the other says the other way round."""
        return {pair for one in self._read.execute(sql.FIND_INVERSES) for pair in (one, one[::-1])}


def _said(row: Any) -> StatementOf:
    fact = Fact(*row)
    return StatementOf(
        **fact._asdict() | {"statement": unpack_statement(fact.statement, fact.item)}
    )
