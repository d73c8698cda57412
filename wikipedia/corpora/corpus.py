"""A Wikipedia's XML dump as a source to index, and the choice among all kinds of files.

Passages follow DPR's corpus, which left out everything that is not running text: articles only,
without tables, infoboxes and list items, and no pages that only list others. Redirects
become other names of their article.

A dump is read twice. The first time its redirects and its templates for disambiguation are kept:
both may come after the page that needs them. This also finds damage before anything is built.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wikipedia.archives.dumps import DumpPage, DumpReader, dump_files, read_site
from wikipedia.archives.zim import ArchiveError, open_archive
from wikipedia.corpora.pool import in_order
from wikipedia.corpora.sources import FORMATS as ROW_FORMATS
from wikipedia.corpora.sources import ArchivePassages, RedirectTable, is_list, passage_file
from wikipedia.corpora.wikitext import WikitextLine, parse_wikitext
from wikipedia.html.extract import LEAD_CHARACTERS, SKIPPED_SECTIONS, shorten_text
from wikipedia.search.index import ArticleDoc, Batch, IndexProblem, PassageDoc, Progress, Source
from wikipedia.text.passages import RECIPE, cut_passages

FORMATS: Final = ("wiki-xml", *ROW_FORMATS[::-1], "zim")
_READ_BYTES: Final = 1 << 22
_PAGES_BETWEEN_PROGRESS: Final = 5_000
# Templates that say a page only leads to others; those of other languages are recognised by the
# magic word that their own text holds.
_DISAMBIGUATION: Final = re.compile(
    r"\{\{\s*(?:template:)?(?:disamb\w*|dab|dmbox|hndis|geodis|numberdis|mathdab"
    r"|(?:[\w,. -]{1,60} )?disambiguation(?: page)?)\s*[|}]|__DISAMBIG__",
    re.IGNORECASE,
)
_TEMPLATE: Final = re.compile(r"\{\{\n?([^{}|<>\[\]\n]{1,120})")


@dataclass(frozen=True)
class _Job:
    """A page sent to a worker to be read."""

    position: int
    page: DumpPage
    hidden: frozenset[str]
    leading: frozenset[str]
    lists: bool


@dataclass(frozen=True)
class _Article:
    """The text and passages of a page; `passages` is None if the page has no text."""

    position: int
    id: str
    title: str
    lead: str
    text: str
    passages: tuple[str, ...]


class DumpSource:
    """Articles and passages of a MediaWiki export in one or more files; positions count pages."""

    kind = "wiki-xml"

    def __init__(
        self, files: Sequence[Path], *, lists: bool = False, processes: int = 0,
        progress: Progress | None = None,
    ) -> None:  # fmt: skip
        self._files = files
        self._lists = lists
        self._processes = processes
        self.total = 0
        self.left_out = 0
        self.language = read_site(files[0]).language or "eng"
        digest = _digest(files, progress or (lambda done, total: None))
        self.fingerprint = f"{digest}:{RECIPE}:{int(lists)}"
        self._pages: list[int] = []
        self._hidden: list[frozenset[str]] = []
        self._leading: frozenset[str] = frozenset()

    def prepare(self, scratch: Path, progress: Progress) -> None:
        """Read all files once, or load the results of an earlier reading."""
        scratch.mkdir(parents=True, exist_ok=True)
        kept = scratch / "survey.json"
        if not kept.exists():
            RedirectTable(scratch / "redirects").store_names(self._survey(progress))
            temporary = kept.with_suffix(".new")
            temporary.write_text(
                json.dumps([self._pages, list(map(sorted, self._hidden)), sorted(self._leading)])
            )
            temporary.replace(kept)
        pages, hidden, leading = json.loads(kept.read_text())
        self._pages, self._hidden = pages, list(map(frozenset, hidden))
        self._leading = frozenset(leading)
        self.total = sum(pages)

    def _survey(self, progress: Progress) -> Iterator[tuple[str, str]]:
        """Yield the redirects of all articles; note everything else on the way."""
        whole, done = sum(file.stat().st_size for file in self._files), 0
        leading: set[str] = set()
        aliases: list[tuple[str, str]] = []
        self._pages, self._hidden = [], []
        for file in self._files:
            reader = DumpReader(file)
            for number, page in enumerate(reader, start=1):
                if number % _PAGES_BETWEEN_PROGRESS == 0:
                    progress(done + reader.bytes_read, whole)
                if page.namespace == 10:
                    name = _template_name(page.title)
                    if page.redirect is not None:
                        aliases.append((_template_name(page.redirect), name))
                    elif "__DISAMBIG__" in page.text:
                        leading.add(name)
                elif page.namespace == 0 and page.redirect:
                    yield page.redirect.partition("#")[0].strip(), page.title
            done += file.stat().st_size
            progress(done, whole)
            self._pages.append(reader.pages)
            self._hidden.append(reader.site.namespace_names(6, 14))
        leading.update(name for target, name in aliases if target in leading)
        self._leading = frozenset(leading)

    def read(self, start: int, scratch: Path) -> Iterator[Batch]:
        redirects = RedirectTable(scratch / "redirects")
        for article in in_order(
            _read_page,
            self._jobs(start),
            processes=self._processes,
            weight=lambda job: len(job.page.text),
        ):
            if article.passages:
                yield _batch(article, redirects.list_names(article.title))

    def _jobs(self, start: int) -> Iterator[_Job]:
        first, self.left_out = 0, 0
        for file, count, hidden in zip(self._files, self._pages, self._hidden, strict=True):
            if first + count > start:
                reader = DumpReader(file)
                for position, page in enumerate(reader, start=first):
                    if position >= start and self._is_wanted(page):
                        yield _Job(position, page, hidden, self._leading, self._lists)
                self.left_out += reader.left_out
            first += count

    def _is_wanted(self, page: DumpPage) -> bool:
        return (
            page.namespace == 0
            and page.redirect is None
            and page.model == "wikitext"
            and bool(page.title and page.text)
            and (self._lists or not is_list(page.title))
        )


def open_corpus(
    names: Sequence[str],
    file_format: str,
    *,
    lists: bool = False,
    processes: int = 0,
    checking: Progress | None = None,
) -> Source:
    """What the files hold, to be indexed. `checking` counts bytes while they are checked.

    Raises `IndexProblem` with a sentence for files that cannot be used.
    """
    files = dump_files(names)
    if file_format == "wiki-xml":
        for file in files:
            if not file.is_file():
                raise IndexProblem(f"There is no file {file}. Check the path.")
        return DumpSource(files, lists=lists, processes=processes, progress=checking)
    if len(files) > 1:
        raise IndexProblem(f"Only a wiki-xml dump comes in several files, not {file_format}.")
    if file_format == "zim":
        try:
            return ArchivePassages(open_archive(files[0]), lists=lists, processes=processes)
        except ArchiveError as error:
            raise IndexProblem(str(error)) from error
    return passage_file(files[0], file_format)


def _read_page(job: _Job) -> _Article:
    """Return a page's text and passages; nothing for a page that only leads to others."""
    page = job.page
    if not job.lists and leads_to_others(page.text, job.leading):
        return _Article(job.position, page.id, page.title, "", "", ())
    sections = list(_sections(parse_wikitext(page.text, hidden=job.hidden, lists=job.lists)))
    running = [" ".join(([f"{title}."] if title else []) + body) for title, body in sections]
    lead = " ".join(sections[0][1]) if sections and not sections[0][0] else ""
    return _Article(
        job.position, page.id, page.title, shorten_text(lead, LEAD_CHARACTERS), "\n".join(running),
        tuple(cut_passages(running)),
    )  # fmt: skip


