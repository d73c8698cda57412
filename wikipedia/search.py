"""Searching an index: natural questions in, ranked articles or passages out.

The words of a question are OR-ed and ranked by BM25; a word in a title counts more than in the
text, and a query that is a whole title wins. No character of a query is an operator.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

import tantivy
from tantivy import Occur, Query

from wikipedia import analysis
from wikipedia.index import (
    ARTICLES,
    PASSAGES,
    POINTER,
    IndexProblem,
    article_schema,
    passage_schema,
    read_info,
)
from wikipedia.providers.base import SearchHit, SearchPage, Snippet

MAX_LIMIT: Final = 1_000
MAX_OFFSET: Final = 10_000
SNIPPET_CHARACTERS: Final = 220
# Weights of BM25 scores per field: a title says what an article is about, a redirect is a title
# somebody expected, and a lead is denser than the rest. The title's weight among passages was
# chosen among six by recall in benchmarks/search.py; 0.75 and 1 differ by noise.
ARTICLE_WEIGHTS: Final = (("title", 3.0), ("redirects", 1.5), ("lead", 1.5), ("text", 1.0))
PASSAGE_WEIGHTS: Final = (("text", 1.0), ("title", 0.75))
EXACT_TITLE_WEIGHT: Final = 30.0


@dataclass(frozen=True)
class PassageHit:
    """One passage found; `text` is the whole passage."""

    id: str
    title: str
    path: str
    text: str
    score: float
    snippet: Snippet


@dataclass(frozen=True)
class _Opened:
    """An index in memory-mapped files; shared by all threads of a process."""

    index: tantivy.Index
    schema: tantivy.Schema
    analyser: tantivy.TextAnalyzer


def search_articles(index_dir: Path, query: str, limit: int = 10, offset: int = 0) -> SearchPage:
    """Articles for a question or a title, best first. `snippet` is the best-matching passage.

    Raises `IndexProblem` when there is no usable index.
    """
    limit, offset = _bounded(limit, offset)
    opened = _open(index_dir, ARTICLES)
    terms = analysis.query_terms(query, opened.analyser)
    if not terms:
        return SearchPage(query, (), 0, offset, limit)
    searcher = opened.index.searcher()
    question = _any_of(opened.schema, terms, ARTICLE_WEIGHTS, analysis.exact_key(query))
    found = searcher.search(question, limit, offset=offset)
    passages = _open(index_dir, PASSAGES)
    lead_words = _any_of(opened.schema, terms, (("lead", 1.0),))
    in_lead = _snippets(searcher, lead_words, opened.schema, "lead")
    hits = []
    for score, address in found.hits:
        document = searcher.doc(address)
        title = str(document.get_first("title"))
        position = int(document["position"][0])
        beyond_title = [term for term in terms if term not in opened.analyser.analyze(title)]
        snippet = _best_passage(passages, terms, beyond_title, position) if beyond_title else ()
        hits.append(
            SearchHit(
                title=title,
                path=str(document.get_first("path")),
                snippet=snippet
                or _segments(in_lead.snippet_from_doc(document))
                or _plain(str(document.get_first("lead") or "")),
                score=float(score),
                redirect_from=_matched_redirect(opened, document, title, set(terms)),
            )
        )
    total = int(cast("Any", found).count or 0)  # the stub forgets it
    return SearchPage(query, tuple(hits), total, offset, limit)


def search_passages(index_dir: Path, query: str, limit: int = 10) -> tuple[PassageHit, ...]:
    """Passages for a question, best first. Raises `IndexProblem` without a usable index."""
    limit, _ = _bounded(limit, 0)
    opened = _open(index_dir, PASSAGES)
    terms = analysis.query_terms(query, opened.analyser)
    if not terms:
        return ()
    searcher = opened.index.searcher()
    question = _any_of(opened.schema, terms, PASSAGE_WEIGHTS)
    generator = _snippets(searcher, question, opened.schema)
    hits = []
    for score, address in searcher.search(question, limit, count=False).hits:
        document = searcher.doc(address)
        hits.append(
            PassageHit(
                id=str(document.get_first("id")),
                title=str(document.get_first("title")),
                path=str(document.get_first("path")),
                text=str(document.get_first("text")),
                score=float(score),
                snippet=_segments(generator.snippet_from_doc(document)),
            )
        )
    return tuple(hits)


def check_index(index_dir: Path) -> str | None:
    """What is wrong with an index, as a sentence, or None when it can be searched."""
    try:
        for name in (ARTICLES, PASSAGES):
            _open(index_dir, name).index.searcher()
    except IndexProblem as problem:
        return str(problem)
    return None


def _bounded(limit: int, offset: int) -> tuple[int, int]:
    return max(1, min(limit, MAX_LIMIT)), max(0, min(offset, MAX_OFFSET))


def _open(index_dir: Path, name: str) -> _Opened:
    """The visible index, opened once per version: a rebuilt index is picked up by itself."""
    try:
        stamp = (index_dir / POINTER).stat().st_mtime_ns
    except OSError:
        stamp = 0
    return _open_version(index_dir, name, stamp)


@lru_cache(maxsize=32)
def _open_version(index_dir: Path, name: str, stamp: int) -> _Opened:
    info = read_info(index_dir)
    if info is None:
        raise IndexProblem(
            f"There is no search index in {index_dir}. Build it with “manage.py index_wikipedia”."
        )
    schema = article_schema() if name == ARTICLES else passage_schema()
    analyser = analysis.analyser(info.language)
    try:
        index = tantivy.Index(schema, path=str(index_dir / info.folder / name))
        index.register_tokenizer(analysis.ANALYSER, analysis.analyser(info.language))
        index.searcher()
    except (ValueError, OSError) as error:
        raise IndexProblem(
            f"The search index in {index_dir} cannot be read: {error}. Delete that folder and "
            "build it again with “manage.py index_wikipedia”."
        ) from error
    return _Opened(index, schema, analyser)


def _any_of(
    schema: tantivy.Schema,
    terms: list[str],
    weights: tuple[tuple[str, float], ...],
    exact: str = "",
) -> Query:
    """Any of the terms in any of the fields; `exact` is a whole title that wins outright."""
    clauses = [
        (Occur.Should, Query.boost_query(Query.term_query(schema, field, term, "freq"), weight))
        for term in terms
        for field, weight in weights
    ]
    if exact:
        title = Query.const_score_query(Query.term_query(schema, "exact", exact), 1.0)
        clauses.append((Occur.Should, Query.boost_query(title, EXACT_TITLE_WEIGHT)))
    return Query.boolean_query(clauses)


def _best_passage(passages: _Opened, terms: list[str], wanted: list[str], position: int) -> Snippet:
    """The passage of one article that has most of `wanted`, or nothing when none has any.

    The words of the title are left out of `wanted`: an article names its subject everywhere.
    """
    searcher = passages.index.searcher()
    words = _any_of(passages.schema, terms, (("text", 1.0),))
    rank = _any_of(passages.schema, wanted, (("text", 1.0),))
    here = Query.const_score_query(Query.term_query(passages.schema, "position", position), 0.0)
    both = Query.boolean_query([(Occur.Must, here), (Occur.Must, rank)])
    found = searcher.search(both, 1, count=False).hits
    if not found:
        return ()
    generator = _snippets(searcher, words, passages.schema)
    return _segments(generator.snippet_from_doc(searcher.doc(found[0][1])))


def _snippets(
    searcher: tantivy.Searcher, query: Query, schema: tantivy.Schema, field: str = "text"
) -> tantivy.SnippetGenerator:
    generator = tantivy.SnippetGenerator.create(searcher, query, schema, field)
    generator.set_max_num_chars(SNIPPET_CHARACTERS)
    return generator


def _segments(snippet: tantivy.Snippet) -> Snippet:
    """(text, matched) segments. tantivy gives ranges in bytes of UTF-8, not in characters."""
    data = snippet.fragment().encode("utf-8")
    segments: list[tuple[str, bool]] = []
    done = 0
    for part in snippet.highlighted():
        if part.start < done:
            continue
        segments.append((data[done : part.start].decode("utf-8", "replace"), False))
        segments.append((data[part.start : part.end].decode("utf-8", "replace"), True))
        done = part.end
    segments.append((data[done:].decode("utf-8", "replace"), False))
    return tuple((text, matched) for text, matched in segments if text)


def _plain(text: str) -> Snippet:
    if not text:
        return ()
    if len(text) > SNIPPET_CHARACTERS:
        text = text[:SNIPPET_CHARACTERS].rsplit(" ", 1)[0] + "…"
    return ((text, False),)


def _matched_redirect(
    opened: _Opened, document: tantivy.Document, title: str, terms: set[str]
) -> str | None:
    """Another name of the article that the query has in full and that says more than its title."""
    in_title = len(terms & set(opened.analyser.analyze(title)))
    best, best_count = None, in_title
    for name in document.get_all("redirects"):
        words = set(opened.analyser.analyze(str(name))) - analysis.STOP_WORDS
        if words and words <= terms and len(words) > best_count:
            best, best_count = str(name), len(words)
    return best
