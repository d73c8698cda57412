"""Other rankings of the same passages, to compare ours with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import tantivy

from benchmarks.mixtures import Passage

Articles = Iterable[list[Passage]]
System = Callable[[Path, Articles, list[str], int], list[list[str]]]


def bm25s_stemmed(
    folder: Path, articles: Articles, questions: list[str], depth: int
) -> list[list[str]]:
    """bm25s with its own defaults: Lucene's BM25, English stop words, Snowball stems."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    given = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    ids, texts = [], []
    for passage in _passages(articles):
        ids.append(passage.id)
        texts.append(f"{passage.title} {passage.text}")
    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(texts, **given), show_progress=False)
    depth = min(depth, len(ids))
    found, _ = retriever.retrieve(bm25s.tokenize(questions, **given), k=depth, show_progress=False)
    return [[ids[number] for number in row] for row in found]


def plain_tantivy(
    folder: Path, articles: Articles, questions: list[str], depth: int
) -> list[list[str]]:
    """tantivy with its own stop words and stemmer: title and text as two fields, any word."""
    analyser = (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.stopword("english"))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )
    schema = (
        tantivy.SchemaBuilder()
        .add_bytes_field("id", stored=True)
        .add_text_field("title", tokenizer_name="plain", index_option="freq")
        .add_text_field("text", tokenizer_name="plain", index_option="freq")
        .build()
    )
    path = folder / "plain"
    path.mkdir()
    index = tantivy.Index(schema, path=str(path))
    index.register_tokenizer("plain", analyser)
    writer = index.writer(128_000_000, 1)
    for passage in _passages(articles):
        document = tantivy.Document(title=passage.title, text=passage.text)
        document.add_bytes("id", passage.id.encode())
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    results = []
    for question in questions:
        terms = dict.fromkeys(analyser.analyze(question))
        query = tantivy.Query.boolean_query(
            [
                (tantivy.Occur.Should, tantivy.Query.term_query(schema, field, term, "freq"))
                for term in terms
                for field in ("title", "text")
            ]
        )
        hits = searcher.search(query, depth, count=False).hits
        results.append([searcher.doc(address)["id"][0].decode() for _, address in hits])
    return results


def _passages(articles: Articles) -> Iterator[Passage]:
    for article in articles:
        yield from article


SYSTEMS: dict[str, System] = {
    "bm25s": bm25s_stemmed,
    "tantivy, two fields": plain_tantivy,
}
