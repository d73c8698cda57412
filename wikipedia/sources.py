"""What can be indexed: a ZIM archive, or a file of passages that somebody cut already."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import tantivy

from wikipedia.archive import ZimArchive
from wikipedia.extract import extract
from wikipedia.index import ArticleDoc, Batch, IndexProblem, PassageDoc

FORMATS: Final = ("jsonl", "dpr-tsv")
MAX_REDIRECTS_PER_ARTICLE: Final = 200
_MAX_LINE: Final = 10_000_000
# Repeated ids are looked for among this many: a set of all of Wikipedia's would not stay in memory.
_IDS_CHECKED: Final = 1_000_000
_REDIRECT_HEAP: Final = 32_000_000


class ArchiveSource:
    """Articles and passages of an archive. A position is an entry of the archive."""

    kind = "zim"

    def __init__(self, archive: ZimArchive) -> None:
        self._archive = archive
        metadata = archive.metadata()
        self.language = metadata.language or "eng"
        self.fingerprint = f"{metadata.uuid}:{archive.path.stat().st_size}"
        self.total = archive.entry_count

    def read(self, start: int, scratch: Path) -> Iterator[Batch]:
        redirects = _RedirectTable(self._archive, scratch)
        for article in self._archive.articles(start):
            content = extract(article.html, article.title)
            yield Batch(
                position=article.position,
                article=ArticleDoc(
                    path=article.path,
                    title=article.title,
                    redirects=redirects.names(article.path),
                    lead=content.lead,
                    text=content.text,
                ),
                passages=[
                    PassageDoc(f"{article.path}#{number}", article.path, article.title, text)
                    for number, text in enumerate(content.passages, start=1)
                ],
            )


class _RedirectTable:
    """Names by target on disk: English Wikipedia has ten million, too many for memory.

    A scratch search index serves as the table; it is made anew unless it was finished.
    """

    def __init__(self, archive: ZimArchive, folder: Path) -> None:
        self._schema = (
            tantivy.SchemaBuilder()
            .add_text_field("target", tokenizer_name="raw", index_option="basic")
            .add_text_field("name", stored=True, tokenizer_name="raw", index_option="basic")
            .build()
        )
        done = folder / "done"
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            self._fill(archive, folder)
            done.touch()
        self._searcher = tantivy.Index(self._schema, path=str(folder)).searcher()

    def _fill(self, archive: ZimArchive, folder: Path) -> None:
        writer = tantivy.Index(self._schema, path=str(folder)).writer(_REDIRECT_HEAP, 1)
        for redirect in archive.redirects():
            writer.add_document(tantivy.Document(target=redirect.target, name=redirect.title))
        writer.commit()
        writer.wait_merging_threads()

    def names(self, path: str) -> list[str]:
        query = tantivy.Query.term_query(self._schema, "target", path)
        found = self._searcher.search(query, MAX_REDIRECTS_PER_ARTICLE, count=False).hits
        return sorted(str(self._searcher.doc(address)["name"][0]) for _, address in found)


class PassageSource:
    """Passages given one by one, as many as the caller says. A position is a passage."""

    kind = "passages"

    def __init__(
        self, rows: Iterable[tuple[str, str, str]], *, total: int, fingerprint: str,
        language: str = "eng",
    ) -> None:  # fmt: skip
        self._rows = rows
        self.total = total
        self.fingerprint = fingerprint
        self.language = language

    def read(self, start: int, scratch: Path) -> Iterator[Batch]:
        for position, (key, title, text) in enumerate(self._rows):
            if position >= start:
                yield Batch(position, None, [PassageDoc(key, "", title, text)])


def passage_file(path: Path, file_format: str) -> PassageSource:
    """The passages of a file (`jsonl`: id, title, text; `dpr-tsv`: id, text, title), maybe .gz.

    Reads the file once to check every line and to count, so that a bad line is named before
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
            raise IndexProblem(f"{path.name}, line {number}: id “{key}” is there twice.")
        if len(seen) < _IDS_CHECKED:
            seen.add(mark)
        digest.update("\x1f".join((key, title, text)).encode("utf-8", "replace"))
        total += 1
    if not total:
        raise IndexProblem(f"{path.name} holds no passages.")
    rows = _Rows(path, file_format)
    return PassageSource(rows, total=total, fingerprint=digest.hexdigest())


class _Rows:
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
