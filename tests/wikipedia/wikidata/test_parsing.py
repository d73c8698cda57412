"""What is parsed of a line gives the entity that all of it gives, and what is broken stays so."""

import random

import orjson
import pytest

from tests.wikipedia.wikidata.entities import as_lines, item, statement
from wikipedia.wikidata.entities import EntityProblem, Selection, read_entity
from wikipedia.wikidata.parsing import make_parser

CHOSEN = Selection("en", frozenset({177, 50}))
LINES = as_lines(
    [
        item(
            number, statement(number, 177, 9), statement(number, 50, 8), statement(number, 999, 7),
            title=f"Title {number}", label="Ünïcode", aliases=["A \\ \"b\"", "é"],
        )
        for number in range(1, 4)
    ]
)  # fmt: skip


def read(parse, line):
    """Return the entity of a line, or which kind of problem it has."""
    try:
        return read_entity(parse(line), CHOSEN, CHOSEN.claims)
    except orjson.JSONDecodeError:
        return "no JSON"
    except EntityProblem as problem:
        return str(problem)


def mutate(line, chance):
    """Return a line without one of its signs, or with one more."""
    at = chance.randrange(len(line))
    more = bytes([chance.choice(b'{}[]",:0n\\x')]) if chance.random() < 0.5 else b""
    return line[:at] + more + line[at + (not more) :]


def test_whole_lines_and_mutated_ones_give_the_same():
    parse, chance = make_parser(CHOSEN), random.Random(4)
    broken = [mutate(chance.choice(LINES), chance) for _ in range(3_000)]
    said = {}
    for line in LINES + broken:
        expected = read(orjson.loads, line)
        assert read(parse, line) == expected, line
        said[str(type(expected)) if not isinstance(expected, str) else expected[:7]] = line
    assert len(said) > 2, "some are read, some are no JSON, some no entities"


def test_little_is_made_of_a_line():
    line = orjson.loads(LINES[0])
    line["labels"] |= {code: {"language": code, "value": "x"} for code in ("fr", "de", "mul")}
    found = make_parser(CHOSEN)(orjson.dumps(line))
    assert set(found["labels"]) == {"en", "mul"}
    assert set(found["claims"]) == {"P177", "P50"}
    assert set(found["claims"]["P177"][0]) <= {"mainsnak", "id", "rank", "qualifiers"}


@pytest.mark.parametrize(
    "line",
    [
        b'{"entities": {"Q1": {"type": "item", "id": "Q1"}}}',
        b'{"type": "item", "id": "Q1", "claims": {"P177": {}}}',
        b'{"type": "item", "id": "Q1", "claims": [], "labels": []}',
        b'{"type": "item", "id": "Q1", "claims": 5}',
        b'{"type": "lexeme", "id": "L1"}',
        b'["Q1"]',
        b"5",
    ],
)
def test_other_shapes_are_read_as_they_were(line):
    assert read(make_parser(CHOSEN), line) == read(orjson.loads, line)


@pytest.mark.parametrize(
    "line", [b"", b"{", b'{"type": "item"', b'{"type": "item"} {}', b"[" * 2_000]
)
def test_what_is_no_json_is_refused(line):
    with pytest.raises(orjson.JSONDecodeError):
        make_parser(CHOSEN)(line)
