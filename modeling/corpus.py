"""The passages of a snapshot as a corpus for baselines: the index that `search_wikipedia` uses."""

from __future__ import annotations

import hashlib
import socket
from pathlib import Path

from modeling.base import ArticlePassage, MissingModel
from wikipedia.models import Snapshot
from wikipedia.providers.zim import index_dir
from wikipedia.search.index import IndexInfo, IndexProblem, read_info
from wikipedia.search.searching import search_passages


class SnapshotCorpus:
    """The passages of one snapshot as they are indexed now.

    version: 16 hexadecimal digits that change with the archive, with the way it is cut into
    passages, and with the format of the index.
    """

    def __init__(self, name: str, folder: Path, info: IndexInfo) -> None:
        self.name = name
        self._folder = folder
        facts = [name, info.kind, info.format, info.fingerprint, info.language, info.passages]
        self.version = hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()

    def search(self, query: str, top: int) -> list[ArticlePassage]:
        """Return up to `top` passages (1,000 at most), best first."""
        try:
            hits = search_passages(self._folder, query, top)
        except IndexProblem as problem:  # it was deleted, or is of another version now
            raise MissingModel(str(problem)) from None
        return [ArticlePassage(hit.id, hit.title, hit.text, hit.score, hit.path) for hit in hits]


def corpus_of(snapshot: Snapshot) -> SnapshotCorpus | None:
    """Return the corpus of a snapshot, None where it has no index: live wikis never have one."""
    if snapshot.kind == Snapshot.Kind.LIVE:
        return None
    folder = index_dir(snapshot.name)
    info = read_info(folder)
    return SnapshotCorpus(snapshot.name, folder, info) if info and info.passages else None


def corpus_for(snapshot: Snapshot, label: str) -> SnapshotCorpus:
    """Return the corpus of a snapshot for a baseline. Raises MissingModel where it has none here.

    Indexes are files of a machine: a worker may lack one that the server of the pages has.
    """
    corpus = corpus_of(snapshot)
    if corpus is not None:
        return corpus
    if snapshot.kind == Snapshot.Kind.LIVE:
        raise MissingModel(
            f"{label} searches passages, and “{snapshot.name}” is a live wiki, which has none."
        )
    raise MissingModel(
        f"{label} searches passages, and {socket.gethostname()} has no index of "
        f"“{snapshot.name}”. Share AMBIT_DATA/index with it, or make the index there: "
        f"manage.py index_wikipedia {snapshot.archive} --name {snapshot.name}"
    )
