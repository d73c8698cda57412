"""The properties of Wikidata that a graph keeps unless told otherwise.

Chosen for questions with many answers (Q9, table 5 of QAMPARI's paper names relations of the same
sort): the answers are the items, the thing asked about is the value. Left out on purpose:

- too wide to be answered by a list: sex, citizenship, country, place in the administration,
  language of a work;
- about what people who live would rather not be listed by: religion, ethnic group, medical
  condition, cause and manner of death, convictions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

INSTANCE_OF: Final = 31
SUBCLASS_OF: Final = 279
INVERSE: Final = 1696
# What types of items are made of; kept whatever is chosen.
ALWAYS: Final = frozenset({INSTANCE_OF, SUBCLASS_OF})

ASKED: Final[dict[int, str]] = {
    19: "place of birth", 20: "place of death", 39: "position held", 50: "author",
    54: "member of sports team", 57: "director", 58: "screenwriter", 61: "discoverer or inventor",
    69: "educated at", 84: "architect", 86: "composer", 102: "member of political party",
    108: "employer", 110: "illustrator", 118: "league", 119: "place of burial",
    123: "publisher", 127: "owned by", 135: "movement", 137: "operator",
    144: "based on", 149: "architectural style", 159: "headquarters location", 161: "cast member",
    162: "producer", 166: "award received", 170: "creator", 175: "performer",
    176: "manufacturer", 177: "crosses", 178: "developer", 184: "doctoral advisor",
    206: "located in or next to body of water", 241: "military branch", 264: "record label",
    272: "production company", 449: "original broadcaster", 463: "member of", 607: "conflict",
    647: "drafted by", 655: "translator", 676: "lyrics by", 725: "voice actor",
    840: "narrative location", 1066: "student of", 1303: "instrument", 1346: "winner",
    1411: "nominated for", 1441: "present in work", 8345: "media franchise",
}  # fmt: skip

_PROPERTY: Final = re.compile(r"[Pp]?([1-9]\d{0,5})")


class BadProperty(ValueError):
    """What was given is not the id of a property. The message is a sentence."""


def parse_properties(text: str) -> frozenset[int]:
    """Return the properties named in “P177,P144”, as numbers. Raises BadProperty."""
    found = set()
    for word in re.split(r"[,\s]+", text.strip()):
        match = _PROPERTY.fullmatch(word)
        if match is None:
            raise BadProperty(
                f"“{word[:40]}” is not a property of Wikidata. Write them as P177,P144."
            )
        found.add(int(match[1]))
    return frozenset(found)


def name_properties(numbers: Iterable[int]) -> str:
    """Return numbers of properties as people write them: P177,P144."""
    return ",".join(f"P{number}" for number in sorted(numbers))
