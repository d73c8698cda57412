"""Pages from a ZIM archive, found through our own index."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from django.conf import settings
from django.utils import timezone

from wikipedia.archives.zim import ArchiveError, EntryMissing, RawFile, ZimArchive, open_archive
from wikipedia.html.page import PageMissing, SourcePage
from wikipedia.providers.base import Asset, ProviderUnavailable
from wikipedia.search.index import IndexProblem
from wikipedia.search.results import SearchPage
from wikipedia.search.searching import search_articles

if TYPE_CHECKING:
    from wikipedia.models import Snapshot

_OLDID: Final = re.compile(r"[?&;]oldid=(\d{1,18})")
_LINK: Final = re.compile(r"<a\s[^<>]*>", re.IGNORECASE)
_TITLE: Final = re.compile(r"""\stitle=(["'])([^"'<>]*)\1""", re.IGNORECASE)
_DAY: Final = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_VERSION_OF: Final = re.compile(r"version of the (?:\w+, )?(\w+ \d{1,2}, \d{4})", re.IGNORECASE)
# The archive's maker signs at the end of the page; the article itself may mention revisions too.
_FOOTER_CHARACTERS: Final = 4_000


class ZimProvider:
    """One archive, opened when it is first needed; a failure to open is tried again each time."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._file = Path(snapshot.archive)
        self._index_dir = index_dir(snapshot.name)
        self._name = snapshot.title or snapshot.name
        language = re.sub(r"[^a-z-]", "", snapshot.language.lower()) or "en"
        self._articles_at = snapshot.address or f"https://{language}.wikipedia.org/wiki/"
        self._opened: ZimArchive | None = None

    def search(self, query: str, *, limit: int = 10, offset: int = 0) -> SearchPage:
        try:
            return search_articles(self._index_dir, query, limit, offset)
        except IndexProblem as problem:
            raise ProviderUnavailable(
                f"{self._name} cannot be searched now. Tell the person who runs Ambit: {problem}"
            ) from problem

    def load_page(self, path: str) -> SourcePage:
        """Return an article, following redirects."""
        file = self._read(path, f"{self._name} has no page “{path[:200]}”.")
        if not file.content_type.startswith("text/html"):
            raise PageMissing(f"“{path[:200]}” is a file of {self._name}, not an article.")
        html = file.content.decode("utf-8", "replace")
        revision, edited = _revision(html)
        return SourcePage(
            path=file.path,
            title=file.title,
            html=html,
            redirect_from=file.redirect_from,
            page_id=None,
            rev_id=revision,
            rev_timestamp=edited,
            retrieved_at=timezone.now(),
            url=self._address(file, revision),
            has_article=self._archive().has_article,
        )

    def load_asset(self, path: str) -> Asset:
        """Return a file of the archive that is not an article."""
        missing = f"{self._name} has no file “{path[:200]}”."
        file = self._read(path, missing)
        if file.content_type.startswith("text/html"):
            raise PageMissing(missing)
        return Asset(file.content, file.content_type)

    def list_paths(self, start: str) -> list[str]:
        try:
            return self._archive().list_article_paths(start)
        except ArchiveError as error:
            raise self._unreadable(error) from error

    def _read(self, path: str, missing: str) -> RawFile:
        try:
            return self._archive().read(path)
        except EntryMissing as error:
            raise PageMissing(missing) from error
        except ArchiveError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: ArchiveError) -> ProviderUnavailable:
        return ProviderUnavailable(
            f"{self._name} cannot be read now. Tell the person who runs Ambit: {error}"
        )

    def _archive(self) -> ZimArchive:
        if self._opened is None:
            self._opened = open_archive(self._file)
        return self._opened

    def _address(self, file: RawFile, revision: int | None) -> str:
        title = quote(file.title.replace(" ", "_"), safe="/:(),!*'~@;")
        return f"{self._articles_at}{title}" + (f"?oldid={revision}" if revision else "")


def index_dir(name: str) -> Path:
    """Return the folder of the index of the snapshot or passage corpus `name`."""
    return Path(settings.AMBIT_DATA) / "index" / name


def _revision(html: str) -> tuple[int | None, datetime | None]:
    """Return the revision and its day as noted by the archive's maker at the end of the page.

    The maker's is the last link to a revision; the article's own references may hold others.
    Its title says, in the archive's language, when the page was last edited.
    """
    footer = html[-_FOOTER_CHARACTERS:]
    link, number = "", None
    for found in _LINK.finditer(footer):
        if oldid := _OLDID.search(found[0]):
            link, number = found[0], int(oldid[1])
    title = _TITLE.search(link)
    if title and (day := _DAY.search(title[2])):
        return number, _date(day[0], "%Y-%m-%d")
    version = _VERSION_OF.search(footer)
    return number, _date(version[1], "%B %d, %Y") if version else None


def _date(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(f"{text} +0000", f"{form} %z")
    except ValueError:
        return None
