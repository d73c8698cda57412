"""Tables of a release: every record with the same columns, one file for each split.

A record of the official layouts has other keys where it has one answer than where it has several,
and the id of a question is a key in some. A table can be read column by column, and by libraries
that know none of these layouts. JSON (gzip) needs nothing further; Parquet needs pyarrow.
"""

import hashlib
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, BinaryIO

import orjson
from isal import igzip

from annotation.core.refusals import Conflict
from annotation.exports.layouts import SPLITS, Column

JSON, PARQUET = "json", "parquet"
KINDS = {JSON: "JSON", PARQUET: "Parquet"}
_LEVEL = 2
_ROWS = 1_000
_BYTES = 16 << 20  # of rows held before they are written: articles are large
_BLOCK = 1 << 20
_COLUMNS = Sequence[Column]


def has_parquet() -> bool:
    """Whether this installation can write Parquet."""
    return find_spec("pyarrow") is not None


def check_kind(kind: str) -> None:
    """Raise Conflict if this installation cannot write tables of this kind."""
    if kind == PARQUET and not has_parquet():
        raise Conflict(
            "Parquet needs the library pyarrow, which is not installed here. Install it "
            "(pip install pyarrow), or take the tables as JSON."
        )


@dataclass(frozen=True)
class Table:
    """A finished table: its split, what is added to the data's name, MIME type, size, digest."""

    split: str
    ending: str
    media: str
    bytes: int
    sha256: str
    file: BinaryIO


class Tables:
    """The tables of a release, written to temporary files while the records pass by."""

    def __init__(self, kind: str, columns: _COLUMNS) -> None:
        check_kind(kind)
        self._make = {JSON: _Json, PARQUET: _Parquet}[kind]
        self._columns = columns
        self._writers: dict[str, _Writer] = {}
        self._finished: list[Table] | None = None

    def add(self, split: str, row: Mapping[str, Any]) -> None:
        """Add a row to the table of its split."""
        if split not in self._writers:
            self._writers[split] = self._make(self._columns)
        self._writers[split].add(row)

    def finish_tables(self) -> list[Table]:
        """Return the tables, none for a split without records. No row is added after this."""
        if self._finished is None:
            self._finished = [
                self._writers[split].finish(split) for split in SPLITS if split in self._writers
            ]
        return self._finished

    def close(self) -> None:
        """Remove the temporary files."""
        for writer in self._writers.values():
            writer.close()


class _Writer(ABC):
    """Writes one table. `finish` ends it; `close` removes the file, whether it is finished."""

    ending: str
    media: str

    def __init__(self, columns: _COLUMNS) -> None:
        self.columns = columns
        self.file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self.rows = 0

    def add(self, row: Mapping[str, Any]) -> None:
        self.write({column.name: row[column.name] for column in self.columns})
        self.rows += 1

    @abstractmethod
    def write(self, row: dict[str, Any]) -> None:
        """Write a row, which has exactly the columns."""

    @abstractmethod
    def write_end(self) -> None:
        """Write what is still to be written."""

    def finish(self, split: str) -> Table:
        self.write_end()
        self.file.seek(0)
        digest, size = hashlib.sha256(), 0
        while block := self.file.read(_BLOCK):
            digest.update(block)
            size += len(block)
        ending = f".{split}.{self.ending}"
        return Table(split, ending, self.media, size, digest.hexdigest(), self.file)

    def close(self) -> None:
        self.file.close()


class _Json(_Writer):
    """One array with a row per line, compressed with gzip."""

    ending, media = "table.json.gz", "application/json"

    def __init__(self, columns: _COLUMNS) -> None:
        super().__init__(columns)
        # As a file of bytes: the library has no types for its writing.
        self._packed: Any = igzip.IGzipFile("", "wb", _LEVEL, self.file, mtime=0)  # type: ignore[no-untyped-call]

    def write(self, row: dict[str, Any]) -> None:
        self._packed.write((b",\n" if self.rows else b"[\n") + orjson.dumps(row))

    def write_end(self) -> None:
        self._packed.write(b"\n]\n")
        self._packed.close()

    def close(self) -> None:
        self._packed.close()
        super().close()


class _Parquet(_Writer):
    """Parquet with a row group for each few thousand rows, or fewer where they are large."""

    ending, media = "parquet", "application/x-parquet"

    def __init__(self, columns: _COLUMNS) -> None:
        super().__init__(columns)
        # Loaded only where a table is written: it is large, and only there with an extra.
        import pyarrow
        from pyarrow import parquet

        self._arrow = pyarrow
        self._schema = pyarrow.schema([(column.name, self._type(column)) for column in columns])
        self._writer = parquet.ParquetWriter(self.file, self._schema, compression="zstd")
        self._held: list[dict[str, Any]] = []
        self._size = 0

    def _type(self, column: Column) -> Any:
        arrow = self._arrow
        if column.parts:
            parts = [(part.name, self._type(part)) for part in column.parts]
            return arrow.list_(arrow.struct(parts))
        type = arrow.string()
        for _ in range(column.lists):
            type = arrow.list_(type)
        return type

    def write(self, row: dict[str, Any]) -> None:
        self._held.append(row)
        self._size += len(orjson.dumps(row))
        if len(self._held) >= _ROWS or self._size >= _BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            self._writer.write_table(self._arrow.Table.from_pylist(self._held, self._schema))
        self._held.clear()
        self._size = 0

    def write_end(self) -> None:
        self._flush()
        self._writer.close()

    def close(self) -> None:
        self._writer.close()
        super().close()
