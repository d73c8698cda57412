"""Read a ZIM archive: entries in a stable order, redirects, metadata, pictures.

Two layouts are in use. Archives up to about 2020 sort entries into namespaces (`A/Title.html`,
`I/picture.jpg`, `-/style.css`) and list them all together; newer ones have plain paths and keep
metadata apart. libzim shows both through one interface, and the differences are handled here.
Nothing here knows Django; libzim itself is loaded when the first archive is opened.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from libzim.reader import Archive, Entry

# Raised by libzim on damage, depending on where it is: names that are not UTF-8, places outside of
# the file, impossible sizes.
_DAMAGE: Final = (RuntimeError, ValueError, LookupError, ArithmeticError, OSError, MemoryError)
# libzim checks the checksum by reading the whole file: instant for a demo, minutes for all of
# Wikipedia. Above this size the cheap structural checks that opening does must be enough.
CHECKSUM_LIMIT_BYTES: Final = 256 * 1024 * 1024
NOT_INSTALLED: Final = (
    "The library that reads ZIM archives is not installed. Install the extra “zim”: "
    "pip install -r requirements.txt does so."
)
MAX_REDIRECTS: Final = 8
MAX_PATH_BYTES: Final = 1_000  # the longest title of a wiki has 255; an index row takes 2,700
MAX_TITLE: Final = 500
_MAGIC: Final = b"ZIM\x04"
# Control characters and halves of characters. Joiners (Persian titles have them) are fine.
_UNUSABLE: Final = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


class ArchiveError(Exception):
    """The archive cannot be used. The message is a sentence that says what to do."""


class EntryMissing(Exception):
    """The archive holds no such entry."""


@dataclass(frozen=True)
class Metadata:
    """The archive's own description. `date` is the day of the snapshot, if the archive has it."""

    title: str
    description: str
    language: str
    date: datetime | None
    creator: str
    publisher: str
    licence: str
    uuid: str


@dataclass(frozen=True)
class RawArticle:
    """One article with its HTML as stored. `position` is its place in the archive's order."""

    position: int
    path: str
    title: str
    html: str


@dataclass(frozen=True)
class Redirect:
    """Another name of an article."""

    position: int
    title: str
    target: str


@dataclass(frozen=True)
class RawFile:
    """The bytes of any entry."""

    path: str
    title: str
    content: bytes
    content_type: str
    redirect_from: str | None


class ZimArchive:
    """An opened archive. Reading is safe from several threads (libzim's promise)."""

    def __init__(self, path: Path, archive: Archive) -> None:
        self.path = path
        self._archive = archive
        self.namespaces = not archive.has_new_namespace_scheme

    @property
    def entry_count(self) -> int:
        """Return the number of entries of every kind."""
        return int(self._archive.all_entry_count if self.namespaces else self._archive.entry_count)

    @property
    def article_count(self) -> int:
        """Return how many articles the archive claims to hold (without redirects)."""
        return int(self._archive.article_count)

    def read_metadata(self) -> Metadata:
        """Return the archive's own description, with empty strings for missing values."""
        with self._damage_said():
            return self._all_metadata()

    def _all_metadata(self) -> Metadata:
        return Metadata(
            title=self._metadata("Title"),
            description=self._metadata("Description"),
            language=self._metadata("Language"),
            date=_day(self._metadata("Date")),
            creator=self._metadata("Creator"),
            publisher=self._metadata("Publisher"),
            licence=self._metadata("License"),
            uuid=str(self._archive.uuid),
        )

    def iterate_articles(self, start: int = 0) -> Iterator[RawArticle]:
        """Yield articles from entry `start` on, in an order that never changes for one file."""
        for position in range(start, self.entry_count):
            with self._damage_said(position):
                article = self._article(position)
            if article is not None:
                yield article

    def iterate_redirects(self) -> Iterator[Redirect]:
        """Yield every other name of an article, with the path that it finally leads to."""
        for position in range(self.entry_count):
            with self._damage_said(position):
                redirect = self._redirect(position)
            if redirect is not None:
                yield redirect

    def list_article_paths(self, start: str) -> list[str]:
        """Return the paths of the articles whose name begins so, in order, without redirects.

        Entries are sorted by path, so that it takes as long for an archive of millions.
        """
        wanted = {start.replace(" ", "_"), start.replace("_", " ")}
        found: set[str] = set()
        with self._damage_said():
            for each in wanted:
                found.update(self._list_paths(f"A/{each}" if self.namespaces else each))
        return sorted(found)

    def _list_paths(self, start: str) -> Iterator[str]:
        places = range(self.entry_count)
        first = bisect_left(places, start.encode(), key=lambda place: self._path(place).encode())
        for place in places[first:]:
            if not self._path(place).startswith(start):
                return
            article = self._archive._get_entry_by_id(place)
            if article.is_redirect or _unusable(article.path):
                continue
            if _is_html(article.get_item().mimetype):
                yield article.path

    def _path(self, position: int) -> str:
        return str(self._archive._get_entry_by_id(position).path)

    def has_article(self, path: str) -> bool:
        """Whether there is an article at `path`, which may look like the path of a file."""
        try:
            return _is_html(self.read(path).content_type)
        except (EntryMissing, ArchiveError):
            return False

    def read(self, path: str) -> RawFile:
        """The entry at `path`, redirects followed; also finds titles and the older spellings.

        Raises `EntryMissing` if there is none.
        """
        if _unusable(path):
            raise EntryMissing(path)
        with self._damage_said():
            return self._read(path)

    def _read(self, path: str) -> RawFile:
        for candidate in self._spellings(path):
            if self._archive.has_entry_by_path(candidate):
                entry = self._archive.get_entry_by_path(candidate)
                break
        else:
            title = path.replace("_", " ")
            if not path or not self._archive.has_entry_by_title(title):
                raise EntryMissing(path)
            entry = self._archive.get_entry_by_title(title)
        target = _follow(entry)
        if target is None or _unusable(target.path):
            raise EntryMissing(path)
        item = target.get_item()
        return RawFile(
            path=target.path,
            title=_title(target),
            content=bytes(item.content),
            content_type=item.mimetype,
            redirect_from=entry.path if entry.path != target.path else None,
        )

    def _article(self, position: int) -> RawArticle | None:
        entry = self._archive._get_entry_by_id(position)
        if entry.is_redirect or not self._in_article_namespace(entry.path):
            return None
        if _unusable(entry.path):
            return None
        item = entry.get_item()
        if not _is_html(item.mimetype):
            return None
        html = bytes(item.content).decode("utf-8", "replace")
        return RawArticle(position, entry.path, _title(entry), html)

    def _redirect(self, position: int) -> Redirect | None:
        entry = self._archive._get_entry_by_id(position)
        if not entry.is_redirect or not self._in_article_namespace(entry.path):
            return None
        target = _follow(entry)
        if target is None or target.path == entry.path:
            return None
        return Redirect(position, _title(entry), target.path)

    @contextmanager
    def _damage_said(self, position: int | None = None) -> Iterator[None]:
        """Say that the file is damaged; only in small ones is the checksum tested beforehand."""
        try:
            yield
        except _DAMAGE as error:
            where = "" if position is None else f" at entry {position}"
            raise ArchiveError(
                f"{self.path.name} is damaged{where}: {_reason(error)}. "
                "Download the file again and compare its checksum."
            ) from error

    def _in_article_namespace(self, path: str) -> bool:
        return not self.namespaces or path.startswith("A/")

    def _spellings(self, path: str) -> tuple[str, ...]:
        plain = path.replace(" ", "_")
        if not self.namespaces:
            return (path, plain)
        return (path, f"A/{plain}", f"A/{plain}.html")

    def _metadata(self, key: str) -> str:
        if key not in self._archive.metadata_keys:
            return ""
        return bytes(self._archive.get_metadata(key)).decode("utf-8", "replace").strip()


