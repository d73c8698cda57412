"""Values of Wikidata as a graph stores them: ids of statements, times, names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

# The end of what has ended at a time that Wikidata calls unknown.
UNKNOWN: Final = ""
_TIME: Final = re.compile(r"([+-])0*(\d{1,16})-(\d\d)-(\d\d)T")
_MONTH, _DAY = 10, 11  # Wikidata's precisions; 9 is a year
_JOINERS: Final = "\u200c\u200d"  # several scripts are misspelt without them


def pack_statement(text: str, item: int) -> bytes | str:
    """Return a statement's id in few bytes: 16, or 17 where letters are small; else the text.

    An id is that of the item, $ and a GUID. q and the GUID may be written small, and
    `unpack_statement` gives them back as they were.
    """
    prefix, _, guid = text.partition("$")
    if len(guid) != 36 or guid[8:24:5] != "----":
        return text
    try:
        packed = bytes.fromhex(guid.replace("-", ""))
    except ValueError:
        return text
    if len(packed) == 16 and prefix == f"Q{item}" and text.isupper():
        return packed
    packed += bytes([(prefix[:1] == "q") + 2 * guid.islower()])
    return packed if len(packed) == 17 and unpack_statement(packed, item) == text else text


def unpack_statement(stored: bytes | str, item: int) -> str:
    """Return a statement's id as Wikidata writes it."""
    if isinstance(stored, str):
        return stored
    small = stored[16] if len(stored) > 16 else 0
    digits = stored[:16].hex()
    places = (0, 8, 12, 16, 20, 32)
    guid = "-".join(digits[a:b] for a, b in pairwise(places))
    return f"{'q' if small & 1 else 'Q'}{item}${guid if small & 2 else guid.upper()}"


def format_time(value: Mapping[str, Any]) -> str:
    """Return a time of Wikidata as 1971, 1971-05 or 1971-05-03, to the precision it has.

    What is less exact than a year (a decade, a century) is given as the year that stands for it.
    Years before Christ have a minus. Raises ValueError and KeyError.
    """
    found = _TIME.match(value["time"])
    if found is None:
        raise ValueError("a time that cannot be read")
    sign, year, month, day = found.groups()
    precision = int(value["precision"])
    text = ("-" if sign == "-" else "") + year.zfill(4)
    if precision >= _MONTH and month != "00":
        text += f"-{month}"
        if precision >= _DAY and day != "00":
            text += f"-{day}"
    return text


def clean_name(text: str) -> str:
    """Return a name without characters that steer how text is shown, and with single spaces."""
    if text.isprintable():
        if "  " not in text and text[:1] != " " != text[-1:]:
            return text
    else:
        text = "".join(
            character if character in _JOINERS or unicodedata.category(character)[0] != "C"
            else " " if character.isspace() else ""
            for character in text
        )  # fmt: skip
    return " ".join(text.split())
