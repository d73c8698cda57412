"""Indexes opened for searching, once per version, shared by all threads of a process."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tantivy
from tantivy import Occur, Query

from wikipedia.search import analysis
from wikipedia.search.index import (
    ARTICLES,
    FORMAT,
    POINTER,
    IndexProblem,
    article_schema,
    is_outdated,
    passage_schema,
    read_info,
)

Weights = tuple[tuple[str, float], ...]
WORDS: Final = "words"
# Fields of format 2 that were stored as they are indexed, by the names they have now.
BEFORE: Final = {"shown": "title", "kept": "text", "names": "redirects"}
_kept: dict[tuple[Path, str], tuple[int, OpenedIndex]] = {}


@dataclass(frozen=True)
class OpenedIndex:
    """An index in memory-mapped files, as of when it was opened, of a format that is searched."""

    format: int
    schema: tantivy.Schema
    searcher: tantivy.Searcher
    language: analysis.Language

    def any_of(self, terms: list[str], weights: Weights) -> Query:
        """Return a query for any of the terms in any of the fields."""
        return Query.boolean_query(
            [
                (Occur.Should, Query.boost_query(self.term_query(field, term), weight))
                for term in terms
                for field, weight in weights
            ]
        )

    def term_query(self, field: str, term: str | int) -> Query:
        return Query.term_query(self.schema, field, term, "freq")

    def found_in(self, term: str) -> int:
        """Return how many articles or passages have a term."""
        return self.searcher.doc_freq(WORDS, term)

    def inverse_frequency(self, term: str) -> float:
        """Return the inverse document frequency as in BM25."""
        among, count = self.found_in(term), self.searcher.num_docs
        return math.log(1 + (count - among + 0.5) / (among + 0.5))


def names_of(document: tantivy.Document) -> list[str]:
    """Return the other names of an article."""
    names = document.get_all("names") or document.get_all(BEFORE["names"])
    return [
        name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name) for name in names
    ]


def text_of(document: tantivy.Document, field: str) -> str:
    """Return a stored value; "" if the document has none."""
    value = document.get_first(field)
    if value is None and field in BEFORE:
        value = document.get_first(BEFORE[field])
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")


def open_index(index_dir: Path, name: str) -> OpenedIndex:
    """Return the visible index; a rebuilt one is picked up automatically.

    Raises `IndexProblem` if there is none that can be searched.
    """
    try:
        stamp = (index_dir / POINTER).stat().st_mtime_ns
    except OSError:
        stamp = 0
    kept = _kept.get((index_dir, name))
    if kept is None or kept[0] != stamp:
        # One version of each: replaced files take up disk space as long as they are mapped.
        kept = _kept[index_dir, name] = stamp, _open(index_dir, name)
    return kept[1]


def _open(index_dir: Path, name: str) -> OpenedIndex:
    info = read_info(index_dir)
    if info is None and is_outdated(index_dir):
        raise IndexProblem(
            f"The search index in {index_dir} was made by another version of Ambit. Build it "
            "again with “manage.py index_wikipedia” or “manage.py index_passages”."
        )
    if info is None:
        raise IndexProblem(
            f"There is no search index in {index_dir}. Build it with “manage.py index_wikipedia”."
        )
    path = str(index_dir / info.folder / name)
    try:
        if info.format == FORMAT:
            schema = article_schema() if name == ARTICLES else passage_schema()
            index = tantivy.Index(schema, path=path)
        else:
            index = tantivy.Index.open(path)
            schema = index.schema
        index.register_tokenizer(analysis.ANALYSER, analysis.build_analyser(info.language))
        searcher = index.searcher()
    except (ValueError, OSError) as error:
        raise IndexProblem(
            f"The search index in {index_dir} cannot be read: {error}. Delete that folder and "
            "build it again with “manage.py index_wikipedia”."
        ) from error
    return OpenedIndex(info.format, schema, searcher, analysis.language_named(info.language))
