"""Cut the list under one key of a JSON object into its elements, without reading it whole.

SQuAD and TriviaQA are released so: {"version": …, "data": [records]}.
"""

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from annotation.imports.arrays import Cutter, read_pieces
from annotation.imports.parts import key_of
from annotation.imports.records import BadLine, Piece


def split_nested(file: BinaryIO, key: str) -> Iterator[Piece]:
    """Yield every element of the list with the line it begins on.

    What else the object holds is passed over. What does not fit is named as in an array.
    """
    return read_pieces(file, _Nested(key))


class _Nested(Cutter):
    whole, bracket = "object", "}"

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key
        self.inside = self.was_found = False

    def take_token(self, token: bytes) -> Sequence[Piece]:
        """Cut at the commas of the list; pass over everything beside it."""
        if token in b"{[":
            self.depth += 1
            if self.depth == 2 and token == b"[" and key_of(self.buffer[: self.at]) == self.key:
                self.inside = self.was_found = True
                self.comma = False
            if self.depth == 1 or (self.inside and self.depth == 2):
                self._forget()
        elif self.inside and self.depth == 2 and token in b",]":
            ends = token == b"]"
            pieces = self.cut_element(self.comma if ends else True)
            self.comma = True
            if ends:
                self.depth, self.inside = 1, False
            return pieces
        elif token in b"]}" and self.depth > 1:
            self.depth -= 1
        elif self.depth == 1:
            self.closed = token == b"}"
            self._forget()
            if self.closed and not self.was_found:
                missing = f"The file has no list under “{self.key}”, where its records should be."
                return (Piece(self.line, BadLine(missing)),)
        return ()

    def _forget(self) -> None:
        self.too_long_since, self.head = None, b""
        self.drop_bytes(self.at)
