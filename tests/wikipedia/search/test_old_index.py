"""After an upgrade an index of the format before serves, until the new one stands beside it."""

import json

import pytest
import tantivy

from tests.wikipedia.search.test_search_ranking import FERRIES, Articles
from wikipedia.search import analysis
from wikipedia.search.index import (
    ARTICLES,
    FORMAT,
    PASSAGES,
    POINTER,
    build_index,
    is_outdated,
    read_info,
)
from wikipedia.search.searching import check_index, search_articles, search_passages


def schema(*bytes_fields, stored, indexed=()):
    """Return a schema of format 2: what people read was stored with what is searched."""
    builder = tantivy.SchemaBuilder().add_integer_field("position", indexed=True, fast=True)
    for name in bytes_fields:
        builder = builder.add_bytes_field(name, stored=True)
    for name in (*stored, *indexed):
        builder = builder.add_text_field(
            name, stored=name in stored, tokenizer_name=analysis.ANALYSER, index_option="freq"
        )
    return builder


def writer(folder, schema):
    folder.mkdir(parents=True)
    index = tantivy.Index(schema, path=str(folder))
    index.register_tokenizer(analysis.ANALYSER, analysis.build_analyser("eng"))
    return index.writer(15_000_000, 1)


@pytest.fixture
def old(tmp_path):
    """An index as version 2 of the format made it."""
    folder = tmp_path / "x" / "v-old"
    exact = {"tokenizer_name": "raw", "index_option": "basic"}
    articles = writer(
        folder / ARTICLES,
        schema("path", "lead", stored=("title", "redirects"), indexed=("words",))
        .add_text_field("exact", **exact)
        .build(),
    )
    passages = writer(
        folder / PASSAGES,
        schema("id", "path", stored=("title", "text"), indexed=("words",)).build(),
    )
    for batch in Articles(*FERRIES).read(0, None):
        article = batch.article
        document = tantivy.Document(position=batch.position, title=article.title)
        document.add_bytes("path", article.path.encode())
        document.add_bytes("lead", article.lead.encode())
        for text in (article.title, article.text):
            document.add_text("words", text)
        for name in article.redirects:
            document.add_text("redirects", name)
        for name in (article.title, *article.redirects):
            document.add_text("exact", analysis.exact_key(name))
        articles.add_document(document)
        for passage in batch.passages:
            document = tantivy.Document(
                position=batch.position, title=passage.title, text=passage.text
            )
            document.add_bytes("id", passage.id.encode())
            document.add_bytes("path", passage.path.encode())
            for text in (passage.title, passage.text):
                document.add_text("words", text)
            passages.add_document(document)
    for made in (articles, passages):
        made.commit()
        made.wait_merging_threads()
    pointer = {
        "format": 2, "folder": "v-old", "kind": "zim", "fingerprint": "f", "language": "eng",
        "articles": len(FERRIES), "passages": 8,
    }  # fmt: skip
    (tmp_path / "x" / POINTER).write_text(json.dumps(pointer))
    return tmp_path / "x"


def answers(folder):
    """Return what people and models get: titles, snippets, other names, whole passages."""
    hits = search_articles(folder, "when did the ferry across the sound end").hits
    (renamed,) = [hit for hit in search_articles(folder, "malmö-lund").hits if hit.exact]
    found = search_passages(folder, "what froze in", limit=1)
    return (
        [(hit.title, hit.path, hit.snippet) for hit in hits],
        (renamed.title, renamed.path, renamed.exact),
        [(hit.id, hit.title, hit.path, hit.text) for hit in found],
    )


def test_it_is_searched_as_before_and_is_told_to_be_old(old):
    assert check_index(old) is None
    assert is_outdated(old)
    assert read_info(old).format == 2
    hits, renamed, passages = answers(old)
    assert hits[0][:2] == ("Sound", "Sound")
    assert "1999" in str(hits[0][2])
    assert renamed == ("Lund", "Lund", True)
    assert passages == [("Sound#3", "Sound", "Sound", "The ferry froze in once.")]
    named = search_articles(old, "a ferry boat").hits
    assert ("Ferry", "Ferry boat") in [(hit.title, hit.redirect_from) for hit in named]


def test_it_serves_while_the_new_one_is_built_and_then_makes_way(old):
    before, during = answers(old), []
    info = build_index(
        old,
        Articles(*FERRIES),
        progress=lambda done, total: during.append((read_info(old).format, answers(old))),
        batch=2,
    )
    assert len(during) > 2
    assert {seen[0] for seen in during} == {2}
    assert all(seen[1] == before for seen in during)
    assert info.format == read_info(old).format == FORMAT
    assert not is_outdated(old)
    assert not (old / "v-old").exists()
    assert answers(old) == before
    assert build_index(old, Articles(*FERRIES)) == info  # and once is enough
