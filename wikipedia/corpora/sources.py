"""What can be indexed: a ZIM archive, or a file of ready-made passages."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import tantivy

from wikipedia.archives.zim import RawArticle, ZimArchive
from wikipedia.corpora.pool import in_order
from wikipedia.html.extract import Extract, extract_article
from wikipedia.search.index import ArticleDoc, Batch, IndexProblem, PassageDoc, Progress
from wikipedia.text.passages import RECIPE

FORMATS: Final = ("jsonl", "dpr-tsv")
MAX_REDIRECTS_PER_ARTICLE: Final = 200
_MAX_LINE: Final = 10_000_000
# Repeated ids are looked for among this many: a set of all of Wikipedia's would not fit in memory.
_IDS_CHECKED: Final = 1_000_000
_REDIRECT_HEAP: Final = 32_000_000
# Titles of the main page where it is among the articles: the larger Wikipedias, and Kiwix.
_MAIN_PAGES: Final = frozenset([
    "main page", "wikipedia main page", "index", "index.htm", "index.html", "hauptseite", "accueil",
    "portada", "pagina principale", "página principal", "hoofdpagina", "заглавная страница",
    "メインページ", "首页", "首頁", "대문", "الصفحة الرئيسية", "strona główna",
    "anasayfa", "ana sayfa", "forside", "etusivu", "kezdőlap", "pagina principală",
    "huvudsida", "hovedside", "κύρια",
    "முதற் பக்கம்", "หน้าหลัก", "मुखपृष्ठ", "עמוד ראשי", "صفحهٔ اصلی", "головна сторінка",
    "hlavní strana", "trang chính", "halaman utama",
])  # fmt: skip
_LIST_TITLE: Final = re.compile(r"(Lists?|Index|Outline) of ")


class ArchiveSource:
    """Articles and passages of an archive; positions count its entries."""

    kind = "zim"

    def __init__(self, archive: ZimArchive, *, processes: int = 0) -> None:
        self._archive = archive
        self._processes = processes
        metadata = archive.read_metadata()
        self.language = metadata.language or "eng"
        size = archive.path.stat().st_size
        self.fingerprint = f"{metadata.uuid}:{size}:{RECIPE}"
        self.total = archive.entry_count

    def prepare(self, scratch: Path, progress: Progress) -> None:
        """Collect redirects first, so that each article is indexed with all of its names."""
        RedirectTable(scratch / "redirects").store_names(
            (redirect.target, redirect.title) for redirect in self._archive.iterate_redirects()
        )

    def read(self, start: int, scratch: Path) -> Iterator[Batch]:
        redirects = RedirectTable(scratch / "redirects")
        for article, content in self._contents(start):
            yield Batch(
                position=article.position,
                article=ArticleDoc(
                    path=article.path,
                    title=article.title,
                    redirects=redirects.list_names(article.path),
                    lead=content.lead,
                    text=content.text,
                ),
                passages=_numbered_passages(article, content),
            )

    def _contents(self, start: int) -> Iterator[tuple[RawArticle, Extract]]:
        return in_order(
            _extracted,
            self._wanted(start),
            processes=self._processes,
            weight=lambda article: len(article.html),
        )

    def _wanted(self, start: int) -> Iterator[RawArticle]:
        """Return the articles without the archive's main page, which holds no answers."""
        return (
            each for each in self._archive.iterate_articles(start) if not is_main_page(each.title)
        )


class ArchivePassages(ArchiveSource):
    """The passages of an archive alone, for models; by default without lists, as DPR's corpus."""

    kind = "passages"

    def __init__(self, archive: ZimArchive, *, lists: bool = False, processes: int = 0) -> None:
        super().__init__(archive, processes=processes)
        self._lists = lists
        self.fingerprint += f":passages:{int(lists)}"

    def prepare(self, scratch: Path, progress: Progress) -> None:
        return None

    def read(self, start: int, scratch: Path) -> Iterator[Batch]:
        for article, content in self._contents(start):
            yield Batch(article.position, None, _numbered_passages(article, content))

    def _wanted(self, start: int) -> Iterator[RawArticle]:
        for article in self._archive.iterate_articles(start):
            if is_main_page(article.title):
                continue
            leads_elsewhere = "dmbox" in article.html or "disambigbox" in article.html
            if self._lists or not (leads_elsewhere or is_list(article.title)):
                yield article


def is_list(title: str) -> bool:
    """Whether the title is of a page that lists others, by the names left out of DPR's corpus."""
    return bool(_LIST_TITLE.match(title)) or title.endswith("(disambiguation)")


def is_main_page(title: str) -> bool:
    """Whether the title is that of an archive's main page, in one of many languages."""
    name = title.casefold().replace("_", " ")
    return name in _MAIN_PAGES or name.partition(":")[2] in _MAIN_PAGES


def _extracted(article: RawArticle) -> tuple[RawArticle, Extract]:
    """Return an article's extract, and the article without its HTML; may run in another process."""
    return replace(article, html=""), replace(
        extract_article(article.html, article.title), sections=()
    )


def _numbered_passages(article: RawArticle, content: Extract) -> list[PassageDoc]:
    return [
        PassageDoc(f"{article.path}#{number}", article.path, article.title, text)
        for number, text in enumerate(content.passages, start=1)
    ]