def _sections(found: Iterator[WikitextLine]) -> Iterator[tuple[str, list[str]]]:
    """Yield headings with the paragraphs under them, where any of these count."""
    title, body = "", list[str]()
    skipping = 7
    for line in found:
        if not line.level:
            body.append(line.text)
            continue
        if body and skipping == 7:
            yield title, body
        title, body = line.text, []
        if line.level <= skipping:
            skipping = line.level if title.lower() in SKIPPED_SECTIONS else 7
    if body and skipping == 7:
        yield title, body


def leads_to_others(text: str, leading: frozenset[str]) -> bool:
    """Whether a page's wikitext says that it only leads to others; `leading` are more templates."""
    if _DISAMBIGUATION.search(text):
        return True
    return bool(leading) and any(
        _template_name(found[1]) in leading for found in _TEMPLATE.finditer(text)
    )


def _template_name(title: str) -> str:
    """Return a template's name without its namespace, in the form used for comparing names."""
    name = title.rpartition(":")[2].replace("_", " ").strip()
    return name.casefold()


def _batch(article: _Article, names: list[str]) -> Batch:
    path = article.title.replace(" ", "_")
    key = article.id or path
    return Batch(
        position=article.position,
        article=ArticleDoc(path, article.title, names, article.lead, article.text),
        passages=[
            PassageDoc(f"{key}-{number}", path, article.title, text)
            for number, text in enumerate(article.passages, start=1)
        ],
    )


def _digest(files: Sequence[Path], progress: Progress) -> str:
    """Return one hash of the content of all files in their order."""
    whole, done = sum(file.stat().st_size for file in files), 0
    digest = hashlib.blake2b(digest_size=16)
    for path in files:
        size = path.stat().st_size
        digest.update(size.to_bytes(8, "big"))
        try:
            with path.open("rb") as file:
                while data := file.read(_READ_BYTES):
                    digest.update(data)
                    done += len(data)
                    progress(done, whole)
        except OSError as error:
            raise IndexProblem(f"{path} cannot be read: {error}.") from error
    return digest.hexdigest()
