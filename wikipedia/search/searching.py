"""Searching an index: natural questions in, ranked articles or passages out.

The words of a question are OR-ed and ranked by BM25: over title and text as one, and to a lesser
part over each, since a short title that occurs in the question says much. An article is scored
together with its best passage, and a query that is a whole title comes first. No character of a
query is an operator. How it was chosen and measured: docs/search.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import tantivy
from tantivy import Occur, Query

from wikipedia.search import analysis
from wikipedia.search.index import ARTICLES, PASSAGES, IndexProblem
from wikipedia.search.open_indexes import WORDS, OpenedIndex, Weights, names_of, open_index, text_of
from wikipedia.search.results import SearchHit, SearchPage, Snippet
from wikipedia.search.snippets import build_snippet
from wikipedia.search.suggest import suggest_query

MAX_LIMIT: Final = 1_000
MAX_OFFSET: Final = 10_000
# Weights of BM25 scores per field. Chosen on one half of the questions of benchmarks/search.py and
# checked on the other, except that of redirects, which are in no passage: it is that of titles.
PASSAGE_WEIGHTS: Final[Weights] = ((WORDS, 1.0), ("text", 0.3), ("title", 0.5))
ARTICLE_WEIGHTS: Final[Weights] = ((WORDS, 1.0), ("title", 0.5), ("redirects", 0.5))
# This many articles are ranked together with their best passages; the others keep their order.
ARTICLES_RANKED: Final = 100
PASSAGES_READ: Final = 200
_MOST_OF_ONE_TITLE: Final = 10
# A title's words are all over its article, so they say little about which part to show.
_TITLE_WORDS: Final = 0.1

Address = tuple[int, int]


@dataclass(frozen=True)
class PassageHit:
    """A passage in the results; `text` is the whole passage."""

    id: str
    title: str
    path: str
    text: str
    score: float
    weights: Mapping[str, float] = field(repr=False)
    language: analysis.Language = field(repr=False)

    @property
    def snippet(self) -> Snippet:
        """The part that shows why it was found; made on request, since models never ask for it."""
        return build_snippet(self.text, self.weights, self.language)


@dataclass(frozen=True)
class _RankedArticle:
    """A ranked article: its address, and its best passage if that is known."""

    score: float
    address: tantivy.DocAddress
    position: int
    passage: tantivy.DocAddress | None
    exact: bool


def search_articles(index_dir: Path, query: str, limit: int = 10, offset: int = 0) -> SearchPage:
    """Return articles for a question or a title, best first. `snippet` is of the best passage.

    Raises `IndexProblem` if there is no usable index.
    """
    limit, offset = _bounded(limit, offset)
    articles, passages = open_index(index_dir, ARTICLES), open_index(index_dir, PASSAGES)
    terms = analysis.query_terms(query, articles.language)
    if not terms:
        return SearchPage(query, (), 0, offset, limit)
    question = articles.any_of(terms, ARTICLE_WEIGHTS)
    depth = max(ARTICLES_RANKED, offset + limit)
    found = articles.searcher.search(question, depth, count=False).hits
    titled = _titled(articles, question, analysis.exact_key(query))
    ranked = _one_of_each(articles, _ranked(articles, passages, terms, found, titled))
    hits = [_hit(articles, passages, terms, each) for each in ranked[offset : offset + limit]]
    return SearchPage(
        query, tuple(hits), _count(articles, terms), offset, limit, suggest_query(query, passages)
    )


def search_passages(index_dir: Path, query: str, limit: int = 10) -> tuple[PassageHit, ...]:
    """Return passages for a question, best first. Raises `IndexProblem` without a usable index."""
    limit, _ = _bounded(limit, 0)
    passages = open_index(index_dir, PASSAGES)
    terms = analysis.query_terms(query, passages.language)
    if not terms:
        return ()
    question = passages.any_of(terms, PASSAGE_WEIGHTS)
    weights = {term: passages.inverse_frequency(term) for term in terms}
    hits = []
    for score, address in passages.searcher.search(question, limit, count=False).hits:
        document = passages.searcher.doc(address)
        hits.append(
            PassageHit(
                id=text_of(document, "id"),
                title=text_of(document, "shown"),
                path=text_of(document, "path"),
                text=text_of(document, "kept"),
                score=float(score),
                weights=weights,
                language=passages.language,
            )
        )
    return tuple(hits)


def check_index(index_dir: Path) -> str | None:
    """Return a sentence about what is wrong with an index, or None if it can be searched."""
    try:
        for name in (ARTICLES, PASSAGES):
            open_index(index_dir, name)
    except IndexProblem as problem:
        return str(problem)
    return None


def _bounded(limit: int, offset: int) -> tuple[int, int]:
    return max(1, min(limit, MAX_LIMIT)), max(0, min(offset, MAX_OFFSET))


def _titled(
    articles: OpenedIndex, question: Query, key: str
) -> list[tuple[float, tantivy.DocAddress]]:
    """Return the articles whose whole title or redirect is the query, titles before redirects."""
    if not key:
        return []
    here = Query.const_score_query(articles.term_query("exact", key), 0.0)
    both = Query.boolean_query([(Occur.Must, here), (Occur.Should, question)])
    found = articles.searcher.search(both, _MOST_OF_ONE_TITLE, count=False).hits
    titles = [text_of(articles.searcher.doc(address), "shown") for _, address in found]
    order = sorted(range(len(found)), key=lambda at: analysis.exact_key(titles[at]) != key)
    return [(float(found[at][0]), found[at][1]) for at in order]


def _ranked(
    articles: OpenedIndex,
    passages: OpenedIndex,
    terms: list[str],
    found: list[tuple[float, tantivy.DocAddress]],
    titled: list[tuple[float, tantivy.DocAddress]],
) -> list[_RankedArticle]:
    """Rank articles by their own score and their best passage's; whole titles come first."""
    exact = {_key(address) for _, address in titled}
    others = [(score, address) for score, address in found if _key(address) not in exact]
    pairs = [*titled, *others]
    if not pairs:
        return []
    positions = articles.searcher.fast_field_values("position", [address for _, address in pairs])
    best, least = _best_passages(passages, terms)
    ranked = []
    for (score, address), position in zip(pairs, positions, strict=True):
        number = int(position or 0)
        more, passage = best.get(number, (least, None))
        whole = _key(address) in exact
        ranked.append(_RankedArticle(float(score) + more, address, number, passage, whole))
    start, end = len(titled), max(len(titled), ARTICLES_RANKED)
    head = sorted(ranked[start:end], key=lambda each: -each.score)
    return [*ranked[:start], *head, *ranked[end:]]


