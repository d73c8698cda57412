"""Build a search index: articles for the search box, passages for the models.

A build goes on in `<index>/building/` and is made visible by one rename of the pointer file
`<index>/current.json`, so searches see the old index or the new one and never half of one. After
every batch the build commits and writes `state.json`; when restarted after being killed, it
continues from there. Memory is bounded by the writers' heaps, whatever the size of the archive.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Protocol

import tantivy

from wikipedia.search import analysis

# 3: every text that is shown is stored as bytes, since indexed text may be cut into pairs.
FORMAT: Final = 3
# Formats that can still be searched, so that an upgrade leaves a site its search: an index of an
# older one serves until the new one has been built beside it (opened.py says how).
SEARCHED: Final = frozenset({2, FORMAT})
ARTICLES: Final = "articles"
PASSAGES: Final = "passages"
POINTER: Final = "current.json"
BUILDING: Final = "building"
BATCH: Final = 2_000
# Two writers with one thread each: an index can be built next to a running site on two cores.
HEAP_BYTES: Final = 64_000_000


class IndexProblem(Exception):
    """The index cannot be built or used. The message is a sentence for the user."""


@dataclass(frozen=True)
class ArticleDoc:
    """One article of the article index."""

    path: str
    title: str
    redirects: Sequence[str]
    lead: str
    text: str


@dataclass(frozen=True)
class PassageDoc:
    """One passage of the passage index; `id` is the corpus' own."""

    id: str
    path: str
    title: str
    text: str


@dataclass(frozen=True)
class Batch:
    """What one position of a source adds to the index."""

    position: int
    article: ArticleDoc | None
    passages: Sequence[PassageDoc]


Progress = Callable[[int, int], None]


