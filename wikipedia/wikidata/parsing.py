"""A line of a dump as the maps that are read of an entity.

Most of a line is passed over: of the labels in all languages and the statements with all their
references, a graph reads a few. msgspec is told which keys to make objects of, which takes a
quarter of the time of parsing all of it. What it refuses is parsed whole, so that whoever reads the
entity says what is wrong with it.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
import orjson

from wikipedia.wikidata.entities import AT, END, START, Selection
from wikipedia.wikidata.properties import INVERSE

_REFUSED: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


@lru_cache(maxsize=4)
def make_parser(selection: Selection) -> Callable[[memoryview], Any]:
    """Return what parses a line, of which it gives what `entities.read_entity` reads.

    What it gives may have other keys, too. It raises orjson.JSONDecodeError where a line is not
    JSON; bytes that are not UTF-8 are passed over in what is not read.
    """
    decode = msgspec.json.Decoder(_shape_of(selection)).decode

    def parse_line(line: memoryview) -> Any:
        try:
            found = decode(line)
        except _REFUSED:
            return orjson.loads(line)
        # Without a type it is an answer of Wikidata's API, which holds the entity, or is broken.
        return found if "type" in found else orjson.loads(line)

    return parse_line


def _shape_of(selection: Selection) -> Any:
    """Return the maps of an entity with the keys that are read; an empty map may be a list."""
    names = _map_of(selection.language, "mul")
    snak = _keyed({"snaktype": Any, "datavalue": Any})
    statement = _keyed(
        {"mainsnak": snak, "id": Any, "rank": Any, "qualifiers": _map_of(START, END, AT)}
    )
    many: Any = list
    claims = dict.fromkeys(selection.claims | {f"P{INVERSE}"}, many[statement])
    return _keyed(
        {
            **dict.fromkeys(("id", "type", "missing", "lastrevid", "datatype"), Any),
            **dict.fromkeys(("labels", "descriptions", "aliases"), names),
            "claims": _keyed(claims) | list[Any],
            "sitelinks": _map_of(selection.wiki),
        }
    )


def _map_of(*keys: str) -> Any:
    return _keyed(dict.fromkeys(keys, Any)) | list[Any]


def _keyed(shape: Mapping[str, Any]) -> Any:
    """Return the type of a map of which these keys are read, each of which may be missing."""
    make: Any = typing.TypedDict
    return make("Read", dict(shape), total=False)
