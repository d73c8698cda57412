"""An entity of Wikidata, as its JSON has it, and what a graph keeps of it.

Takes what dumps of all years have: maps that are empty are `{}` or `[]`, values are named by `id`
or only by `numeric-id`, labels that are the same in many languages stand under `mul`. Statements
that are deprecated, or whose value is unknown or none, are never kept, nor are values that are not
items.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from wikipedia.wikidata.properties import ALWAYS, INVERSE
from wikipedia.wikidata.values import UNKNOWN, clean_name, format_time, pack_statement

START: Final = "P580"
END: Final = "P582"
AT: Final = "P585"
_WHEN: Final = frozenset({START, END, AT})
# Kinds of entities that are no part of a graph.
OTHER_KINDS: Final = frozenset({"lexeme", "mediainfo", "entity-schema"})
_ID: Final = re.compile(r"([QP])([1-9]\d{0,11})")
_RANKS: Final = {"normal": 0, "preferred": 1}


class EntityProblem(Exception):
    """This is not an entity. The message is the end of a sentence: “it has no id”."""


@dataclass(frozen=True)
class Selection:
    """What is kept of entities: names in a language, the title in its Wikipedia, and properties.

    With `articles_only`, statements and names of items without an article there are left out.
    """

    language: str
    properties: frozenset[int]
    articles_only: bool = False

    @property
    def wiki(self) -> str:
        """The name of the language's Wikipedia among sitelinks, such as enwiki."""
        return f"{self.language.replace('-', '_')}wiki"

    @property
    def claims(self) -> frozenset[str]:
        """The keys of the claims that are read."""
        return frozenset(f"P{number}" for number in self.properties | ALWAYS)


class Fact(NamedTuple):
    """A statement: `item` has `value` as its `property`; the numbers are those of the ids.

    statement: its id, as `pack_statement` stores it. rank: 0 normal, 1 preferred. start and end:
    as `format_time` writes them, None where nothing is said.
    """

    property: int
    value: int
    item: int
    statement: bytes | str
    rank: int
    start: str | None
    end: str | None


class WikidataItem(NamedTuple):
    """An item: names in the language, the title of its article there, and its statements."""

    id: int
    revision: int
    label: str | None
    aliases: tuple[str, ...]
    title: str | None
    description: str | None
    facts: tuple[Fact, ...]


class Property(NamedTuple):
    """A property: its names, the kind of its values, and the properties that are its inverse."""

    id: int
    revision: int
    label: str | None
    description: str | None
    datatype: str
    inverses: tuple[int, ...]


def read_entity(
    raw: Any, selection: Selection, claims: frozenset[str]
) -> WikidataItem | Property | None:
    """Return what is kept of an entity; None for kinds that are no part of a graph.

    claims: `selection.claims`, made once. Raises EntityProblem.
    """
    if not isinstance(raw, dict):
        raise EntityProblem("it is not an object of JSON")
    kind = raw.get("type")
    if kind in OTHER_KINDS or "missing" in raw:
        return None
    try:
        letter, number = _parse_id(raw.get("id"))
        if (kind, letter) == ("item", "Q"):
            return _read_item(raw, number, selection, claims)
        if (kind, letter) == ("property", "P"):
            return _read_property(raw, number, selection)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise EntityProblem(f"{raw.get('id')} has not the form of an entity ({error!r})") from error
    raise EntityProblem(f"{str(raw.get('id'))[:20]} is neither an item nor a property")


def _parse_id(text: Any) -> tuple[str, int]:
    found = _ID.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise EntityProblem("it has no id such as Q19686 or P177")
    return found[1], int(found[2])


def _read_item(
    raw: Mapping[str, Any], number: int, selection: Selection, claims: frozenset[str]
) -> WikidataItem:
    statements = _map(raw, "claims")
    facts: list[Fact] = []
    for key, said in statements.items():
        if key in claims:
            facts += _read_facts(int(key[1:]), number, said)
    link = _map(raw, "sitelinks").get(selection.wiki)
    return WikidataItem(
        number,
        _revision(raw),
        _name(_map(raw, "labels"), selection.language),
        _aliases(_map(raw, "aliases"), selection.language),
        clean_name(link["title"]) if link else None,
        _name(_map(raw, "descriptions"), selection.language),
        tuple(facts),
    )


def _read_property(raw: Mapping[str, Any], number: int, selection: Selection) -> Property:
    found = (
        _entity_value(statement, "property")
        for statement in _map(raw, "claims").get(f"P{INVERSE}", ())
    )
    return Property(
        number,
        _revision(raw),
        _name(_map(raw, "labels"), selection.language),
        _name(_map(raw, "descriptions"), selection.language),
        str(raw.get("datatype") or ""),
        tuple(sorted({other for other in found if other is not None})),
    )


def _read_facts(number: int, item: int, statements: Iterable[Mapping[str, Any]]) -> Iterator[Fact]:
    for statement in statements:
        value = _entity_value(statement, "item")
        if value is None:
            continue
        qualifiers = statement.get("qualifiers")
        start, end = _dates(qualifiers) if qualifiers else (None, None)
        packed = pack_statement(statement["id"], item)
        yield Fact(number, value, item, packed, _RANKS[statement["rank"]], start, end)


def _entity_value(statement: Mapping[str, Any], kind: str) -> int | None:
    """Return the number of the entity that a statement names, None where it counts for nothing."""
    snak = statement["mainsnak"]
    if statement["rank"] == "deprecated" or snak["snaktype"] != "value":
        return None
    data = snak["datavalue"]
    value = data["value"]
    if data["type"] != "wikibase-entityid" or value["entity-type"] != kind:
        return None
    number = value.get("numeric-id")
    if type(number) is not int:
        number = _parse_id(value["id"])[1]
    if not 0 < number < 10**12:
        raise ValueError("a number of an entity that is out of range")
    return int(number)


def _dates(qualifiers: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return when something began and ended: the widest time that the qualifiers allow."""
    if qualifiers.keys().isdisjoint(_WHEN):
        return None, None
    starts = _times(qualifiers.get(START, ()))
    ends = _times(qualifiers.get(END, ()), unknown=True)
    at = () if starts or ends else _times(qualifiers.get(AT, ()))
    return min(starts or at, default=None), max(ends or at, default=None)


def _times(snaks: Iterable[Mapping[str, Any]], *, unknown: bool = False) -> list[str]:
    found = []
    for snak in snaks:
        if snak["snaktype"] == "value":
            found.append(format_time(snak["datavalue"]["value"]))
        elif unknown and snak["snaktype"] == "somevalue":
            found.append(UNKNOWN)
    return found


def _map(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return a map of an entity; the empty one may be written as an empty list."""
    found = raw.get(key)
    if isinstance(found, dict):
        return found
    if found:
        raise ValueError(f"{key} is not a map")
    return {}


def _revision(raw: Mapping[str, Any]) -> int:
    revision = raw.get("lastrevid", 0)
    if type(revision) is not int or not 0 <= revision < 1 << 62:
        raise ValueError("lastrevid is not a number")
    return revision


def _name(names: Mapping[str, Any], language: str) -> str | None:
    # What is the same in many languages is under “mul”, and then not under the language.
    found = names.get(language) or names.get("mul")
    return (clean_name(found["value"]) or None) if found else None


def _aliases(names: Mapping[str, Any], language: str) -> tuple[str, ...]:
    found = [*names.get(language, ()), *names.get("mul", ())]
    if not found:
        return ()
    cleaned = (clean_name(each["value"]) for each in found)
    return tuple(dict.fromkeys(name for name in cleaned if name))
