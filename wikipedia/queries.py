"""Reads across snapshots."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wikipedia.extract import paragraphs
from wikipedia.live import live_problem
from wikipedia.models import Snapshot
from wikipedia.providers import limits, provider_for
from wikipedia.providers.zim import index_dir
from wikipedia.search import check_index
from wikipedia.shown import kept_page


@dataclass(frozen=True)
class PageText:
    """The paragraphs of an article, with where they are from; `path` after redirects.

    `url` is the address on the real Wikipedia, of this revision where it is known.
    """

    title: str
    path: str
    rev_id: int | None
    url: str
    paragraphs: tuple[str, ...]


def snapshot_named(name: str) -> Snapshot | None:
    """The snapshot of this name, whatever its state, or None."""
    return Snapshot.objects.filter(name=name).first()


def index_problem(snapshot: Snapshot) -> str | None:
    """Why the snapshot cannot be searched and read, as a sentence, or None when it can."""
    if snapshot.kind == Snapshot.Kind.LIVE:
        return live_problem(snapshot)
    if snapshot.state != Snapshot.State.READY:
        return snapshot.problem or f"Snapshot “{snapshot.name}” is still being indexed."
    if not Path(snapshot.archive).is_file():
        return f"The archive of snapshot “{snapshot.name}” is not at {snapshot.archive} any more."
    return check_index(index_dir(snapshot.name))


def index_problems() -> dict[str, str]:
    """Return a sentence for each snapshot, by its name, whose index cannot be used.

    One that is being indexed for the first time is not in use yet, so it is no problem.
    """
    ready = Snapshot.objects.filter(state=Snapshot.State.READY).order_by("name")
    return {each.name: problem for each in ready if (problem := index_problem(each))}


def page_text(snapshot: Snapshot, title: str) -> PageText:
    """Return the paragraphs of the article of this title.

    Background work: over a live wiki a page that is kept here is not asked for again, and people
    who read go first. Raises `PageMissing` and `ProviderUnavailable`.
    """
    path = "_".join(title.split())
    live = snapshot.kind == Snapshot.Kind.LIVE
    page = kept_page(snapshot, path, because="It is kept here.") if live else None
    if page is None:
        with limits.behind_people():
            page = provider_for(snapshot).page(path)
    return PageText(
        page.title, page.path, page.rev_id, page.url, tuple(paragraphs(page.html, page.title))
    )
