"""Read MediaWiki's XML dumps page by page: plain, gzip or bzip2, one stream or many.

The reader is expat with nothing but this file's handlers: it builds no tree, resolves no entity
but XML's own five, and refuses a document type, which dumps never have. Memory is bounded by one
page. Nothing here knows Django.
"""

from __future__ import annotations

import bz2
import glob
import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, cast
from xml.parsers import expat

from wikipedia.search.index import IndexProblem

CHUNK_BYTES: Final = 1 << 20
# MediaWiki refuses pages over 2 MB. Pages above this are left out and counted.
MAX_PAGE_CHARACTERS: Final = 10_000_000
_MAX_TITLE: Final = 1_000
_MAX_DEPTH: Final = 16
# Expat keeps an unfinished tag in memory; no tag of a dump has a thousandth of this.
_MAX_TAG_BYTES: Final = 32 << 20
_KEPT: Final = frozenset(
    [("page", "title"), ("page", "ns"), ("page", "id"), ("revision", "timestamp"),
     ("revision", "model"), ("revision", "text"), ("namespaces", "namespace")]
)  # fmt: skip
_REDIRECT: Final = re.compile(r"\s*#[^\s\[\]:]{1,40}\s*:?\s*\[\[([^\]|#\n]{1,255})")


_CANONICAL: Final[dict[str, int]] = {
    "talk": 1, "user": 2, "user talk": 3, "wikipedia": 4, "project": 4, "file": 6, "image": 6,
    "media": -2, "special": -1, "mediawiki": 8, "template": 10, "help": 12, "category": 14,
    "portal": 100, "module": 828,
}  # fmt: skip


@dataclass
class DumpPage:
    """One page with its newest text in the file. `namespace` 0 is articles."""

    id: str = ""
    title: str = ""
    namespace: int = 0
    redirect: str | None = None
    model: str = "wikitext"
    timestamp: str = ""
    text: str = ""


@dataclass
class Site:
    """What the dump says about its wiki: language, and names of namespaces in lower case."""

    language: str = ""
    namespaces: dict[str, int] = field(default_factory=lambda: dict(_CANONICAL))

    def namespace_names(self, *numbers: int) -> frozenset[str]:
        return frozenset(name for name, number in self.namespaces.items() if number in numbers)

    def namespace_of(self, title: str) -> int:
        """Return the namespace from the title's prefix, for dumps from before 2012."""
        prefix, colon, _ = title.partition(":")
        return self.namespaces.get(_key(prefix), 0) if colon else 0