class RedirectTable:
    """Redirects by target, on disk: English Wikipedia has ten million, too many for memory.

    A scratch search index serves as the table; it is rebuilt unless it was finished.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._found: tantivy.Searcher | None = None
        self._schema = (
            tantivy.SchemaBuilder()
            .add_text_field("target", tokenizer_name="raw", index_option="basic")
            .add_text_field("name", stored=True, tokenizer_name="raw", index_option="basic")
            .build()
        )

    def store_names(self, redirects: Iterable[tuple[str, str]]) -> None:
        """Store (target, name) pairs, unless that was done already."""
        done = self._folder / "done"
        if done.exists():
            return
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        index = tantivy.Index(self._schema, path=str(self._folder))
        writer = index.writer(_REDIRECT_HEAP, 1)
        for target, name in redirects:
            writer.add_document(tantivy.Document(target=target, name=name))
        writer.commit()
        writer.wait_merging_threads()
        done.touch()

    def list_names(self, path: str) -> list[str]:
        if self._found is None:
            self._found = tantivy.Index(self._schema, path=str(self._folder)).searcher()
        query = tantivy.Query.term_query(self._schema, "target", path)
        found = self._found.search(query, MAX_REDIRECTS_PER_ARTICLE, count=False).hits
        return sorted(str(self._found.doc(address)["name"][0]) for _, address in found)


class PassageSource:
    """Passages from an iterator, as many as the caller says; positions count passages."""

    kind = "passages"

    def __init__(
        self, rows: Iterable[tuple[str, str, str]], *, total: int, fingerprint: str,
        language: str = "eng",
    ) -> None:  # fmt: skip
        self._rows = rows
        self.total = total
        self.fingerprint = fingerprint
        self.language = language

    def prepare(self, scratch: Path, progress: Progress) -> None:
        return None

    def read(self, start: int, scratch: Path) -> Iterator[Batch]:
        for position, (key, title, text) in enumerate(self._rows):
            if position >= start:
                yield Batch(position, None, [PassageDoc(key, "", title, text)])


def passage_file(path: Path, file_format: str) -> PassageSource:
    """Return a file's passages (`jsonl`: id, title, text; `dpr-tsv`: id, text, title), maybe .gz.

    Reads the file once to check and count the lines, so that a bad line is named before
    anything is built. Raises `IndexProblem` with the line's number.
    """
    if file_format not in FORMATS:
        raise IndexProblem(
            f"“{file_format}” is not a passage format. Choose one of: {', '.join(FORMATS)}."
        )
    digest, total = hashlib.sha256(file_format.encode()), 0
    seen: set[bytes] = set()
    for number, (key, title, text) in _numbered(path, file_format):
        mark = hashlib.blake2b(key.encode(), digest_size=8).digest()
        if mark in seen:
            raise IndexProblem(f"{path.name}, line {number}: id “{key}” appears twice.")
        if len(seen) < _IDS_CHECKED:
            seen.add(mark)
        digest.update("\x1f".join((key, title, text)).encode("utf-8", "replace"))
        total += 1
    if not total:
        raise IndexProblem(f"{path.name} holds no passages.")
    rows = _PassageRows(path, file_format)
    return PassageSource(rows, total=total, fingerprint=digest.hexdigest())


class _PassageRows:
    """The rows of a passage file, from the first one each time it is iterated."""

    def __init__(self, path: Path, file_format: str) -> None:
        self._path, self._format = path, file_format

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return (row for _, row in _numbered(self._path, self._format))


def _numbered(path: Path, file_format: str) -> Iterator[tuple[int, tuple[str, str, str]]]:
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else path.open("rb") as binary:
            lines = io.TextIOWrapper(binary, encoding="utf-8", errors="strict", newline="")
            yield from (_jsonl if file_format == "jsonl" else _dpr)(lines, path.name)
    except UnicodeDecodeError as error:
        raise IndexProblem(
            f"{path.name} is not UTF-8 text (byte {error.start} of a block). Convert it first."
        ) from error
    except FileNotFoundError as error:
        raise IndexProblem(f"There is no file {path}. Check the path.") from error
    except (OSError, EOFError) as error:
        raise IndexProblem(f"{path} cannot be read: {error}.") from error


def _jsonl(lines: io.TextIOWrapper, name: str) -> Iterator[tuple[int, tuple[str, str, str]]]:
    number = 0
    while line := lines.readline(_MAX_LINE):
        number += 1
        if len(line) >= _MAX_LINE:
            raise IndexProblem(f"{name}, line {number}: longer than {_MAX_LINE:,} characters.")
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            row = (str(record["id"]), str(record.get("title", "")), str(record["text"]))
        except (ValueError, RecursionError) as error:
            raise IndexProblem(f"{name}, line {number}: not JSON ({error}).") from error
        except (KeyError, TypeError, AttributeError) as error:
            raise IndexProblem(
                f"{name}, line {number}: needs an object with “id”, “title” and “text”."
            ) from error
        yield number, row


def _dpr(lines: io.TextIOWrapper, name: str) -> Iterator[tuple[int, tuple[str, str, str]]]:
    csv.field_size_limit(_MAX_LINE)
    reader = csv.reader(lines, delimiter="\t")
    try:
        for row in reader:
            if not row or row[:2] == ["id", "text"]:
                continue
            if len(row) != 3:
                raise IndexProblem(
                    f"{name}, line {reader.line_num}: {len(row)} columns. "
                    "It needs three, separated by tabs: id, text, title."
                )
            yield reader.line_num, (row[0], row[2], row[1])
    except csv.Error as error:
        raise IndexProblem(f"{name}, line {reader.line_num}: {error}.") from error
