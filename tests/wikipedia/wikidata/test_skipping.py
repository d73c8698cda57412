"""With --articles-only a line is passed over by its bytes, never one that is kept."""

import json
import random

import orjson

from tests.wikipedia.wikidata.entities import item, prop, statement
from wikipedia.wikidata.entities import Property, Selection, read_entity
from wikipedia.wikidata.extracts import LineBlock, Place, read_block

CHOSEN = Selection("en", frozenset({177}), articles_only=True)
TRAPS = ["enwiki", "P279", '"P279"', '"enwiki":', '"sitelinks":', '"type":"property"', "Ünïcode"]


def draw_entity(number, chance):
    """Return an entity, of which most is kept, or little, or nothing."""
    if chance.random() < 0.1:
        return prop(number, "crosses")
    made = item(
        number,
        *(statement(number, chance.choice([177, 31, 999, 2790]), 9) for _ in range(2)),
        *(statement(number, 279, 4) for _ in range(chance.random() < 0.2)),
        aliases=chance.sample(TRAPS, 2),
        title=chance.choice([None, None, "Bridge", "enwiki"]),
        wiki=chance.choice(["enwiki", "dewiki", "enwikivoyage"]),
    )
    if chance.random() < 0.2:
        made["claims"] = {chance.choice(TRAPS): []} | made["claims"]
    keys = list(made)
    if chance.random() < 0.3:
        chance.shuffle(keys)
    return {key: made[key] for key in keys}


def draw_line(number, chance):
    """Return a line as one of the programs that make dumps or parts of them writes it."""
    entity = draw_entity(number, chance)
    if chance.random() < 0.1:
        entity = {"entities": {entity["id"]: entity}}
    between = chance.choice([(",", ":"), (", ", ": "), (",", " :")])
    line = json.dumps(entity, separators=between, ensure_ascii=chance.random() < 0.5).encode()
    before, after = (
        chance.choice([b"", b"", b"[", b"\xef\xbb\xbf", b" "]),
        chance.choice([b",", b""]),
    )
    return before + line + after + chance.choice([b"", b"\r", b" \n"])


def parse_kept(line, number):
    """Return what is kept of a line, by parsing all of it: rows of an item or of a property."""
    text = line.removeprefix(b"\xef\xbb\xbf").strip(b" \r\n,[]")
    raw = orjson.loads(text)
    (raw,) = raw.get("entities", {0: raw}).values()
    found = read_entity(raw, CHOSEN, CHOSEN.claims)
    if isinstance(found, Property):
        return ("property", found.id)
    facts = [fact.property for fact in found.facts if found.title or fact.property == 279]
    return (number, found.id, found.title, facts) if facts or found.title else None


def test_no_line_is_passed_over_of_which_something_is_kept():
    chance, kept, skipped = random.Random(8), 0, 0
    for _ in range(40):
        lines = [draw_line(number, chance) for number in range(1, 60)]
        text = b"\n".join(lines) + chance.choice([b"", b"\n"])
        extract = read_block(CHOSEN, LineBlock(text, Place(), 1))
        numbers, number = [], 1
        for line in lines:
            numbers.append(number)
            number += 1 + line.count(b"\n")
        expected = [parse_kept(*each) for each in zip(lines, numbers, strict=True)]
        facts = iter(extract.facts)
        rows = [
            (row.line, row.id, row.title, [next(facts)[0] for _ in range(row.facts)])
            for row in extract.entities
        ]
        assert [row for row in rows if row[2] or row[3]] == [
            each for each in expected if each and each[0] != "property"
        ]
        assert [("property", row.id) for row in extract.properties] == [
            each for each in expected if each and each[0] == "property"
        ]
        assert extract.broken == []
        kept, skipped = kept + len(rows), skipped + extract.skipped
    assert kept > 500
    assert skipped > 300, "most of which nothing is kept"
