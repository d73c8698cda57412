"""Pages of a snapshot as evidence is looked for in them."""

from collections import OrderedDict
from typing import Final

from qampari.making.evidence import ReadPage
from wikipedia.articles.stored_articles import article_of, read_page
from wikipedia.html.page import PageMissing
from wikipedia.models import Snapshot
from wikipedia.providers import limits

_KEPT: Final = 64


class SnapshotPages:
    """Pages of one snapshot by title; keeps the last ones, which triples share.

    Raises ProviderUnavailable where its source does not answer. On a live wiki, people who are
    reading go first.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.snapshot = snapshot.name
        self._kept: OrderedDict[str, ReadPage | None] = OrderedDict()

    def find_page(self, title: str) -> ReadPage | None:
        """Return the page with this title, None where there is none."""
        if title not in self._kept:
            self._kept[title] = self._read(title)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(title)
        return self._kept[title]

    def _read(self, title: str) -> ReadPage | None:
        try:
            with limits.behind_people():
                page = read_page(self._snapshot, "_".join(title.split()))
        except PageMissing:
            return None
        return ReadPage(article_of(page), page.path, page.rev_id, page.url)
