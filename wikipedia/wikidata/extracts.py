"""A block of lines of a dump becomes rows: what other processes do, and hand back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson
from isal import isal_zlib

from wikipedia.wikidata.entities import (
    EntityProblem,
    Property,
    Selection,
    WikidataItem,
    read_entity,
)
from wikipedia.wikidata.properties import SUBCLASS_OF

BOM: Final = b"\xef\xbb\xbf"
# A line is an entity between the brackets of one list; subsets often have neither list nor commas.
_AROUND: Final = b" \t\r\n,[]"
_PROPERTY: Final = re.compile(rb'"type"\s*:\s*"property"')
_HEAD: Final = 200


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
    """Whole lines of a file, the place after them, and why they are not read, if so."""

    lines: bytes
    after: Place
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
        self.facts += entity.facts
        aliases = orjson.dumps(entity.aliases).decode() if entity.aliases else "[]"
        self.entities.append(
            EntityRow(
                entity.id, entity.revision, mark, entity.label, aliases, entity.title,
                entity.description, line, len(entity.facts),
            )
        )  # fmt: skip


def read_block(selection: Selection, block: LineBlock) -> Extract:
    """Return what is kept of a block of lines; runs in any process."""
    extract, claims = Extract.begin(block.after), selection.claims
    if block.problem:
        extract.broken.append((block.after.line, block.problem))
        return extract
    lines = block.lines.split(b"\n")
    if not lines[-1]:
        lines.pop()
    needed = _Needed(selection) if selection.articles_only else None
    for number, text in enumerate(lines, block.after.line - len(lines) + 1):
        line = text.strip(_AROUND)
        if not line or line == BOM:
            continue
        if needed is not None and not needed.has(line):
            extract.skipped += 1
            continue
        try:
            _read_line(line, number, selection, claims, extract)
        except orjson.JSONDecodeError as error:
            extract.broken.append((number, f"it is not valid JSON ({error.msg})"))
        except EntityProblem as problem:
            extract.broken.append((number, str(problem)))
    return extract


def _read_line(
    line: bytes, number: int, selection: Selection, claims: frozenset[str], extract: Extract
) -> None:
    raw = orjson.loads(line.removeprefix(BOM).lstrip(_AROUND))
    mark = isal_zlib.crc32(line)
    for one in _entities_of(raw):
        entity = read_entity(one, selection, claims)
        if entity is None:
            extract.others.append((number, f"{str(one.get('id'))[:20]} is no item"))
        elif selection.articles_only and isinstance(entity, WikidataItem) and entity.title is None:
            # It may be a class all the same: types have to stay whole.
            only_classes = tuple(fact for fact in entity.facts if fact.property == SUBCLASS_OF)
            entity = entity._replace(facts=only_classes)
            extract.add(entity, number, mark)
        else:
            extract.add(entity, number, mark)


def _entities_of(raw: Any) -> Iterator[Any]:
    """Give the entity of a line, or those of an answer of Wikidata's API."""
    if isinstance(raw, dict) and "type" not in raw and isinstance(raw.get("entities"), dict):
        yield from raw["entities"].values()
    else:
        yield raw


class _Needed:
    """Tells by its bytes that a line holds no item with an article, class or property."""

    def __init__(self, selection: Selection) -> None:
        self._link = f'"{selection.wiki}"'.encode()

    def has(self, line: bytes) -> bool:
        # Sitelinks are near the end, and the type is near the beginning.
        return (
            line.rfind(self._link) >= 0
            or b'"P279"' in line
            or b'"entities"' in line[:_HEAD]
            or _PROPERTY.search(line, 0, _HEAD) is not None
        )
