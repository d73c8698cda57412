"""A block of lines of a dump becomes rows: what other processes do, and hand back."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson
from isal import isal_zlib

from wikipedia.wikidata.entities import (
    EntityProblem,
    Fact,
    Property,
    Selection,
    WikidataItem,
    read_entity,
)
from wikipedia.wikidata.parsing import make_parser
from wikipedia.wikidata.properties import SUBCLASS_OF

NO_DATE: Final = "-"
BOM: Final = b"\xef\xbb\xbf"
# A line is an entity between the brackets of one list; subsets often have neither list nor commas.
_AROUND: Final = b" \t\r\n,[]"
_ITEM: Final = re.compile(rb'\{\s*"type"\s*:\s*"item"')


class GraphProblem(Exception):
    """A graph cannot be made or used. The message is a sentence for the user."""


class DumpProblem(GraphProblem):
    """The file is at fault: another, or the same one mended, is needed."""


@dataclass(frozen=True)
class Place:
    """A place between two lines of several files. byte: of the text, as it is unpacked.

    line: how many lines are before it. closed: whether the list that the file is has ended.
    """

    file: int = 0
    byte: int = 0
    line: int = 0
    closed: bool = False


class LineBlock(NamedTuple):
    """Whole lines of a file, the place after them, and the number of the first of them.

    problem: why they are not read; empty if they are.
    """

    lines: bytes
    after: Place
    first: int
    problem: str = ""


class EntityRow(NamedTuple):
    """An item in the order of its table. facts: how many rows are its own. mark: of its bytes."""

    id: int
    revision: int
    mark: int
    label: str | None
    aliases: str
    title: str | None
    description: str | None
    line: int
    facts: int


class PropertyRow(NamedTuple):
    """A property in the order of its table; inverses are a list in JSON."""

    id: int
    revision: int
    mark: int
    label: str | None
    description: str | None
    datatype: str
    inverses: str


@dataclass
class Extract:
    """What a block gives: rows, and what was left out, by line. after: the place up to which."""

    after: Place
    entities: list[EntityRow]
    facts: list[tuple[Any, ...]]
    properties: list[PropertyRow]
    broken: list[tuple[int, str]]
    others: list[tuple[int, str]]
    skipped: int = 0

    @classmethod
    def begin(cls, after: Place) -> Extract:
        """Return one without rows."""
        return cls(after, [], [], [], [], [])

    def add(self, entity: WikidataItem | Property, line: int, mark: int) -> None:
        """Add the rows of an entity."""
        if isinstance(entity, Property):
            inverses = orjson.dumps(entity.inverses).decode()
            row = (entity.id, entity.revision, mark, entity.label, entity.description)
            self.properties.append(PropertyRow(*row, entity.datatype, inverses))
            return
        self.facts += map(_row_of, entity.facts)
        aliases = orjson.dumps(entity.aliases).decode() if entity.aliases else "[]"
        self.entities.append(
            EntityRow(
                entity.id, entity.revision, mark, entity.label, aliases, entity.title,
                entity.description, line, len(entity.facts),
            )
        )  # fmt: skip


def _row_of(fact: Fact) -> tuple[Any, ...]:
    """Return a statement as it is prepared: values that sqlite3 binds without looking for more.

    Only exact int, str and bytearray are; NO_DATE is in place of None.
    """
    number, value, item, statement, rank, start, end = fact
    return (
        number,
        value,
        item,
        statement if isinstance(statement, str) else bytearray(statement),
        rank,
        NO_DATE if start is None else start,
        NO_DATE if end is None else end,
    )


def read_block(selection: Selection, block: LineBlock) -> Extract:
    """Return what is kept of a block of lines; runs in any process."""
    collecting = gc.isenabled()
    # Nothing here refers to itself in a circle, and looking for that takes time.
    gc.disable()
    try:
        return _read_block(selection, block)
    finally:
        if collecting:
            gc.enable()


def _read_block(selection: Selection, block: LineBlock) -> Extract:
    extract, claims = Extract.begin(block.after), selection.claims
    parse = make_parser(selection)
    if block.problem:
        extract.broken.append((block.first, block.problem))
        return extract
    link = f'"{selection.wiki}"'.encode()
    text, number, at = block.lines, block.first - 1, 0
    view = memoryview(text)  # lines are not copied
    while at < len(text):
        number += 1
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        start, stop = _trim_line(text, at, end)
        at = end + 1
        if start == stop:
            continue
        if selection.articles_only and not _may_be_kept(text, start, stop, link):
            extract.skipped += 1
            continue
        try:
            line = view[start:stop]
            _read_entities(parse(line), line, number, selection, claims, extract)
        except orjson.JSONDecodeError as error:
            extract.broken.append((number, f"it is not valid JSON ({error.msg})"))
        except EntityProblem as problem:
            extract.broken.append((number, str(problem)))
    return extract


def _trim_line(text: bytes, start: int, stop: int) -> tuple[int, int]:
    """Return where the entity of a line begins and ends, which are the same in an empty one."""
    if text.startswith(BOM, start):
        start += len(BOM)
    while start < stop and text[start] in _AROUND:
        start += 1
    while start < stop and text[stop - 1] in _AROUND:
        stop -= 1
    return start, stop


def _read_entities(
    raw: Any,
    line: memoryview,
    number: int,
    selection: Selection,
    claims: frozenset[str],
    extract: Extract,
) -> None:
    mark = isal_zlib.crc32(line)
    for one in _entities_of(raw):
        entity = read_entity(one, selection, claims)
        if entity is None:
            extract.others.append((number, f"{str(one.get('id'))[:20]} is no item"))
            continue
        if selection.articles_only and isinstance(entity, WikidataItem) and entity.title is None:
            # It may be a class all the same: types have to stay whole.
            only_classes = tuple(fact for fact in entity.facts if fact.property == SUBCLASS_OF)
            entity = entity._replace(facts=only_classes)
        extract.add(entity, number, mark)


def _entities_of(raw: Any) -> Iterator[Any]:
    """Give the entity of a line, or those of an answer of Wikidata's API."""
    if isinstance(raw, dict) and "type" not in raw and isinstance(raw.get("entities"), dict):
        yield from raw["entities"].values()
    else:
        yield raw


def _may_be_kept(text: bytes, start: int, stop: int, link: bytes) -> bool:
    """Whether a line may hold an item with an article, a class or anything but an item.

    In a dump sitelinks are at the end and the type is at the beginning, so most of a line is
    searched once; without sitelinks a link is searched for everywhere. rfind is faster than find.
    """
    links = max(text.rfind(b'"sitelinks":', start, stop), start)
    return (
        text.rfind(link, links, stop) >= 0
        or text.rfind(b'"P279"', start, stop) >= 0
        or not _ITEM.match(text, start, stop)
    )
