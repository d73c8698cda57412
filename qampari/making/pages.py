"""Pages of a snapshot as evidence is looked for in them."""

from collections import OrderedDict
from typing import Final

from qampari.making.choices import BadChoice
from qampari.making.evidence import ReadPage
from wikipedia.articles.stored_articles import article_of, read_page
from wikipedia.html.page import PageMissing
from wikipedia.models import Snapshot
from wikipedia.providers import limits
from wikipedia.providers.base import ListsTitles
from wikipedia.providers.registry import provider_for

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

    def list_paths(self, start: str) -> list[str]:
        """Return the paths of the articles whose title begins so. Raises BadChoice."""
        check_tables_can_be_read(self._snapshot)
        source = provider_for(self._snapshot)
        if not isinstance(source, ListsTitles):
            raise BadChoice(
                f"{self._snapshot.title} cannot say which pages it has, so that no list is found. "
                "Make questions without tables."
            )
        with limits.behind_people():
            return source.list_paths(start)

    def _read(self, title: str) -> ReadPage | None:
        try:
            with limits.behind_people():
                page = read_page(self._snapshot, "_".join(title.split()))
        except PageMissing:
            return None
        return ReadPage(article_of(page), page.path, page.rev_id, page.url)


def check_tables_can_be_read(snapshot: Snapshot) -> None:
    """Raise BadChoice for a Wikipedia whose lists have no English titles."""
    if snapshot.language.split("-")[0].lower() not in ("en", "eng", "simple"):
        raise BadChoice(
            f"Questions are made from tables of an English Wikipedia alone, and {snapshot.title} "
            f"is in the language “{snapshot.language}”. Make questions without tables."
        )
