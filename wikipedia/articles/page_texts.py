"""Articles as paragraphs of plain text, for background work that reads many of them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from wikipedia.articles.stored_articles import kept_page
from wikipedia.html.extract import list_paragraphs
from wikipedia.html.page import PageMissing
from wikipedia.models import Snapshot
from wikipedia.providers import limits
from wikipedia.providers.registry import provider_for

_KEPT: Final = 64


@dataclass(frozen=True)
class PageText:
    """The paragraphs of an article and its source; `path` is the one after redirects.

    `url` is the address on the real Wikipedia, of this revision where it is known.
    """

    title: str
    path: str
    rev_id: int | None
    url: str
    paragraphs: tuple[str, ...]


def page_text(snapshot: Snapshot, title: str) -> PageText:
    """Return the paragraphs of the article with this title.

    Background work: on a live wiki, a page stored here is not requested again, and people who
    are reading go first. Raises `PageMissing` and `ProviderUnavailable`.
    """
    path = "_".join(title.split())
    live = snapshot.kind == Snapshot.Kind.LIVE
    page = kept_page(snapshot, path, because="It is kept here.") if live else None
    if page is None:
        with limits.behind_people():
            page = provider_for(snapshot).load_page(path)
    found = list_paragraphs(page.html, page.title)
    return PageText(page.title, page.path, page.rev_id, page.url, tuple(found))


class PageTexts:
    """Articles of one snapshot as paragraphs; caches the last pages, which questions share."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._kept: OrderedDict[str, PageText | None] = OrderedDict()

    def find_page(self, title: str) -> PageText | None:
        """Return the article with this title, or None if there is none."""
        if title not in self._kept:
            try:
                self._kept[title] = page_text(self._snapshot, title)
            except PageMissing:
                self._kept[title] = None
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(title)
        return self._kept[title]
