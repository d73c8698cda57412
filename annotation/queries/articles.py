"""An article of a snapshot, ready to show in somebody's assignment."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from urllib.parse import quote

from django.urls import reverse

from annotation.models import Assignment
from wikipedia.models import Snapshot
from wikipedia.providers import provider_for
from wikipedia.providers.base import SourcePage
from wikipedia.reader import Article, render

_NOBODY = 0  # the assignment in the addresses of an article that is kept for everybody
_SAFE = "/~:@!$&'()*+,;="
KEPT_ARTICLES = 32


@dataclass(frozen=True)
class _Kept:
    """What makes two renderings the same; the page itself is carried along."""

    snapshot: str
    path: str
    html: str
    source: SourcePage = field(compare=False)


def read_article(assignment: Assignment, path: str) -> tuple[SourcePage, Article]:
    """Return the article at `path`, redirects followed, with links into this assignment.

    Raises PageMissing or ProviderUnavailable with a sentence.
    """
    return read_from(assignment.project.snapshot, path, base=_base(assignment.pk))


def read_from(snapshot: Snapshot, path: str, *, base: str) -> tuple[SourcePage, Article]:
    """Return the article at `path`, redirects followed; its links begin with the address `base`.

    Raises PageMissing or ProviderUnavailable with a sentence. A long article takes a tenth of a
    second to make safe, so the last few are kept per process and only their addresses changed.
    """
    source = provider_for(snapshot).page(path)
    article = _rendered(_Kept(snapshot.name, source.path, source.html, source))
    ours = article.html.replace(f'href="{_base(_NOBODY)}', f'href="{base}')
    return source, replace(article, html=ours)


def page_address(assignment_id: int, path: str) -> str:
    """Return where the assignment reads the article at `path`."""
    return _base(assignment_id) + quote(path, safe=_SAFE)


def plain_title(path: str) -> str:
    """Return a path as people read it, for a page whose title is not known."""
    name = path.removeprefix("A/").removesuffix(".html")
    return name.replace("_", " ").strip() or path


@lru_cache(maxsize=KEPT_ARTICLES)
def _rendered(kept: _Kept) -> Article:
    asset = reverse("wikipedia:asset", args=[kept.snapshot, "x"]).removesuffix("x")
    base = _base(_NOBODY)
    return render(
        kept.source,
        page_url=lambda path: base + quote(path, safe=_SAFE),
        asset_url=lambda path: asset + quote(path, safe=_SAFE),
    )


@lru_cache(maxsize=1024)
def _base(assignment_id: int) -> str:
    return reverse("work-read", args=[assignment_id, "x"]).removesuffix("x")
