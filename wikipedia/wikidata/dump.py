"""Wikidata's JSON dump as blocks of lines: plain, gzip or bzip2, one file or several.

The text is unpacked in pieces, so that memory is bounded by the longest line, and what comes before
the place at which a file was cut short is still read. Nothing here knows Django.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from wikipedia.corpora.pool import in_order, keep_freed_memory
from wikipedia.wikidata.entities import Selection
from wikipedia.wikidata.extracts import BOM, DumpProblem, Extract, LineBlock, Place, read_block
from wikipedia.wikidata.unpacking import Damaged, unpack_file

# MediaWiki refuses pages over 2 MB, of which the JSON of a dump is several times as long.
MAX_LINE_BYTES: Final = 32 << 20
_SAMPLE_BYTES: Final = 1 << 20
_TAIL_BYTES: Final = 4096
_BLANK: Final = b" \t\r\n"


class DumpSource:
    """The files of a dump, in the order given, and what is kept of them.

    Raises DumpProblem, here and while it is read.
    """

    def __init__(self, paths: Sequence[Path], selection: Selection, *, processes: int = 0) -> None:
        self.paths = list(paths)
        self.selection = selection
        self._processes = processes
        self._raw: IO[bytes] | None = None
        self._before = 0
        names = [path.resolve() for path in self.paths]
        if len(set(names)) < len(names):
            raise DumpProblem("A file is named twice. Name each part of the dump once.")
        self._sizes = [_look_at(path) for path in self.paths]

    @property
    def recipe(self) -> dict[str, Any]:
        """What has to be the same for a build to be continued."""
        files = [
            {"name": path.name, "bytes": size, "sha256": _sample(path, size)}
            for path, size in zip(self.paths, self._sizes, strict=True)
        ]
        return {
            "files": files,
            "language": self.selection.language,
            "kept": sorted(self.selection.properties),
            "articles_only": self.selection.articles_only,
        }

    @property
    def total(self) -> int:
        """Bytes of all files, as packed."""
        return sum(self._sizes)

    @property
    def done(self) -> int:
        """Bytes that were read, as packed."""
        raw = self._raw
        return self._before + (raw.tell() if raw is not None and not raw.closed else 0)

    def name_place(self, file: int, line: int) -> str:
        """Return how a line is called in sentences."""
        return f"{self.paths[file].name}, line {line:,}"

    def read(self, start: Place) -> Iterator[Extract]:
        """Give what is kept of each block from a place on."""
        keep_freed_memory()
        yield from in_order(
            partial(read_block, self.selection),
            self._blocks(start),
            processes=self._processes,
            weight=lambda block: len(block.lines),
        )

    def _blocks(self, start: Place) -> Iterator[LineBlock]:
        for number in range(start.file, len(self.paths)):
            self._before = sum(self._sizes[:number])
            place = start if number == start.file else Place(number)
            try:
                with self.paths[number].open("rb") as self._raw:
                    yield from _read_lines(self.paths[number], self._raw, place)
            except FileNotFoundError as error:
                raise DumpProblem(f"There is no file {self.paths[number]}.") from error


def _look_at(path: Path) -> int:
    """Return the bytes of a file that may be a dump."""
    if not path.is_file():
        raise DumpProblem(f"There is no file {path}. Check the path.")
    return path.stat().st_size


def _sample(path: Path, size: int) -> str:
    """Return a hash of the first and the last megabyte."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        found.update(file.read(_SAMPLE_BYTES))
        file.seek(max(0, size - _SAMPLE_BYTES))
        found.update(file.read(_SAMPLE_BYTES))
    return found.hexdigest()


def _read_lines(path: Path, raw: IO[bytes], start: Place) -> Iterator[LineBlock]:
    """Give the lines of a file from a place on, about a megabyte at a time."""
    reading = _Lines(path, start)
    try:
        for data in unpack_file(raw):
            yield from reading.take(data)
    except EOFError as error:
        raise DumpProblem(reading.say_cut_short()) from error
    except (OSError, Damaged) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # a fault of the disk, not of the file
        raise DumpProblem(
            f"{path.name}, line {reading.line + 1:,}: the packed data are damaged ({error}). "
            "Compare the file's checksum with the download page."
        ) from error
    yield from reading.end()


