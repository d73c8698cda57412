"""Pages out of a ZIM archive, found through our own index."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from django.conf import settings
from django.utils import timezone

from wikipedia.archive import ArchiveError, EntryMissing, RawFile, ZimArchive, open_archive
from wikipedia.index import IndexProblem
from wikipedia.providers.base import (
    Asset,
    PageMissing,
    ProviderUnavailable,
    SearchPage,
    SourcePage,
)
from wikipedia.search import search_articles

if TYPE_CHECKING:
    from wikipedia.models import Snapshot

_OLDID: Final = re.compile(r"[?&;]oldid=(\d{1,18})")
_LAST_EDITED: Final = re.compile(r"last edited on (\d{4})-(\d{2})-(\d{2})")
_VERSION_OF: Final = re.compile(r"version of the (?:\w+, )?(\w+) (\d{1,2}), (\d{4})")
_MONTHS: Final = (
    "January February March April May June July August September October November December"
)
# The archive's maker signs at the end of the page; the article itself may talk of revisions too.
_FOOTER_CHARACTERS: Final = 4_000


class ZimProvider:
    """One archive, opened when it is first needed; a failure to open is tried again each time."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._file = Path(snapshot.archive)
        self._index_dir = index_dir(snapshot.name)
        self._name = snapshot.title or snapshot.name
        language = re.sub(r"[^a-z-]", "", snapshot.language.lower()) or "en"
        self._articles_at = snapshot.address or f"https://{language}.wikipedia.org/wiki/"
        self._as_of = datetime.combine(snapshot.as_of, time(), UTC)
        self._opened: ZimArchive | None = None

    def search(self, query: str, *, limit: int = 10, offset: int = 0) -> SearchPage:
        try:
            return search_articles(self._index_dir, query, limit, offset)
        except IndexProblem as problem:
            raise ProviderUnavailable(
                f"{self._name} cannot be searched now. Tell the person who runs Ambit: {problem}"
            ) from problem

    def page(self, path: str) -> SourcePage:
        """An article, redirects followed."""
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
            rev_timestamp=edited or self._as_of,
            retrieved_at=timezone.now(),
            url=self._address(file, revision),
        )

    def asset(self, path: str) -> Asset:
        """A file of the archive that is not an article."""
        missing = f"{self._name} has no file “{path[:200]}”."
        file = self._read(path, missing)
        if file.content_type.startswith("text/html"):
            raise PageMissing(missing)
        return Asset(file.content, file.content_type)

    def _read(self, path: str, missing: str) -> RawFile:
        try:
            if self._opened is None:
                self._opened = open_archive(self._file)
            return self._opened.read(path)
        except EntryMissing as error:
            raise PageMissing(missing) from error
        except ArchiveError as error:
            raise ProviderUnavailable(
                f"{self._name} cannot be read now. Tell the person who runs Ambit: {error}"
            ) from error

    def _address(self, file: RawFile, revision: int | None) -> str:
        title = quote(file.title.replace(" ", "_"), safe="/:(),!*'~@;")
        return f"{self._articles_at}{title}" + (f"?oldid={revision}" if revision else "")


def index_dir(name: str) -> Path:
    """Where the index of the snapshot or passage corpus `name` lives."""
    return Path(settings.AMBIT_DATA) / "index" / name


def _revision(html: str) -> tuple[int | None, datetime | None]:
    """Revision and its day as the archive's maker noted them at the end of the page."""
    footer = html[-_FOOTER_CHARACTERS:]
    oldid = _OLDID.search(footer)
    return (int(oldid[1]) if oldid else None), _edited(footer)


def _edited(footer: str) -> datetime | None:
    try:
        if found := _LAST_EDITED.search(footer):
            return datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC)
        if (found := _VERSION_OF.search(footer)) and found[1] in _MONTHS.split():
            month = _MONTHS.split().index(found[1]) + 1
            return datetime(int(found[3]), month, int(found[2]), tzinfo=UTC)
    except ValueError:
        pass
    return None
