"""The passages of an index as they are stored: all of them in order, or some by their place.

A place is a whole number that means one passage of one finished index, and no other: an index that
is built again has other places, and another folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tantivy
from tantivy import FieldType, Query

from wikipedia.search.index import PASSAGES, IndexProblem, read_info
from wikipedia.search.open_indexes import OpenedIndex, open_index, text_of

_POSITIONS: Final = 256  # read at once: articles of an archive, pages of a dump, lines of a file
_BITS: Final = 32  # of a place, for the number in its segment


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage; position: of its article or line, in the order of the source."""

    place: int
    position: int
    id: str
    title: str
    path: str
    text: str


def passages_from(
    index_dir: Path, folder: str, position: int = 0
) -> Iterator[tuple[int, list[StoredPassage]]]:
    """Give the passages from a position on, a few hundred articles at once.

    With each list comes the position where the next one begins. Raises IndexProblem without a
    usable index, and where the index is no longer the one in `folder`.
    """
    index = _the_same(index_dir, folder)
    end = _last_position(index) + 1
    while position < end:
        until = min(position + _POSITIONS, end)
        yield until, _between(index, position, until)
        position = until


def passages_at(index_dir: Path, folder: str, places: Sequence[int]) -> list[StoredPassage]:
    """Return the passages at these places, in this order. Raises IndexProblem as above."""
    index = _the_same(index_dir, folder)
    addresses = [tantivy.DocAddress(place >> _BITS, place & (1 << _BITS) - 1) for place in places]
    positions = index.searcher.fast_field_values("position", addresses)
    return [
        _stored(index, address, int(position or 0))
        for address, position in zip(addresses, positions, strict=True)
    ]


def _the_same(index_dir: Path, folder: str) -> OpenedIndex:
    index, info = open_index(index_dir, PASSAGES), read_info(index_dir)
    if info is None or info.folder != folder:
        raise IndexProblem(f"The search index in {index_dir} was built again in the meantime.")
    return index


def _last_position(index: OpenedIndex) -> int:
    last = index.searcher.aggregate(Query.all_query(), {"n": {"max": {"field": "position"}}})
    value = last["n"]["value"]
    return -1 if value is None else int(value)


def _between(index: OpenedIndex, start: int, until: int) -> list[StoredPassage]:
    wanted = Query.range_query(
        index.schema, "position", FieldType.Integer, start, until, include_upper=False,
        use_inverted_index=True,  # the other way looks at every passage there is
    )  # fmt: skip
    counted = index.searcher.aggregate(wanted, {"n": {"value_count": {"field": "position"}}})
    count = int(counted["n"]["value"])
    if not count:
        return []
    addresses = [address for _, address in index.searcher.search(wanted, count, count=False).hits]
    positions = index.searcher.fast_field_values("position", addresses)
    passages = [
        _stored(index, address, int(position or 0))
        for address, position in zip(addresses, positions, strict=True)
    ]
    return sorted(passages, key=lambda passage: (passage.position, passage.place))


def _stored(index: OpenedIndex, address: tantivy.DocAddress, position: int) -> StoredPassage:
    document = index.searcher.doc(address)
    return StoredPassage(
        place=address.segment_ord << _BITS | address.doc,
        position=position,
        id=text_of(document, "id"),
        title=text_of(document, "shown"),
        path=text_of(document, "path"),
        text=text_of(document, "kept"),
    )