def _one_of_each(articles: OpenedIndex, ranked: list[_RankedArticle]) -> list[_RankedArticle]:
    """Drop copies: of the articles with one title, keep the one whose path is the title.

    It gets the best place among them. An index of format 2 does not know copies.
    """
    if articles.format < 3:
        return ranked
    titles = articles.searcher.fast_field_values("same", [each.address for each in ranked])
    copies: dict[int, list[_RankedArticle]] = {}
    for title, each in zip(titles, ranked, strict=True):
        copies.setdefault(int(title or 0), []).append(each)
    return [
        same[0] if len(same) == 1 else max(same, key=lambda each: _at_its_title(articles, each))
        for same in copies.values()
    ]


def _at_its_title(articles: OpenedIndex, ranked: _RankedArticle) -> bool:
    document = articles.searcher.doc(ranked.address)
    title = text_of(document, "shown").replace(" ", "_")
    return text_of(document, "path").removeprefix("A/").removesuffix(".html") == title


def _best_passages(
    passages: OpenedIndex, terms: list[str]
) -> tuple[dict[int, tuple[float, tantivy.DocAddress]], float]:
    """Return the best passage by article, and the maximum score of any passage not read."""
    question = passages.any_of(terms, PASSAGE_WEIGHTS)
    found = passages.searcher.search(question, PASSAGES_READ, count=False).hits
    if not found:
        return {}, 0.0
    positions = passages.searcher.fast_field_values("position", [address for _, address in found])
    best: dict[int, tuple[float, tantivy.DocAddress]] = {}
    for (score, address), position in zip(found, positions, strict=True):
        best.setdefault(int(position or 0), (float(score), address))
    return best, float(found[-1][0]) if len(found) == PASSAGES_READ else 0.0


def _hit(
    articles: OpenedIndex, passages: OpenedIndex, terms: list[str], ranked: _RankedArticle
) -> SearchHit:
    document = articles.searcher.doc(ranked.address)
    title = text_of(document, "shown")
    named = set(articles.language.list_terms(title))
    weights = {
        term: passages.inverse_frequency(term) * (_TITLE_WORDS if term in named else 1.0)
        for term in terms
    }
    address = None
    if not named.issuperset(terms):  # otherwise the article itself was looked for
        address = ranked.passage or _passage_of(passages, terms, ranked.position)
    text = text_of(passages.searcher.doc(address), "kept") if address else ""
    return SearchHit(
        title=title,
        path=text_of(document, "path"),
        snippet=build_snippet(text or text_of(document, "lead"), weights, articles.language),
        score=ranked.score,
        redirect_from=_matched_redirect(articles, document, title, set(terms)),
        exact=ranked.exact,
    )


def _passage_of(
    passages: OpenedIndex, terms: list[str], position: int
) -> tantivy.DocAddress | None:
    """Return the best passage of one article, or None if none has any of the terms."""
    here = Query.const_score_query(passages.term_query("position", position), 0.0)
    question = passages.any_of(terms, PASSAGE_WEIGHTS)
    both = Query.boolean_query([(Occur.Must, here), (Occur.Must, question)])
    found = passages.searcher.search(both, 1, count=False).hits
    return found[0][1] if found else None


def _count(articles: OpenedIndex, terms: list[str]) -> int:
    """Return how many articles have any of the terms."""
    question = articles.any_of(terms, tuple((field, 1.0) for field, _ in ARTICLE_WEIGHTS))
    counted = articles.searcher.aggregate(question, {"n": {"value_count": {"field": "position"}}})
    return int(counted["n"]["value"])


def _matched_redirect(
    articles: OpenedIndex, document: tantivy.Document, title: str, terms: set[str]
) -> str | None:
    """Return a redirect that the query holds in full and that says more than the title."""
    language = articles.language
    best, most = None, len(terms & set(language.list_terms(title)))
    for name in names_of(document):
        named = set(analysis.query_terms(name, language))
        if named <= terms and len(named) > most:
            best, most = name, len(named)
    return best


def _key(address: tantivy.DocAddress) -> Address:
    return address.segment_ord, address.doc
