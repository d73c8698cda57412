"""An article of a snapshot, ready to be shown in an assignment."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from django.urls import reverse

from annotation.core.models.work import Assignment, Event
from wikipedia.articles import stored_articles
from wikipedia.articles.article import Article
from wikipedia.html.page import PageMissing, SourcePage
from wikipedia.models import Snapshot
from wikipedia.providers.base import ProviderUnavailable


def read_article(assignment: Assignment, path: str) -> tuple[SourcePage, Article]:
    """Return the article at `path`, redirects followed, with links into this assignment.

    When Wikipedia does not answer, this is the article as it was shown here before; the source
    page then says why. Raises PageMissing or ProviderUnavailable with a sentence.
    """
    snapshot: Snapshot = assignment.project.snapshot
    source = _source(assignment, snapshot, path)
    return source, _addressed(source, snapshot, base=articles_base(assignment.pk))


def read_from(snapshot: Snapshot, path: str, *, base: str) -> tuple[SourcePage, Article]:
    """Return the article at `path`, redirects followed; its links begin with the address `base`.

    Raises PageMissing or ProviderUnavailable with a sentence.
    """
    source = stored_articles.read_page(snapshot, path)
    return source, _addressed(source, snapshot, base=base)


def _addressed(source: SourcePage, snapshot: Snapshot, *, base: str) -> Article:
    article = stored_articles.article_of(source)
    html = stored_articles.fill_in_addresses(article.html, pages=base, files=_files(snapshot.name))
    return replace(article, html=html)


def _source(assignment: Assignment, snapshot: Snapshot, path: str) -> SourcePage:
    try:
        return stored_articles.read_page(snapshot, path)
    except (PageMissing, ProviderUnavailable) as problem:
        # Pages opened in this assignment stay readable, even if they were deleted since or were
        # opened by the name of a redirect, which only Wikipedia knows to be one.
        opened = _opened_as(assignment, path)
        kept = opened and stored_articles.kept_page(snapshot, opened, because=str(problem))
        if not kept:
            raise
        return kept


def _opened_as(assignment: Assignment, path: str) -> str | None:
    """Return the path of the page that was opened in this assignment as `path`, or None."""
    opened = Event.objects.filter(assignment=assignment, kind=Event.Kind.PAGE_OPEN).order_by("-id")
    for data in opened.values_list("data", flat=True):
        if path in (data["path"], data.get("redirect_from")):
            return str(data["path"])
    return None


def page_address(assignment_id: int, path: str) -> str:
    """Return the address of the article at `path` in the assignment."""
    return address_below(articles_base(assignment_id), path)


def address_below(base: str, path: str) -> str:
    """Return the address of the article at `path` where those of articles begin with `base`."""
    return base + quote(path, safe=stored_articles.SAFE_IN_PATHS)


def article_context(source: SourcePage, article: Article) -> dict[str, Any]:
    """Return the context of `wikipedia/articles/_article.html`."""
    title = plain_title(source.redirect_from) if source.redirect_from else ""
    return {"source": source, "article": article, "redirect_title": title}


def problem_status(problem: PageMissing | ProviderUnavailable) -> int:
    """Return the HTTP status of an article that cannot be shown."""
    return 404 if isinstance(problem, PageMissing) else 503


def plain_title(path: str) -> str:
    """Return a readable title from a path, for a page whose title is unknown."""
    name = path.removeprefix("A/").removesuffix(".html")
    return name.replace("_", " ").strip() or path


@lru_cache(maxsize=1024)
def articles_base(assignment_id: int) -> str:
    """Return what the addresses of articles in an assignment begin with."""
    return reverse("work-read", args=[assignment_id, "x"]).removesuffix("x")


def _files(snapshot: str) -> str:
    return reverse("wikipedia:asset", args=[snapshot, "x"]).removesuffix("x")
