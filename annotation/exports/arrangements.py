"""How the records of a file stand one after the other."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson


class Entry(NamedTuple):
    """A record of a file, with the split and id of its question where that is arranged by them."""

    record: Any
    split: str = ""
    id: str = ""


@dataclass(frozen=True)
class Arrangement:
    """What stands around records: `start` before the first, `between` them, `end` after the last.

    `empty` is the whole of a file that has none.
    """

    start: bytes = b""
    between: bytes = b""
    end: bytes = b""
    empty: bytes = b""

    def lead_in(self, former: Entry | None, entry: Entry) -> bytes:
        """Return what stands before a record that follows another, None for the first."""
        return self.start if former is None else self.between

    def lead_out(self, last: Entry | None, split: str | None) -> bytes:
        """Return what stands after the last record, None if there is none, of a file of `split`."""
        return self.empty if last is None else self.end


class ObjectOfSplits(Arrangement):
    """One object with a part for each split that has records: {split: {id: record}}."""

    def lead_in(self, former: Entry | None, entry: Entry) -> bytes:
        """Return the id, after the name of the split where that begins."""
        before = b",\n"
        if former is None or former.split != entry.split:
            opening = b"{" if former is None else b"\n},\n"
            before = opening + orjson.dumps(entry.split) + b": {\n"
        return before + orjson.dumps(entry.id) + b": "

    def lead_out(self, last: Entry | None, split: str | None) -> bytes:
        """Return the brackets that are open; without records that of the split that was asked."""
        if last is not None:
            return b"\n}}\n"
        return b"{" + (orjson.dumps(split) + b": {}" if split else b"") + b"}\n"


LINES = Arrangement(between=b"\n", end=b"\n")
ARRAY = Arrangement(b"[\n", b",\n", b"\n]\n", b"[]\n")
SPLITS_OBJECT = ObjectOfSplits()