def open_archive(path: Path | str) -> ZimArchive:
    """Open a ZIM file, or raise `ArchiveError` with a sentence about what is wrong with it."""
    # Under the GPL, and not needed for live wikis: it is loaded only to read an archive.
    try:
        from libzim.reader import Archive
    except ModuleNotFoundError as error:
        raise ArchiveError(NOT_INSTALLED) from error

    path = Path(path)
    _check_file(path)
    try:
        archive = Archive(path)
        intact = path.stat().st_size > CHECKSUM_LIMIT_BYTES or archive.check()
    except _DAMAGE as error:
        raise ArchiveError(
            f"{path.name} cannot be opened as a ZIM archive: {_reason(error)}. It may be "
            "cut short: compare its size with the download page, and download it again."
        ) from error
    if not intact:
        raise ArchiveError(
            f"{path.name} is damaged: its checksum does not match its content. "
            "Download the file again."
        )
    opened = ZimArchive(path, archive)
    if opened.entry_count == 0:
        raise ArchiveError(f"{path.name} holds no entries. Choose an archive with articles.")
    return opened


def _check_file(path: Path) -> None:
    """Raise plain sentences for problems that libzim reports as numbers."""
    try:
        if path.is_dir():
            raise ArchiveError(f"{path} is a folder. Name the .zim file inside it.")
        with path.open("rb") as file:
            head = file.read(len(_MAGIC))
    except FileNotFoundError as error:
        raise ArchiveError(f"There is no file {path}. Check the path.") from error
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror or error}.") from error
    if not head:
        raise ArchiveError(f"{path.name} is empty. Download the file again.")
    if head != _MAGIC:
        raise ArchiveError(
            f"{path.name} is not a ZIM archive: it does not begin as one. "
            "Ambit reads the .zim files that Kiwix publishes."
        )


def _reason(error: BaseException) -> str:
    """Return libzim's message on one line, without bytes of a damaged file that cannot be shown."""
    return " ".join(_UNUSABLE.sub(" ", str(error)).split()).rstrip(".")[:300]


def _follow(entry: Entry) -> Entry | None:
    """Return the article at the end of a chain of redirects, or None for a loop."""
    for _ in range(MAX_REDIRECTS):
        if not entry.is_redirect:
            return entry
        entry = entry.get_redirect_entry()
    return None


def _unusable(path: str) -> bool:
    """Whether libzim cannot handle the path or we could not store it; no page has such a path."""
    return bool(_UNUSABLE.search(path)) or len(path.encode()) > MAX_PATH_BYTES


def _title(entry: Entry) -> str:
    """Return the entry's title on one line, or its path if the title cannot be read."""
    title = " ".join(_UNUSABLE.sub(" ", entry.title).split())
    return title[:MAX_TITLE] or entry.path


def _is_html(mimetype: str) -> bool:
    return mimetype.split(";")[0].strip().lower() == "text/html"


def _day(text: str) -> datetime | None:
    match = re.match(r"(\d{4})-(\d{2})-(\d{2})", text)
    if not match:
        return None
    try:
        year, month, day = (int(part) for part in match.groups())
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None