class Source(Protocol):
    """What can be indexed. Two sources with one `fingerprint` give the same batches.

    `prepare` is called once before `total` and `read`, with a folder that is kept as long as the
    build is unfinished: anything needed beforehand is prepared there.
    """

    @property
    def kind(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def language(self) -> str: ...

    @property
    def total(self) -> int: ...

    def prepare(self, scratch: Path, progress: Progress) -> None: ...

    def read(self, start: int, scratch: Path) -> Iterator[Batch]: ...


@dataclass(frozen=True)
class IndexInfo:
    """The facts about a finished index, stored in its pointer file."""

    format: int
    folder: str
    kind: str
    fingerprint: str
    language: str
    articles: int
    passages: int


def build_index(
    index_dir: Path,
    source: Source,
    *,
    progress: Progress | None = None,
    preparing: Progress | None = None,
    batch: int = BATCH,
) -> IndexInfo:
    """Index everything in `source` under `index_dir` and make it visible.

    Continues where a killed build of the same source stopped, and does nothing if the visible index
    is already of this source. `progress(done, total)` is called once a batch, `preparing` with
    bytes while a source is read beforehand.
    """
    index_dir.mkdir(parents=True, exist_ok=True)
    current = read_info(index_dir)
    if current and current.format == FORMAT and _is_of(current, source):
        return current
    with BuildLock(index_dir):
        build = _Build(index_dir / BUILDING, source)
        build.run(progress or _silent, preparing or _silent, batch)
        info = build.build_info(folder=f"v-{secrets.token_hex(6)}")
        (index_dir / BUILDING).rename(index_dir / info.folder)
        write_json(index_dir / POINTER, asdict(info))
        _remove_old(index_dir, keep=info.folder)
    return info


def _is_of(info: IndexInfo, source: Source) -> bool:
    return info.fingerprint == source.fingerprint and info.kind == source.kind


def read_info(index_dir: Path) -> IndexInfo | None:
    """Return the visible index, or None if there is none that this version can search."""
    info = _pointer(index_dir)
    readable = info is not None and info.format in SEARCHED and (index_dir / info.folder).is_dir()
    return info if readable else None


def is_outdated(index_dir: Path) -> bool:
    """Whether there is an index that another version of this program made, searched or not."""
    info = _pointer(index_dir)
    return info is not None and info.format != FORMAT


def _pointer(index_dir: Path) -> IndexInfo | None:
    try:
        return IndexInfo(**json.loads((index_dir / POINTER).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def article_schema() -> tantivy.Schema:
    """Return the article index's fields; `words` is title and text, `exact` holds whole titles.

    `same` is one number for all articles of one title: an archive may have copies of an article
    under two paths. `shown` and `names` are title and redirects as people read them.
    """
    builder = (
        tantivy.SchemaBuilder()
        .add_integer_field("position", indexed=True, fast=True)
        .add_integer_field("same", fast=True)
        .add_text_field("exact", tokenizer_name="raw", index_option="basic")
    )
    for kept in ("path", "shown", "names", "lead"):
        builder = builder.add_bytes_field(kept, stored=True)
    return _indexed(builder, "title", "redirects", "words").build()


def passage_schema() -> tantivy.Schema:
    """Return the passage index's fields; `words` is title and text as one, `shown` and `kept` are
    the title and text for people."""
    builder = tantivy.SchemaBuilder().add_integer_field("position", indexed=True, fast=True)
    for kept in ("id", "path", "shown", "kept"):
        builder = builder.add_bytes_field(kept, stored=True)
    return _indexed(builder, "title", "text", "words").build()


def _indexed(builder: tantivy.SchemaBuilder, *fields: str) -> tantivy.SchemaBuilder:
    for field in fields:
        builder = builder.add_text_field(
            field, tokenizer_name=analysis.ANALYSER, index_option="freq"
        )
    return builder


def find_unfinished_build(index_dir: Path) -> tuple[str, str] | None:
    """Return kind and fingerprint of the source of a build that was stopped, or None."""
    try:
        state = json.loads((index_dir / BUILDING / "state.json").read_text("utf-8"))
        return str(state["kind"]), str(state["fingerprint"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _silent(done: int, total: int) -> None:
    return None


class _Build:
    """A build in its folder: two writers and the file that records their progress."""

    def __init__(self, folder: Path, source: Source) -> None:
        self.folder = folder
        self.source = source
        unfinished = self._state()
        if unfinished is None:
            shutil.rmtree(folder, ignore_errors=True)
        self.state: dict[str, int | str] = unfinished or {
            "format": FORMAT, "kind": source.kind, "fingerprint": source.fingerprint,
            "next": 0, "articles": 0, "passages": 0,
        }  # fmt: skip
        folder.mkdir(parents=True, exist_ok=True)
        self.language = analysis.language_named(source.language)
        self.articles = _writer(folder / ARTICLES, article_schema(), source.language)
        self.passages = _writer(folder / PASSAGES, passage_schema(), source.language)

    def run(self, progress: Progress, preparing: Progress, batch: int) -> None:
        """Add what is missing. The first batch replaces one half committed by a killed build."""
        start = int(self.state["next"])
        scratch = self.folder / "scratch"
        write_json(self.folder / "state.json", self.state)
        self.source.prepare(scratch, preparing)
        replacing, waiting = start > 0 or self._has_documents(), 0
        progress(start, self.source.total)
        for item in self.source.read(start, scratch):
            if replacing:
                self._forget(item.position)
            self._add(item)
            waiting += 1
            if waiting >= batch:
                self._commit(item.position + 1)
                progress(item.position + 1, self.source.total)
                replacing, waiting = False, 0
        self._commit(self.source.total)
        for writer in (self.articles, self.passages):
            writer.wait_merging_threads()
        shutil.rmtree(scratch, ignore_errors=True)
        progress(self.source.total, self.source.total)

    def build_info(self, folder: str) -> IndexInfo:
        return IndexInfo(
            format=FORMAT, folder=folder, kind=self.source.kind,
            fingerprint=self.source.fingerprint, language=self.source.language,
            articles=int(self.state["articles"]), passages=int(self.state["passages"]),
        )  # fmt: skip

    def _add(self, item: Batch) -> None:
        if item.article is not None:
            self.articles.add_document(
                _article_document(item.position, item.article, self.language)
            )
            self.state["articles"] = int(self.state["articles"]) + 1
        for passage in item.passages:
            self.passages.add_document(_passage_document(item.position, passage, self.language))
        self.state["passages"] = int(self.state["passages"]) + len(item.passages)

    def _forget(self, position: int) -> None:
        self.articles.delete_documents_by_term("position", position)
        self.passages.delete_documents_by_term("position", position)

    def _commit(self, position: int) -> None:
        self.articles.commit()
        self.passages.commit()
        self.state["next"] = position
        write_json(self.folder / "state.json", self.state)

    def _has_documents(self) -> bool:
        return any(
            tantivy.Index.open(str(self.folder / name)).searcher().num_docs
            for name in (ARTICLES, PASSAGES)
        )

    def _state(self) -> dict[str, int | str] | None:
        """Return the state of a build that can be continued, or None."""
        try:
            state = json.loads((self.folder / "state.json").read_text("utf-8"))
            wanted = (FORMAT, self.source.kind, self.source.fingerprint)
            same = (state["format"], state["kind"], state["fingerprint"]) == wanted
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return state if same else None


def _article_document(
    position: int, article: ArticleDoc, language: analysis.Language
) -> tantivy.Document:
    document = tantivy.Document(position=position, same=_same(article.title))
    document.add_bytes("path", _bytes(article.path))
    document.add_bytes("shown", _bytes(article.title))
    document.add_bytes("lead", _bytes(article.lead))
    title = language.prepare_text(article.title)
    document.add_text("title", title)
    for text in (title, language.prepare_text(article.text)):
        document.add_text("words", text)
    for name in article.redirects:
        document.add_bytes("names", _bytes(name))
        document.add_text("redirects", language.prepare_text(name))
    for key in {analysis.exact_key(name) for name in (article.title, *article.redirects)} - {""}:
        document.add_text("exact", key)
    return document


def _passage_document(
    position: int, passage: PassageDoc, language: analysis.Language
) -> tantivy.Document:
    document = tantivy.Document(position=position)
    document.add_bytes("id", _bytes(passage.id))
    document.add_bytes("path", _bytes(passage.path))
    document.add_bytes("shown", _bytes(passage.title))
    document.add_bytes("kept", _bytes(passage.text))
    title, text = language.prepare_text(passage.title), language.prepare_text(passage.text)
    document.add_text("title", title)
    document.add_text("text", text)
    for each in (title, text):
        document.add_text("words", each)
    return document


def _same(title: str) -> int:
    """Return one number per title; two titles are very unlikely to share one."""
    return int.from_bytes(hashlib.blake2b(_bytes(title), digest_size=7).digest())


def _bytes(text: str) -> bytes:
    """Return a value to store but not to search: a text field would be indexed as well."""
    return text.encode("utf-8", "replace")


def _writer(folder: Path, schema: tantivy.Schema, language: str) -> tantivy.IndexWriter:
    folder.mkdir(parents=True, exist_ok=True)
    for lock in folder.glob("*.lock"):  # left behind by killed builds; ours is the only one here
        lock.unlink()
    index = tantivy.Index(schema, path=str(folder))
    index.register_tokenizer(analysis.ANALYSER, analysis.build_analyser(language))
    return index.writer(HEAP_BYTES, 1)


class IndexBusy(IndexProblem):
    """Another process is building this index now."""


class BuildLock:
    """One build per index at a time, across processes; released when the process dies."""

    def __init__(self, index_dir: Path) -> None:
        self._path = index_dir / "build.lock"

    def __enter__(self) -> None:
        import fcntl

        self._file = self._path.open("w")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise IndexBusy(
                f"Another process is building the index in {self._path.parent}. Wait until it "
                "is done."
            ) from error

    def __exit__(self, *exc: object) -> None:
        self._file.close()


def _remove_old(index_dir: Path, keep: str) -> None:
    """Delete replaced versions. Searches that still use one keep their open files."""
    for folder in index_dir.glob("v-*"):
        if folder.name != keep:
            shutil.rmtree(folder, ignore_errors=True)


def write_json(path: Path, data: object) -> None:
    """Replace a small file in one step, so that even a power cut leaves the old or the new one."""
    temporary = path.with_suffix(".new")
    with temporary.open("w", encoding="utf-8") as file:
        json.dump(data, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