class _Lines:
    """Cuts pieces of one file's text into blocks of whole lines, and knows where it is."""

    def __init__(self, path: Path, start: Place) -> None:
        self.path = path
        self.line = start.line
        self._file, self._byte, self._closed = start.file, start.byte, start.closed
        self._to_skip = start.byte
        self._head = b""
        self._listed: bool | None = None  # whether the file is one list; None until it is known
        self._rest = b""
        self._skipping = False

    def take(self, data: bytes) -> Iterator[LineBlock]:
        """Give the blocks that end in this piece of text."""
        if self._listed is None:
            self._head += data[:4096]
            self._look_at_head(at_end=False)
        if self._to_skip:
            passed = min(self._to_skip, len(data))
            self._to_skip -= passed
            data = data[passed:]
        if self._skipping and (first := data.find(b"\n") + 1):
            yield self._block(data[:first], too_long=True)
            self._skipping = False
            data = data[first:]
        if cut := data.rfind(b"\n") + 1:
            yield self._block(b"".join((self._rest, memoryview(data)[:cut])))
            self._rest = data[cut:]
        else:
            self._rest += data
        if self._skipping or len(self._rest) > MAX_LINE_BYTES:
            self._skipping = True
            self._pass(self._rest)
            self._rest = b""

    def end(self) -> Iterator[LineBlock]:
        """Give the last line, if it has no end. Raises DumpProblem where the file is not whole."""
        self._look_at_head(at_end=True)
        if self._listed and not (self._closed or self._rest.rstrip(_BLANK).endswith(b"]")):
            raise DumpProblem(self.say_cut_short())
        if self._rest or self._skipping:
            yield self._block(self._rest, too_long=self._skipping)

    def say_cut_short(self) -> str:
        """Say that the file is not whole."""
        missing = "the list is not closed with ]"
        if self._rest:
            missing = "a line does not end"
        elif self._closed:
            missing = "the packed data do not end"
        return (
            f"{self.path.name} is cut short: after line {self.line:,} {missing}. Download the "
            "rest. If you cut the file on purpose, end it with a whole line and a line of ]."
        )

    def _block(self, lines: bytes, *, too_long: bool = False) -> LineBlock:
        first = self.line + 1
        self.line += _count_lines(lines)
        self._pass(lines)
        after = Place(self._file, self._byte, self.line, self._closed)
        if too_long:
            return LineBlock(b"", after, first, f"it is longer than {MAX_LINE_BYTES >> 20} MB")
        return LineBlock(lines, after, first)

    def _pass(self, text: bytes) -> None:
        self._byte += len(text)
        if last := text[-_TAIL_BYTES:].rstrip(_BLANK)[-1:]:
            self._closed = last == b"]"

    def _look_at_head(self, *, at_end: bool) -> None:
        """Refuse what begins as no dump does."""
        if self._listed is not None:
            return
        head = self._head.removeprefix(BOM).lstrip(_BLANK)
        if not head:
            if at_end:
                raise DumpProblem(f"{self.path.name}, line 1: the file is empty.")
            return
        if head[:1] not in (b"[", b"{"):
            shown = head[:30].decode("utf-8", "replace").split("\n")[0].strip()
            raise DumpProblem(
                f"{self.path.name}, line 1: this is not a JSON dump of Wikidata, since it begins "
                f"with “{shown}”. {_hint(head)}"
            )
        if head.startswith(b"{") and b'"head"' in head[:40]:
            raise DumpProblem(
                f"{self.path.name}, line 1: this is the result of a query. Give it with --sparql."
            )
        self._listed = head.startswith(b"[")


def _count_lines(text: bytes) -> int:
    """Return how many lines there are; bytes.count is slower where lines are long."""
    number, at = 0, text.find(b"\n")
    while at >= 0:
        number, at = number + 1, text.find(b"\n", at + 1)
    return number + (not text.endswith(b"\n"))


def _hint(head: bytes) -> str:
    if head.startswith((b"<mediawiki", b"<?xml")):
        return "The articles of a Wikipedia are read by index_passages."
    return "Take the file that is called latest-all.json.gz, or lines of it."
