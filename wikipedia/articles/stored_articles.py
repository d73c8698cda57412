"""Articles as they are shown: made safe once, kept compressed, and shown again years later.

The stored HTML is safe and has addresses that belong to no page of ours (`PAGES`, `FILES`), so that
its hash is the same for everyone and it outlives our own addresses; `fill_in_addresses` puts real
ones in. Pages of archives are stored as well: what people saw also depends on the version of this
program, and the file may be gone by the time someone asks.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from django.db.models import QuerySet

from wikipedia.articles.article import Article
from wikipedia.html.page import SourcePage
from wikipedia.models import ShownPage, Snapshot
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.providers.limits import in_background, not_waiting_long
from wikipedia.providers.registry import provider_for

PAGES: Final = "/-/page/"
FILES: Final = "/-/file/"
SAFE_IN_PATHS: Final = "/~:@!$&'()*+,;="
KEPT_ARTICLES: Final = 32
_LEVEL: Final = 6
_LINK: Final = re.compile(rf' href="{re.escape(PAGES)}[^"]*"')


class DamagedPage(Exception):
    """A stored page does not match its hash. The message is a sentence for the user."""


@dataclass(frozen=True)
class _Key:
    """The cache key of a rendering; the page itself is carried along."""

    path: str
    title: str
    html: str
    hosts: tuple[str, ...]
    stored: bool
    source: SourcePage = field(compare=False)


def article_of(page: SourcePage) -> Article:
    """Return the article of a source page, with its links and pictures at `PAGES` and `FILES`.

    Making a long one safe takes a tenth of a second, so the last few are cached per process.
    """
    return _made(_key(page))[0]


def html_sha256(page: SourcePage) -> str:
    """Return the hash of the HTML of `article_of(page)`."""
    return _made(_key(page))[1]


def fill_in_addresses(html: str, *, pages: str, files: str) -> str:
    """Return stored HTML with its links below `pages` and its pictures below `files`."""
    return html.replace(f'href="{PAGES}', f'href="{pages}').replace(
        f'src="{FILES}', f'src="{files}'
    )


def remove_wiki_links(html: str, *, files: str) -> str:
    """Return stored HTML for reading outside of a person's work: its wiki links lead nowhere."""
    return fill_in_addresses(_LINK.sub("", html), pages=PAGES, files=files)


def compress_html(html: str) -> bytes:
    """Return HTML as it is stored: zlib of UTF-8."""
    return zlib.compress(html.encode("utf-8"), _LEVEL)


def html_of(kept: ShownPage) -> str:
    """Return the HTML as it was shown. Raises `DamagedPage` if it is missing or different."""
    if kept.html is None:
        raise DamagedPage(
            f"Of “{kept.title}” only the text was kept, by a version of Ambit before this one."
        )
    try:
        html = zlib.decompress(kept.html).decode("utf-8")
    except (zlib.error, UnicodeDecodeError) as error:
        raise DamagedPage(_damaged(kept)) from error
    if _digest(html) != kept.html_sha256:
        raise DamagedPage(_damaged(kept))
    return html


def read_page(snapshot: Snapshot, path: str) -> SourcePage:
    """Return the page at `path`, or as it was last shown here if its source cannot answer now.

    Raises `PageMissing`, and `ProviderUnavailable` for a page that no one has opened here before.
    """
    # No one should look at an empty panel for half a minute while the page is stored here.
    live = snapshot.kind == Snapshot.Kind.LIVE
    kept_here = live and not in_background() and _kept(snapshot, path).exists()
    try:
        with not_waiting_long() if kept_here else nullcontext():
            return provider_for(snapshot).load_page(path)
    except ProviderUnavailable as problem:
        kept = kept_page(snapshot, path, because=str(problem))
        if kept is None:
            raise
        return kept


def kept_page(snapshot: Snapshot, path: str, *, because: str) -> SourcePage | None:
    """Return the page as last shown here, or None. `because` says why it is not read again."""
    for kept in _kept(snapshot, path).order_by("-id")[:3]:
        try:
            html = html_of(kept)
        except DamagedPage:
            continue
        return source_of(kept, html, because=because)
    return None


def _kept(snapshot: Snapshot, path: str) -> QuerySet[ShownPage]:
    """Return the pages stored for this path; MediaWiki capitalises its first letter."""
    name = "_".join(path.split())
    paths = {path, name, name[:1].upper() + name[1:]}
    return ShownPage.objects.filter(snapshot=snapshot, path__in=paths, html__isnull=False)


def source_of(kept: ShownPage, html: str, *, because: str) -> SourcePage:
    """Return a stored page in the form that providers give."""
    return SourcePage(
        path=kept.path,
        title=kept.title,
        html=html,
        redirect_from=None,
        page_id=kept.page_id,
        rev_id=kept.rev_id,
        rev_timestamp=kept.rev_timestamp,
        retrieved_at=kept.retrieved_at,
        url=kept.url,
        stored_because=because,
    )


def _key(page: SourcePage) -> _Key:
    return _Key(page.path, page.title, page.html, page.hosts, bool(page.stored_because), page)


@lru_cache(maxsize=KEPT_ARTICLES)
def _made(key: _Key) -> tuple[Article, str]:
    # The parser is loaded where an article is made; commands that make none start without it.
    from wikipedia.articles.reader import read_again, render_article

    if key.stored:
        article = read_again(key.title, key.html)
    else:
        article = render_article(
            key.source,
            page_url=lambda path: PAGES + quote(path, safe=SAFE_IN_PATHS),
            asset_url=lambda path: FILES + quote(path, safe=SAFE_IN_PATHS),
        )
    return article, _digest(article.html)


def _digest(html: str) -> str:
    return hashlib.sha256(html.encode("utf-8")).hexdigest()


def _damaged(kept: ShownPage) -> str:
    return (
        f"What was kept of “{kept.title}” is not what its hash says. "
        "Tell the person who runs Ambit: the database may be damaged."
    )
