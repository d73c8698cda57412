"""All writes of articles as they were shown."""

from __future__ import annotations

from wikipedia.articles import stored_articles
from wikipedia.articles.article import Article
from wikipedia.html.page import PageMissing, SourcePage
from wikipedia.models import ShownPage, Snapshot
from wikipedia.providers.limits import behind_people
from wikipedia.providers.mediawiki import MediaWikiProvider
from wikipedia.providers.registry import provider_for


def record_shown_page(*, snapshot: Snapshot, page: SourcePage, article: Article) -> ShownPage:
    """Store an article as it was shown, HTML and text, once per revision and content.

    `article` is the safe page, whatever addresses its links have by now.
    """
    kept, _ = ShownPage.objects.defer("html", "text").get_or_create(
        snapshot=snapshot,
        path=page.path[:1000],
        rev_id=page.rev_id,
        text_sha256=article.text_sha256,
        html_sha256=stored_articles.html_sha256(page),
        defaults={
            "title": page.title[:500],
            "page_id": page.page_id,
            "rev_timestamp": page.rev_timestamp,
            "retrieved_at": page.retrieved_at,
            "url": page.url[:2000],
            "text": article.text,
            "html": lambda: stored_articles.compress_html(stored_articles.article_of(page).html),
        },
    )
    return kept


def fetch_page(*, snapshot: Snapshot, path: str, revision: int | None = None) -> ShownPage:
    """Store the page at `path`, or a revision by its number, as it would be shown.

    Background work: readers go first. Raises `PageMissing` and `ProviderUnavailable`.
    """
    with behind_people():
        provider = provider_for(snapshot)
        if revision is None:
            page = provider.load_page(path)
        elif isinstance(provider, MediaWikiProvider):
            page = provider.load_revision(revision)
        else:
            raise PageMissing(f"{snapshot.title} is an archive: it has one revision of each page.")
    return record_shown_page(snapshot=snapshot, page=page, article=stored_articles.article_of(page))