class DumpReader:
    """The pages of one file, in its order. `bytes_read` counts bytes of the file, as packed.

    `pages` is the number found so far; some of them may not have been yielded yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.site = Site()
        self.pages = 0
        self.left_out = 0
        self._raw: IO[bytes] | None = None

    @property
    def bytes_read(self) -> int:
        return self._raw.tell() if self._raw is not None and not self._raw.closed else 0

    def __iter__(self) -> Iterator[DumpPage]:
        parser = _Parser(self)
        try:
            with self.path.open("rb") as self._raw, _unpacked(self._raw) as stream:
                while data := stream.read(CHUNK_BYTES):
                    yield from parser.feed(data)
            yield from parser.close()
        except FileNotFoundError as error:
            raise IndexProblem(f"There is no file {self.path}. Check the path.") from error
        except EOFError as error:
            raise IndexProblem(self._cut_short()) from error
        except expat.ExpatError as error:
            raise IndexProblem(self._broken(parser, error)) from error
        except (OSError, zlib.error) as error:
            raise IndexProblem(
                f"{self.path.name} cannot be read after page {self.pages:,}: {error}. "
                "Compare its checksum with the download page."
            ) from error

    def _cut_short(self) -> str:
        return (
            f"{self.path.name} ends in the middle, after page {self.pages:,} "
            f"(byte {self.path.stat().st_size:,}): the download was cut short. Finish it, and "
            "run the command again."
        )

    def _broken(self, parser: _Parser, error: expat.ExpatError) -> str:
        if error.code in (3, 5) and parser.closing:  # no element found, unclosed token
            return self._cut_short() if parser.fed else f"{self.path.name} is empty."
        return (
            f"{self.path.name} is not valid XML after page {self.pages:,} (line {error.lineno:,}, "
            f"byte {parser.byte:,} of the text): {expat.ErrorString(error.code)}. Compare its "
            "checksum with the download page."
        )


class _Parser:
    """Turns expat's events into pages."""

    def __init__(self, reader: DumpReader) -> None:
        self._reader = reader
        self._site = reader.site
        self._path: list[str] = []
        self._ready: list[DumpPage] = []
        self._page = DumpPage()
        self._revision = DumpPage()
        self._has_namespace = False
        self._parts: list[str] | None = None
        self._length = 0
        self._namespace_key = 0
        self.fed = 0
        self.closing = False
        expat_parser = expat.ParserCreate()
        expat_parser.buffer_text = True
        expat_parser.buffer_size = 1 << 16
        expat_parser.StartElementHandler = self._start
        expat_parser.EndElementHandler = self._end
        expat_parser.CharacterDataHandler = self._characters
        expat_parser.StartDoctypeDeclHandler = self._doctype
        self._expat = expat_parser

    @property
    def byte(self) -> int:
        return self._expat.ErrorByteIndex

    def feed(self, data: bytes) -> list[DumpPage]:
        self.fed += len(data)
        self._expat.Parse(data, False)
        if self.fed - max(self._expat.CurrentByteIndex, 0) > _MAX_TAG_BYTES:
            raise IndexProblem(
                f"{self._reader.path.name}: after page {self._reader.pages:,} a tag does not end. "
                "This is not a MediaWiki export."
            )
        return self._taken()

    def close(self) -> list[DumpPage]:
        self.closing = True
        self._expat.Parse(b"", True)
        return self._taken()

    def _taken(self) -> list[DumpPage]:
        ready, self._ready = self._ready, []
        return ready

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        path = self._path
        if not path:
            self._root(name, attributes)
        parent = path[-1] if path else ""
        path.append(name)
        if len(path) > _MAX_DEPTH:
            raise IndexProblem(
                f"{self._reader.path.name}: after page {self._reader.pages:,} tags nest deeper "
                "than in any MediaWiki export."
            )
        if name == "page":
            self._page, self._has_namespace = DumpPage(), False
        elif name == "revision":
            self._revision = DumpPage()
        elif name == "redirect" and parent == "page":
            self._page.redirect = attributes.get("title", "")
        elif name == "namespace":
            key = attributes.get("key", "0")
            self._namespace_key = int(key) if re.fullmatch(r"-?\d{1,6}", key) else 0
        if (parent, name) in _KEPT:
            self._parts, self._length = [], 0

    def _root(self, name: str, attributes: dict[str, str]) -> None:
        if name != "mediawiki":
            raise IndexProblem(
                f"{self._reader.path.name} is not a MediaWiki export: it begins with "
                f"<{name[:40]}>, "
                "not with <mediawiki>."
            )
        self._site.language = attributes.get("xml:lang", "")

    def _characters(self, data: str) -> None:
        if self._parts is not None:
            self._length += len(data)
            if self._length <= MAX_PAGE_CHARACTERS:
                self._parts.append(data)

    def _end(self, name: str) -> None:
        self._path.pop()
        if self._parts is not None:
            self._value(name, "".join(self._parts))
            self._parts = None
        if name == "revision":
            # Files with history: the newest text counts, wherever it is.
            newest = self._revision
            if newest.timestamp >= self._page.timestamp:
                self._page.timestamp = newest.timestamp
                self._page.text, self._page.model = newest.text, newest.model
        elif name == "page":
            self._finish()

    def _value(self, name: str, text: str) -> None:
        if name == "title":
            self._page.title = " ".join(text[: _MAX_TITLE + 1].split())
        elif name == "id":
            self._page.id = text.strip()[:20]
        elif name == "ns":
            self._has_namespace = True
            self._page.namespace = int(text) if re.fullmatch(r"-?\d{1,6}", text) else -1
        elif name == "namespace" and text:
            self._site.namespaces[_key(text)] = self._namespace_key
        elif name == "timestamp":
            self._revision.timestamp = text.strip()
        elif name == "model":
            self._revision.model = text.strip()
        elif name == "text":
            self._revision.text = text if self._length <= MAX_PAGE_CHARACTERS else ""
            self._reader.left_out += self._length > MAX_PAGE_CHARACTERS

    def _finish(self) -> None:
        page = self._page
        if not self._has_namespace:
            page.namespace = self._site.namespace_of(page.title)
        if page.redirect is None and page.text[:400].lstrip().startswith("#"):
            found = _REDIRECT.match(page.text[:1_000])
            if found is not None:
                page.redirect = " ".join(found[1].replace("_", " ").split())
        self._page = DumpPage()
        self._reader.pages += 1
        self._ready.append(page)

    def _doctype(self, *about: object) -> None:
        raise IndexProblem(
            f"{self._reader.path.name} declares a document type, which no MediaWiki export does. "
            "It is not read."
        )


def dump_files(patterns: Sequence[str]) -> list[Path]:
    """Return the files for paths and quoted patterns (`*.xml*.bz2`); parts in their own order."""
    files: list[Path] = []
    for pattern in patterns:
        path = Path(pattern)
        if path.exists() or not glob.has_magic(pattern):
            files.append(path)
            continue
        found = sorted(map(Path, glob.glob(pattern)), key=_part_order)
        if not found:
            raise IndexProblem(f"No file matches “{pattern}”. Check the path.")
        files.extend(found)
    names = [path.resolve() for path in files]
    if len(set(names)) < len(names):
        raise IndexProblem("A file is named twice. Name each part of the dump once.")
    return files


def read_site(path: Path) -> Site:
    """Return what the head of a dump says about its wiki."""
    reader = DumpReader(path)
    for _ in reader:
        break
    return reader.site


def _part_order(path: Path) -> list[tuple[int, str]]:
    """Return a key that sorts names by the numbers in them: part 2 before part 10."""
    return [
        (int(piece), "") if piece.isdecimal() else (-1, piece)
        for piece in re.split(r"(\d+)", path.name)
    ]


def _unpacked(raw: IO[bytes]) -> IO[bytes]:
    head = raw.read(3)
    raw.seek(0)
    if head == b"BZh":
        return cast(IO[bytes], bz2.BZ2File(raw))
    if head[:2] == b"\x1f\x8b":
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    return raw


def _key(namespace: str) -> str:
    return namespace.strip().replace("_", " ").lower()
