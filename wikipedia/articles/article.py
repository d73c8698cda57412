"""An article as a value: what `reader` makes of a page and everything else reads."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Heading:
    """A heading of the article as shown; `anchor` is its id."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True)
class Block:
    """A line of the canonical text: code points `start` to `end`, what it is and where."""

    start: int
    end: int
    kind: str
    section: tuple[str, ...]
    anchor: str


@dataclass(frozen=True)
class Article:
    """An article ready to show. `html` is safe; `text` is what quotes point into."""

    title: str
    html: str
    outline: tuple[Heading, ...]
    text: str
    text_sha256: str
    blocks: tuple[Block, ...]

    def block_at(self, position: int) -> Block | None:
        """Return the line at a position of `text`, or None if the article is empty."""
        index = bisect_right(self.blocks, position, key=lambda block: block.start) - 1
        return self.blocks[index] if index >= 0 else None


@dataclass(frozen=True)
class Headers:
    """The headers of a cell, outermost first. In an infobox, `row` is the label."""

    caption: str = ""
    row: tuple[str, ...] = ()
    column: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.caption or self.row or self.column)

    def as_json(self) -> dict[str, Any]:
        """Return the headers as stored; empty for words outside tables."""
        if not self:
            return {}
        return {"caption": self.caption, "row": list(self.row), "column": list(self.column)}
