"""All writes of this app: snapshots, their indexes, pages shown and quotes."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils.text import slugify

from wikipedia.archives.zim import ArchiveError, Metadata, open_archive
from wikipedia.articles import shown
from wikipedia.articles.article import Article
from wikipedia.corpora.sources import ArchiveSource
from wikipedia.html.page import PageMissing, SourcePage
from wikipedia.models import Quote, ShownPage, Snapshot
from wikipedia.providers.limits import behind_people
from wikipedia.providers.mediawiki import MediaWikiProvider
from wikipedia.providers.registry import forget_providers, provider_for
from wikipedia.providers.zim import index_dir
from wikipedia.quotes import locating as quotes
from wikipedia.search.index import IndexBusy, IndexProblem, build_index

_LANGUAGES: Final = {
    "eng": "en", "deu": "de", "fra": "fr", "spa": "es", "ita": "it", "por": "pt", "nld": "nl",
    "pol": "pl", "rus": "ru", "jpn": "ja", "zho": "zh", "swe": "sv", "ara": "ar", "ces": "cs",
    "dan": "da", "fin": "fi", "ell": "el", "heb": "he", "hun": "hu", "kor": "ko", "nor": "no",
    "tur": "tr", "ukr": "uk",
}  # fmt: skip


class SnapshotRefused(Exception):
    """A snapshot cannot be made like this. The message says why and what to do."""


class QuoteRefused(Exception):
    """Words cannot be kept as a quote. The message says why and what to do."""


def check_name(name: str) -> None:
    """Raise `SnapshotRefused` for what cannot name a snapshot."""
    if not name or name != slugify(name) or len(name) > 60:
        raise SnapshotRefused(
            f"“{name[:80]}” is not a valid name for a snapshot. Use up to 60 small letters, "
            f"digits and hyphens."
        )


@transaction.atomic
def create_snapshot(
    *, name: str, archive: Path, now: dt.datetime, title: str = "", address: str = ""
) -> Snapshot:
    """Register a ZIM archive under a name; registering the same file again changes nothing.

    Raises `ArchiveError` for a file that is no usable archive, and `SnapshotRefused` for a name
    that is unusable or already means another Wikipedia.
    """
    check_name(name)
    metadata = open_archive(archive).metadata()
    path = str(archive.resolve())
    snapshot = Snapshot.objects.select_for_update().filter(name=name).first()
    if snapshot is None:
        return Snapshot.objects.create(
            name=name,
            title=title or _title(metadata, name),
            kind=Snapshot.Kind.ZIM,
            archive=path,
            address=address,
            language=_language(metadata.language),
            as_of=(metadata.date or _changed(archive)).date(),
            licence=metadata.licence[:60] or "CC BY-SA",
            created_at=now,
        )
    if snapshot.kind != Snapshot.Kind.ZIM:
        raise SnapshotRefused(
            f"“{name}” is the name of a live Wikipedia. Choose another name for the archive."
        )
    if snapshot.archive != path:
        _check_may_move(snapshot, metadata)
        snapshot.archive = path
        snapshot.save(update_fields=["archive"])
    return snapshot


def index_snapshot(
    *,
    snapshot: Snapshot,
    progress: Callable[[int, int], None] | None = None,
    processes: int = 0,
) -> Snapshot:
    """Build the snapshot's search index, or finish one that was interrupted.

    `progress(done, total)` counts entries of the archive. `processes` share the work of reading
    articles; with 0 the current one does it all. A failure is stored on the snapshot and
    raised again (`ArchiveError`, `IndexProblem`).
    """
    if snapshot.state != Snapshot.State.READY:
        Snapshot.objects.filter(pk=snapshot.pk).update(state=Snapshot.State.INDEXING, problem="")
    try:
        source = ArchiveSource(open_archive(Path(snapshot.archive)), processes=processes)
        info = build_index(index_dir(snapshot.name), source, progress=progress)
        if not info.articles:
            raise IndexProblem(f"{Path(snapshot.archive).name} holds no articles.")
    except IndexBusy:
        raise  # the other build says how it ends
    except (ArchiveError, IndexProblem, OSError) as error:
        Snapshot.objects.filter(pk=snapshot.pk).exclude(state=Snapshot.State.READY).update(
            state=Snapshot.State.FAILED, problem=str(error)
        )
        raise
    Snapshot.objects.filter(pk=snapshot.pk).update(
        state=Snapshot.State.READY, problem="", articles=info.articles, passages=info.passages
    )
    snapshot.refresh_from_db()
    forget_providers()
    return snapshot


def record_shown_page(*, snapshot: Snapshot, page: SourcePage, article: Article) -> ShownPage:
    """Store an article as it was shown, HTML and text, once per revision and content.

    `article` is the safe page, whatever addresses its links have by now.
    """
    kept, _ = ShownPage.objects.defer("html", "text").get_or_create(
        snapshot=snapshot,
        path=page.path[:1000],
        rev_id=page.rev_id,
        text_sha256=article.text_sha256,
        html_sha256=shown.html_sha256(page),
        defaults={
            "title": page.title[:500],
            "page_id": page.page_id,
            "rev_timestamp": page.rev_timestamp,
            "retrieved_at": page.retrieved_at,
            "url": page.url[:2000],
            "text": article.text,
            "html": lambda: shown.pack(shown.article_of(page).html),
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
            page = provider.page(path)
        elif isinstance(provider, MediaWikiProvider):
            page = provider.revision(revision)
        else:
            raise PageMissing(f"{snapshot.title} is an archive: it has one revision of each page.")
    return record_shown_page(snapshot=snapshot, page=page, article=shown.article_of(page))


@transaction.atomic
def save_quote(
    *,
    snapshot: Snapshot,
    path: str,
    exact: str,
    made_by: str,
    by: AbstractBaseUser,
    now: dt.datetime,
    prefix: str = "",
    suffix: str = "",
    start: int | None = None,
    rendered: tuple[SourcePage, Article] | None = None,
) -> Quote:
    """Store selected words with their provenance. Raises `QuoteRefused` if the page lacks them.

    The place that the browser sends is a hint; the stored one is found in the article again.
    `rendered` is the page at `path` if the caller has it at hand, since making it takes a while.
    """
    if not exact.strip():
        raise QuoteRefused("Nothing is selected. Select the words that answer.")
    if len(exact) > quotes.MAX_EXACT_CHARACTERS:
        raise QuoteRefused(
            f"The selection is longer than {quotes.MAX_EXACT_CHARACTERS:,} characters. "
            "Select only the words that answer."
        )
    if rendered is None:
        page = shown.read_page(snapshot, path)
        rendered = page, shown.article_of(page)
    page, article = rendered
    position = quotes.locate(article, exact, prefix, suffix, start)
    if position is None:
        raise QuoteRefused(
            f"“{_shortened(exact)}” is not in the text of “{page.title}”. "
            "Select the words in the article again."
        )
    place = quotes.describe(article, position.start, position.end)
    return Quote.objects.create(
        page=record_shown_page(snapshot=snapshot, page=page, article=article),
        section_path=list(place.section),
        section_anchor=place.anchor[:300],
        block_kind=place.block_kind,
        headers=place.headers.as_json(),
        exact=place.exact,
        prefix=place.prefix,
        suffix=place.suffix,
        start=place.start,
        end=place.end,
        made_by=made_by,
        created_by_id=by.pk,
        created_at=now,
    )


def _check_may_move(snapshot: Snapshot, metadata: Metadata) -> None:
    """A name may follow its file to another folder, but never come to mean another Wikipedia."""
    try:
        before = open_archive(Path(snapshot.archive)).metadata().uuid
    except ArchiveError:
        before = ""
    if before != metadata.uuid and snapshot.shown_pages.exists():
        raise SnapshotRefused(
            f"“{snapshot.name}” already names another archive, and quotes point into it. "
            "Choose a new name."
        )


def _title(metadata: Metadata, name: str) -> str:
    day = f", {metadata.date.day} {metadata.date:%B %Y}" if metadata.date else ""
    return f"{metadata.title or name}{day}"[:200]


def _language(code: str) -> str:
    first = re.split(r"[,;\s]", code.strip().lower())[0]
    return _LANGUAGES.get(first, first)[:12] or "en"


def _changed(file: Path) -> dt.datetime:
    return dt.datetime.fromtimestamp(file.stat().st_mtime, dt.UTC)


def _shortened(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 80 else words[:79] + "…"
