"""All writes of snapshots and their indexes."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from django.db import transaction
from django.utils.text import slugify

from wikipedia.archives.zim import ArchiveError, Metadata, open_archive
from wikipedia.corpora.sources import ArchiveSource
from wikipedia.models import Snapshot
from wikipedia.providers.registry import forget_providers
from wikipedia.providers.zim import index_dir
from wikipedia.search.index import IndexBusy, IndexProblem, build_index

_LANGUAGES: Final = {
    "eng": "en", "deu": "de", "fra": "fr", "spa": "es", "ita": "it", "por": "pt", "nld": "nl",
    "pol": "pl", "rus": "ru", "jpn": "ja", "zho": "zh", "swe": "sv", "ara": "ar", "ces": "cs",
    "dan": "da", "fin": "fi", "ell": "el", "heb": "he", "hun": "hu", "kor": "ko", "nor": "no",
    "tur": "tr", "ukr": "uk",
}  # fmt: skip


class SnapshotRefused(Exception):
    """A snapshot cannot be made like this. The message says why and what to do."""


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
    metadata = open_archive(archive).read_metadata()
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


def _check_may_move(snapshot: Snapshot, metadata: Metadata) -> None:
    """A name may follow its file to another folder, but never come to mean another Wikipedia."""
    try:
        before = open_archive(Path(snapshot.archive)).read_metadata().uuid
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
