"""Entities in the form of a dump, made for tests. Ids are invented: no one owns so large ones."""

import bz2
import gzip
import json
import uuid

BASE = 900_000_000
DEFAULT = object()


def guid(*about):
    """Return a statement's GUID that is the same every time."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, "/".join(map(str, about)))).upper()


def snak(prop, value, kind="item"):
    """Return a snak with a value, or one that says that it is unknown or none."""
    if value in ("somevalue", "novalue"):
        return {"snaktype": value, "property": f"P{prop}", "datatype": "wikibase-item"}
    letter = "Q" if kind == "item" else "P"
    return {
        "snaktype": "value",
        "property": f"P{prop}",
        "datavalue": {
            "value": {"entity-type": kind, "numeric-id": value, "id": f"{letter}{value}"},
            "type": "wikibase-entityid",
        },
        "datatype": f"wikibase-{kind}",
    }


def date(text, precision=11):
    """Return a snak of a time; with a word in place of the text, one without."""
    if text in ("somevalue", "novalue"):
        return {"snaktype": text, "property": "P580", "datatype": "time"}
    value = {"time": f"{text}T00:00:00Z", "precision": precision, "timezone": 0}
    return {"snaktype": "value", "property": "P580", "datavalue": {"value": value, "type": "time"}}


def statement(item, prop, value, rank="normal", number=0, **qualifiers):
    """Return a statement; qualifiers are lists of snaks by property."""
    made = {
        "mainsnak": snak(prop, value),
        "type": "statement",
        "id": f"Q{item}${guid(item, prop, value, number)}",
        "rank": rank,
    }
    return made | ({"qualifiers": qualifiers} if qualifiers else {})


def item(number, *statements, label=DEFAULT, title=None, revision=1, aliases=(), wiki="enwiki"):
    """Return an item with its statements, which are put under their properties."""
    claims = {}
    for each in statements:
        claims.setdefault(each["mainsnak"]["property"], []).append(each)
    label = f"Item {number}" if label is DEFAULT else label
    return {
        "type": "item",
        "id": f"Q{number}",
        "labels": {"en": {"language": "en", "value": label}} if label else {},
        "descriptions": {},
        "aliases": {"en": [{"language": "en", "value": each} for each in aliases]},
        "claims": claims,
        "sitelinks": {wiki: {"site": wiki, "title": title, "badges": []}} if title else {},
        "lastrevid": revision,
    }


def prop(number, label, *inverses):
    """Return a property, of which others are the inverse."""
    claims = [
        {
            "mainsnak": snak(1696, other, "property"),
            "type": "statement",
            "id": f"P{number}${guid(number, other)}",
            "rank": "normal",
        }
        for other in inverses
    ]
    return {
        "type": "property",
        "id": f"P{number}",
        "datatype": "wikibase-item",
        "labels": {"en": {"language": "en", "value": label}},
        "descriptions": {},
        "aliases": {},
        "claims": {"P1696": claims} if claims else {},
        "lastrevid": 5,
    }


def as_lines(entities):
    """Return entities as the lines of a dump between its brackets, as bytes."""
    return [json.dumps(each, ensure_ascii=False).encode() for each in entities]


def as_dump(lines, *, start=b"[\n", between=b",\n", end=b"\n]\n"):
    """Return lines as the bytes of a file."""
    return start + between.join(lines) + end


def write(path, data):
    """Write a file, packed as its name says."""
    pack = {".gz": gzip.compress, ".bz2": bz2.compress}.get(path.suffix, bytes)
    path.write_bytes(pack(data))
    return path
